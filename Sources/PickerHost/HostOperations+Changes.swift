import JSONText
package import PickerHub
import PickerModel
package import PickerSession
import PickerWire

/// The common part of changing definitions and notes.
/// - Source: web/guide/inventory.md.
extension HostOperations {
  /// How often a change is evaluated: it may have no effect, because the definition has become
  /// invalid with time.
  private static let attemptsMax = 8

  /// Evaluates a change as soon as no other one is pending, appends it, and answers with its delta.
  ///
  /// - Parameters:
  ///   - seesParts: Whether its sender sees the parts of all members.
  ///   - evaluate: Returns the entry, or `nil` if it changes nothing. Later changes of the session
  ///     wait for it.
  func change(
    _ hosted: HostedSession, seesParts: Bool = false,
    _ evaluate: (HostedSession) async throws(HubProblem) -> LogEntry.Body?
  ) async throws(HubProblem) -> DefinitionAnswer {
    guard hosted.hostChanges.count(at: seam.now.machine) else { throw .tooMany }
    for _ in 1...HostOperations.attemptsMax {
      let hosted = try await seam.afterHostChanges(of: try await seam.afterFollowing(of: hosted))
      hosted.hostChanges.begin()
      let body: Result<LogEntry.Body?, HubProblem>
      do throws(HubProblem) {
        body = .success(try await evaluate(hosted))
      } catch {
        body = .failure(error)
      }
      hosted.hostChanges.end()
      let appended = Result { () throws(HubProblem) in try append(body, to: hosted) }
      for change in hosted.hostChanges.takeWaiting() { change() }
      guard let (body, entry) = try appended.get() else { return unchanged(hosted) }
      let effects = try await entry.effects()
      for case .delta(let delta) in effects where !delta.isTick {
        return await answer(with: delta, in: hosted, seesParts: seesParts)
      }
      if body.hasNoDelta(in: hosted.session) { return unchanged(hosted) }
    }
    throw .tooMany
  }

  /// Appends an evaluated change, unless it changes nothing.
  private func append(
    _ body: Result<LogEntry.Body?, HubProblem>, to hosted: HostedSession
  ) throws(HubProblem) -> (LogEntry.Body, AppendedEntry)? {
    guard hosted.phase == .loaded else { throw hosted.loss }
    guard let body = try body.get() else { return nil }
    return (body, try seam.append(body, to: hosted))
  }

  /// The answer with the delta of a change.
  private func answer(
    with delta: Delta, in hosted: HostedSession, seesParts: Bool
  ) async -> DefinitionAnswer {
    let version = hosted.session.fold.version
    let texts = seam.texts(for: nil, fallback: hosted.session.fold.definition.locale)
    let windowRows = seam.limits.session.windowRows
    let sight = hosted.session.fold.sight(of: nil, seesAll: seesParts)
    return await encode(ofWeight: delta.weight + delta.definitionWeight) {
      let body = HTTPDocument.changed(
        delta, version: version, sight: sight, texts: texts, windowRows: windowRows)
      return DefinitionAnswer(
        version: version, body: body,
        shortBody: HTTPDocument.changed(revision: delta.revision, version: version))
    }
  }
}

extension LogEntry.Body {
  /// Whether the entry makes no delta now: it waits for the host's decision, or changes nothing
  /// that members see.
  fileprivate func hasNoDelta(in session: Session) -> Bool {
    switch self {
    case .note: session.status == .confirming
    case .define(let change): change.changesOwnPartOnly
    default: false
    }
  }
}

/// Reading and changing the notes of a session.
extension HostOperations {
  package func readNotes(
    of id: SessionID, token: Credential?, at time: HubTime
  ) async throws(HubProblem) -> [UInt8] {
    let fold = try await seam.find(id, token: token, needs: .viewer, at: time).session.fold
    let (notes, waiting) = (fold.notes, fold.decision.waitingNotes)
    let (kind, weight) = (fold.definition.kind, notes.days.count + notes.rowCount)
    return await encode(ofWeight: waiting.isEmpty ? weight : .max) {
      notes.applying(waiting, for: kind).tree.serialized()
    }
  }

  package func changeNotes(
    of id: SessionID, _ request: DefinitionRequest, token: Credential?, at time: HubTime
  ) async throws(HubProblem) -> DefinitionAnswer {
    let hosted = try await seam.find(id, token: token, needs: .owner, at: time)
    return try await change(hosted) { hosted throws(HubProblem) in
      try request.checkSize()
      let notes = PendingNotes(of: hosted.session)
      let patch = try await seam.inBackground {
        Result { () throws(HubProblem) in
          try NotesPatch(try request.readNotes()) { tree throws(BadNotes) in
            try notes.change(by: tree)
          }
        }
      }.get()
      return try entry(of: patch, in: hosted)
    }
  }

  /// - Returns: `nil` if the patch changes nothing.
  private func entry(
    of patch: NotesPatch, in hosted: HostedSession
  ) throws(HubProblem) -> LogEntry.Body? {
    if patch.changesNothing { return nil }
    guard seam.hasMemory(for: 1) else { throw .full(.sessionsBytes) }
    let fold = hosted.session.fold
    if let change = patch.change, fold.shared?.ownNotes.hasRoom(for: change) == false {
      throw .badRequest("the session would have too many notes of its own")
    }
    if fold.status == .confirming, !fold.decision.hasRoom(for: patch.tree) { throw .tooMany }
    return .note(patch)
  }
}

/// The notes of a session and the patches that wait for the host's decision, to evaluate one more
/// on another thread.
private final class PendingNotes: @unchecked Sendable {
  private let kind: PickerKind
  /// `nil` once the patch is evaluated: with a second reference, changing them would copy them all.
  private var notes: Notes?
  private let waiting: [JSONTree]

  init(of session: Session) {
    kind = session.fold.definition.kind
    notes = session.fold.notes
    waiting = session.fold.decision.waitingNotes
  }

  /// Must be called once.
  func change(by tree: JSONTree) throws(BadNotes) -> NotesChange {
    guard let notes = notes.take() else { preconditionFailure("a patch is evaluated once") }
    return try notes.applying(waiting, for: kind).change(by: tree, for: kind)
  }
}

extension NotesPatch {
  /// Evaluates a patch.
  fileprivate init(
    _ tree: JSONTree, _ evaluate: (JSONTree) throws(BadNotes) -> NotesChange
  ) throws(HubProblem) {
    do throws(BadNotes) {
      self.init(tree, change: try evaluate(tree))
    } catch {
      throw .badRequest(error.detail)
    }
  }
}
