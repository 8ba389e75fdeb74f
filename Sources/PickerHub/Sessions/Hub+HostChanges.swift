package import JSONText
package import PickerModel
package import PickerSession
import PickerWire

/// Changes of a session's definition and notes that one second may have.
private let hostChangesPerSecond = 20

/// Changes of a session that may wait for a large one.
private let waitingHostChangesMax = 20

/// Bytes of a patch.
private let patchByteCountMax = 262_144

/// What the changes of definitions and notes have in common.
/// - Source: protocol.md, "The host changes the picker".
extension Hub {
  /// - Returns: `false` if the session has had its changes of this second.
  func countHostChange(of hosted: HostedSession) -> Bool {
    hosted.hostRate.count(at: now.machine, countMax: hostChangesPerSecond) == .within
  }

  /// Does something as soon as no change of the host waits for the log, so that it is checked
  /// against what that change has made.
  func afterHostChanges(
    of hosted: HostedSession, failure: @escaping (HubProblem) -> Void,
    body: @escaping (HostedSession) -> Void
  ) {
    if hosted.isPreparingHostChange {
      guard hosted.waitingHostChanges.count < waitingHostChangesMax else {
        return failure(.tooMany)
      }
      return hosted.waitingHostChanges.append { [unowned self] in
        afterHostChanges(of: hosted, failure: failure, body: body)
      }
    }
    guard hosted.phase == .open else {
      return failure(hosted.isEnding ? .noSuchSession : .unavailable)
    }
    guard hosted.hasPendingHostChange else { return body(hosted) }
    enqueue(
      .request { [unowned self] hosted in
        guard let hosted else { return failure(.unavailable) }
        afterHostChanges(of: hosted, failure: failure, body: body)
      }, in: hosted, at: now)
  }

  /// Lets the changes go on that waited for a large one.
  func resumeHostChanges(of hosted: HostedSession) {
    let waiting = hosted.waitingHostChanges
    hosted.waitingHostChanges = []
    for change in waiting { change() }
  }

  func appendHostChange(
    _ body: LogEntry.Body, to hosted: HostedSession,
    answer: @escaping (Result<DefinitionAnswer, HubProblem>) -> Void
  ) throws(HubProblem) {
    let isStored = append(body, to: hosted, at: now) { [unowned self] effects in
      guard let effects else {
        return answer(.failure(hosted.isEnding ? .noSuchSession : .unavailable))
      }
      answer(.success(changed(by: effects, hosted.session.fold)))
    }
    if !isStored { throw hosted.isLogFull ? .logFull : .unavailable }
  }

  private func changed(by effects: [SessionEffect], _ fold: SessionFold) -> DefinitionAnswer {
    var delta: Delta?
    for case .broadcast(let found) in effects where !found.isTick { delta = found }
    let body = HTTPDocument.changed(
      delta, fold, texts: languages.texts(for: nil, fallback: fold.definition.locale),
      windowRows: limits.session.windowRows)
    return DefinitionAnswer(version: fold.version, body: body)
  }
}

/// The host reads and changes a session's notes.
extension Hub {
  package func readNotes(
    of id: SessionID, token: String?, at time: HubTime,
    answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    find(id, token: token, needs: .viewer, at: time, failure: { answer(.failure($0)) }) { hosted in
      answer(.success(HTTPDocument.notes(hosted.session.fold)))
    }
  }

  package func changeNotes(
    of id: SessionID, _ request: DefinitionRequest, token: String?, at time: HubTime,
    answer: @escaping (Result<DefinitionAnswer, HubProblem>) -> Void
  ) {
    find(id, token: token, needs: .owner, at: time, failure: { answer(.failure($0)) }) {
      [unowned self] hosted in
      guard countHostChange(of: hosted) else { return answer(.failure(.tooMany)) }
      afterHostChanges(of: hosted, failure: { answer(.failure($0)) }) { [unowned self] hosted in
        do throws(HubProblem) {
          try changeNotes(hosted, request, answer: answer)
        } catch {
          answer(.failure(error))
        }
      }
    }
  }

  private func changeNotes(
    _ hosted: HostedSession, _ request: DefinitionRequest,
    answer: @escaping (Result<DefinitionAnswer, HubProblem>) -> Void
  ) throws(HubProblem) {
    let patch = try request.read()
    if case .jsonPatch = request.format {
      throw .badRequest("notes are changed by application/merge-patch+json only")
    }
    let change: NotesChange
    do throws(BadNotes) {
      // No copy of the fold: it would share the notes, and to change them would copy them all.
      change = try hosted.session.fold.notes.change(
        by: patch, for: hosted.session.fold.definition.kind)
    } catch {
      throw .badRequest(error.detail)
    }
    if change.isEmpty { return answer(.success(unchanged(hosted.session.fold))) }
    try appendHostChange(.note(patch), to: hosted, answer: answer)
  }
}

extension DefinitionRequest {
  /// The body as JSON, whatever it means.
  func read() throws(HubProblem) -> JSONTree {
    if case .whole = format {
    } else if body.count > patchByteCountMax {
      throw .tooLarge("a patch may have \(patchByteCountMax) bytes")
    }
    if case .unknown(let type) = format {
      throw .badRequest(
        "\(type) is no type of a patch, which is application/merge-patch+json or "
          + "application/json-patch+json")
    }
    do throws(JSONError) {
      return try JSONTree.parse(body, depthMax: 128, valuesMax: valuesMax)
    } catch {
      throw .badRequest("the body is no JSON: \(error.reason), at byte \(error.offset)")
    }
  }
}
