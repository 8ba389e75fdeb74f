import JSONText
import PickerModel
package import PickerSession
import PickerWire

/// The maximum size of a patch in bytes.
private let patchByteCountMax = 262_144

/// The common part of changing definitions and notes.
/// - Source: protocol.md, "The host changes the picker".
extension Hub {
  /// Counts a change.
  ///
  /// - Returns: `false` if it is over the limit of changes in a second.
  func countHostChange(of hosted: HostedSession) -> Bool {
    hosted.hostChanges.count(at: now.machine)
  }

  /// Runs `body` as soon as no change of the host is pending, so that the next change is checked
  /// against the outcome of the previous one.
  func afterHostChanges(
    of hosted: HostedSession, failure: @escaping (HubProblem) -> Void,
    body: @escaping (HostedSession) -> Void
  ) {
    if hosted.hostChanges.isPreparing {
      let waits = hosted.hostChanges.wait { [unowned self] in
        afterHostChanges(of: hosted, failure: failure, body: body)
      }
      return waits ? () : failure(.tooMany)
    }
    guard hosted.phase == .open else {
      return failure(hosted.isEnding ? .noSuchSession : .unavailable)
    }
    guard hosted.steps.hasHostChange else { return body(hosted) }
    enqueue(
      .request { [unowned self] hosted in
        guard let hosted else { return failure(.unavailable) }
        afterHostChanges(of: hosted, failure: failure, body: body)
      }, in: hosted, at: now)
  }

  /// Prepares a large change on another thread. Later changes of the session wait for it.
  func prepareHostChange<Value: Sendable>(
    of hosted: HostedSession, failure: @escaping (HubProblem) -> Void,
    _ work: @escaping @Sendable () throws(HubProblem) -> Value,
    then: @escaping (Value) throws(HubProblem) -> Void
  ) {
    hosted.hostChanges.begin()
    port.inBackground {
      Result { () throws(HubProblem) in try work() }
    } then: { (result: Result<Value, HubProblem>) in
      hosted.hostChanges.end()
      do throws(HubProblem) {
        if hosted.phase != .open { throw hosted.isEnding ? .noSuchSession : .unavailable }
        try then(try result.get())
      } catch {
        failure(error)
      }
      for change in hosted.hostChanges.takeWaiting() { change() }
    }
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
    if !isStored { throw hosted.log.isFull ? .logFull : .unavailable }
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

/// Reading and changing the notes of a session.
extension Hub {
  package func readNotes(
    of id: SessionID, token: Credential?, at time: HubTime,
    answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    find(id, token: token, needs: .viewer, at: time, failure: { answer(.failure($0)) }) { hosted in
      answer(.success(HTTPDocument.notes(hosted.session.fold)))
    }
  }

  package func changeNotes(
    of id: SessionID, _ request: DefinitionRequest, token: Credential?, at time: HubTime,
    answer: @escaping (Result<DefinitionAnswer, HubProblem>) -> Void
  ) {
    find(id, token: token, needs: .owner, at: time, failure: { answer(.failure($0)) }) {
      [unowned self] hosted in
      guard countHostChange(of: hosted) else { return answer(.failure(.tooMany)) }
      afterHostChanges(of: hosted, failure: { answer(.failure($0)) }) { [unowned self] hosted in
        guard request.body.count > DefinitionRevision.bodyBytesOnLoop else {
          do throws(HubProblem) {
            return try changeNotes(hosted, by: try request.readNotes(), answer: answer)
          } catch {
            return answer(.failure(error))
          }
        }
        prepareHostChange(of: hosted, failure: { answer(.failure($0)) }) { () throws(HubProblem) in
          try request.readNotes()
        } then: { [unowned self] patch throws(HubProblem) in
          try changeNotes(hosted, by: patch, answer: answer)
        }
      }
    }
  }

  private func changeNotes(
    _ hosted: HostedSession, by patch: JSONTree,
    answer: @escaping (Result<DefinitionAnswer, HubProblem>) -> Void
  ) throws(HubProblem) {
    let change: NotesChange
    do throws(BadNotes) {
      // Through the session, not through a copy of the fold: with a second reference to the notes,
      // changing them would copy them all.
      let kind = hosted.session.fold.definition.kind
      if hosted.session.fold.decision.waitingNotes.isEmpty {
        change = try hosted.session.fold.notes.change(by: patch, for: kind)
      } else {
        change = try hosted.session.fold.notesToCome.change(by: patch, for: kind)
      }
    } catch {
      throw .badRequest(error.detail)
    }
    if change.isEmpty { return answer(.success(unchanged(hosted.session.fold))) }
    if hosted.session.fold.status == .confirming,
      !hosted.session.fold.decision.hasRoom(for: patch)
    {
      throw .tooMany
    }
    try appendHostChange(.note(patch), to: hosted, answer: answer)
  }
}

extension DefinitionRequest {
  /// The body as a merge patch of notes.
  func readNotes() throws(HubProblem) -> JSONTree {
    let patch = try read()
    if case .jsonPatch = format {
      throw .badRequest("a change of notes must be application/merge-patch+json")
    }
    return patch
  }

  /// The body, parsed as JSON; not validated further.
  func read() throws(HubProblem) -> JSONTree {
    if case .whole = format {
    } else if body.count > patchByteCountMax {
      throw .tooLarge("a patch may have at most \(patchByteCountMax) bytes")
    }
    if case .unknown(let type) = format {
      throw .badRequest(
        "the media type \(type) is not a patch format; send application/merge-patch+json or "
          + "application/json-patch+json")
    }
    do throws(JSONError) {
      return try JSONTree.parse(body, depthMax: 128, valuesMax: valuesMax)
    } catch {
      throw .badRequest("the body is not JSON: \(error.reason), at byte \(error.offset)")
    }
  }
}
