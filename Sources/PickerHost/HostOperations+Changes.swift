import PickerHub
import PickerSession
import PickerWire

/// A change waits for those before it, and is evaluated with their outcome.
/// - Source: web/guide/inventory.md.
extension HostOperations {
  /// How often a change is evaluated: it may have no effect, because the definition has become
  /// invalid with time.
  private static let attemptsMax = 8

  /// Evaluates a change as soon as no other one is pending, appends it, and answers with its delta.
  ///
  /// - Parameters:
  ///   - seesParts: Whether its sender sees the parts of all members.
  ///   - evaluate: Returns `nil` if nothing changes. Later changes of the session wait for it.
  func change(
    _ hosted: HostedSession, seesParts: Bool,
    _ evaluate: (HostedSession) async throws(HubProblem) -> DocumentChange?
  ) async throws(HubProblem) -> DocumentAnswer {
    guard hosted.hostChanges.count(at: seam.now.machine) else { throw .tooMany }
    for _ in 1...HostOperations.attemptsMax {
      let hosted = try await seam.afterChanges(of: hosted)
      hosted.hostChanges.begin()
      let change: Result<DocumentChange?, HubProblem>
      do throws(HubProblem) {
        change = .success(try await evaluate(hosted))
      } catch {
        change = .failure(error)
      }
      hosted.hostChanges.end()
      let appended = Result { () throws(HubProblem) in try append(change, to: hosted) }
      for change in hosted.hostChanges.takeWaiting() { change.resume() }
      guard let (change, entry) = try appended.get() else { return unchanged(hosted) }
      let effects = try await entry.effects()
      for case .delta(let delta) in effects where !delta.isTick {
        return await answer(with: delta, in: hosted, seesParts: seesParts)
      }
      if change.hasNoDelta(in: hosted.session) { return unchanged(hosted) }
    }
    throw .tooMany
  }

  /// Appends an evaluated change, unless it changes nothing.
  private func append(
    _ change: Result<DocumentChange?, HubProblem>, to hosted: HostedSession
  ) throws(HubProblem) -> (DocumentChange, AppendedEntry)? {
    guard hosted.phase == .loaded else { throw hosted.loss }
    guard let change = try change.get() else { return nil }
    return (change, try seam.append(.revised(change), to: hosted))
  }

  /// The answer with the delta of a change.
  private func answer(
    with delta: Delta, in hosted: HostedSession, seesParts: Bool
  ) async -> DocumentAnswer {
    let version = hosted.session.fold.version
    let texts = seam.texts(for: nil, fallback: hosted.session.fold.definition.locale)
    let windowRows = seam.limits.session.windowRows
    let sight = hosted.session.fold.sight(of: nil, seesAll: seesParts)
    return await encode(ofWeight: delta.weight + delta.definitionWeight) {
      let body = HTTPDocument.changed(
        delta, version: version, sight: sight, texts: texts, windowRows: windowRows)
      return DocumentAnswer(
        version: version, body: body,
        shortBody: HTTPDocument.changed(revision: delta.revision, version: version))
    }
  }
}

extension DocumentChange {
  /// Whether it makes no delta now: it waits for the host's decision, or changes nothing that
  /// members see.
  fileprivate func hasNoDelta(in session: Session) -> Bool {
    definition?.changesOwnPartOnly ?? (session.status == .confirming)
  }
}
