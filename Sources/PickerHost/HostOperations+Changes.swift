import JSONText
package import PickerHub
import PickerModel
package import PickerSession
import PickerWire

/// The common part of changing definitions and notes.
/// - Source: web/guide/inventory.md.
extension HostOperations {
  /// Evaluates a change as soon as no other one is pending, if the host does not send too many.
  func evaluate(_ request: HostChangeRequest, in hosted: HostedSession) {
    guard hosted.hostChanges.count(at: seam.now.machine) else {
      return request.answer(.failure(.tooMany))
    }
    repeatChange(request, in: hosted)
  }

  /// Prepares a change on another thread: making 20,000 rows takes as long as many taps. Later
  /// changes of the session wait for it.
  func prepareHostChange<Value: Sendable>(
    of hosted: HostedSession, failure: @escaping (HubProblem) -> Void,
    _ work: @escaping @Sendable () throws(HubProblem) -> Value,
    then: @escaping (Value) throws(HubProblem) -> Void
  ) {
    hosted.hostChanges.begin()
    seam.inBackground {
      Result { () throws(HubProblem) in try work() }
    } then: { (result: Result<Value, HubProblem>) in
      hosted.hostChanges.end()
      do throws(HubProblem) {
        guard hosted.phase == .loaded else {
          throw hosted.loss
        }
        try then(try result.get())
      } catch {
        failure(error)
      }
      for change in hosted.hostChanges.takeWaiting() { change() }
    }
  }

  /// Appends a change, and answers with its delta.
  ///
  /// - Parameter request: Is evaluated again if the change has no effect because the definition has
  ///   become invalid with time.
  func appendHostChange(
    _ body: LogEntry.Body, to hosted: HostedSession, _ request: HostChangeRequest
  ) throws(HubProblem) {
    let isStored = seam.append(body, to: hosted) { effects in
      guard let effects else {
        return request.answer(.failure(hosted.loss))
      }
      var found: Delta?
      for case .delta(let delta) in effects where !delta.isTick { found = delta }
      if let found { return answer(request, found, in: hosted) }
      guard !body.hasNoDelta(in: hosted.session) else {
        return request.answer(.success(unchanged(hosted)))
      }
      repeatChange(request, in: hosted)
    }
    if !isStored { throw hosted.refusal }
  }

  /// Evaluates a change again, against the current state.
  private func repeatChange(_ request: HostChangeRequest, in hosted: HostedSession) {
    guard let next = request.next else { return request.answer(.failure(.tooMany)) }
    let failure: (HubProblem) -> Void = { request.answer(.failure($0)) }
    seam.afterFollowing(of: hosted, failure: failure) { hosted in
      seam.afterHostChanges(of: hosted, failure: failure) { hosted in
        do throws(HubProblem) {
          try next.evaluate(hosted, next)
        } catch {
          failure(error)
        }
      }
    }
  }

  /// Answers with the delta of a change.
  private func answer(
    _ request: HostChangeRequest, _ delta: Delta, in hosted: HostedSession
  ) {
    let version = hosted.session.fold.version
    let texts = seam.texts(for: nil, fallback: hosted.session.fold.definition.locale)
    let windowRows = seam.limits.session.windowRows
    let sight = hosted.session.fold.sight(of: nil, seesAll: request.seesParts)
    let encode: @Sendable () -> DefinitionAnswer = {
      let body = HTTPDocument.changed(
        delta, version: version, sight: sight, texts: texts, windowRows: windowRows)
      return DefinitionAnswer(
        version: version, body: body,
        shortBody: HTTPDocument.changed(revision: delta.revision, version: version))
    }
    self.encode(encode, ofWeight: delta.weight + delta.definitionWeight) {
      request.answer(.success($0))
    }
  }

  /// Encodes an answer, on another thread if it is large.
  ///
  /// - Parameter weight: A number of rows or notes.
  func encode<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, ofWeight weight: Int,
    then: @escaping (Value) -> Void
  ) {
    if weight > rowsOnLoop { seam.inBackground(work, then: then) } else { then(work()) }
  }
}

/// A request of the host to change a session.
struct HostChangeRequest {
  /// Evaluates the request against the current state, and appends the change.
  let evaluate: (HostedSession, HostChangeRequest) throws(HubProblem) -> Void
  let answer: (Result<DefinitionAnswer, HubProblem>) -> Void
  /// Whether its sender sees the parts of all members.
  let seesParts: Bool
  /// How often it may be evaluated again.
  private var repeatCountMax = 8

  init(
    seesParts: Bool = false, answer: @escaping (Result<DefinitionAnswer, HubProblem>) -> Void,
    evaluate: @escaping (HostedSession, HostChangeRequest) throws(HubProblem) -> Void
  ) {
    self.answer = answer
    self.seesParts = seesParts
    self.evaluate = evaluate
  }

  /// The request when it is evaluated again; `nil` if it had no effect too often.
  var next: HostChangeRequest? {
    guard repeatCountMax > 0 else { return nil }
    var next = self
    next.repeatCountMax -= 1
    return next
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
    of id: SessionID, token: Credential?, at time: HubTime,
    answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    seam.find(id, token: token, needs: .viewer, at: time, failure: { answer(.failure($0)) }) {
      hosted in
      let fold = hosted.session.fold
      let (notes, waiting) = (fold.notes, fold.decision.waitingNotes)
      let (kind, weight) = (fold.definition.kind, notes.days.count + notes.rowCount)
      encode(
        { notes.applying(waiting, for: kind).tree.serialized() },
        ofWeight: waiting.isEmpty ? weight : .max
      ) { answer(.success($0)) }
    }
  }

  package func changeNotes(
    of id: SessionID, _ request: DefinitionRequest, token: Credential?, at time: HubTime,
    answer: @escaping (Result<DefinitionAnswer, HubProblem>) -> Void
  ) {
    seam.find(id, token: token, needs: .owner, at: time, failure: { answer(.failure($0)) }) {
      hosted in
      evaluate(
        HostChangeRequest(answer: answer) { hosted, change throws(HubProblem) in
          try request.checkSize()
          try changeNotes(hosted, request, change)
        }, in: hosted)
    }
  }

  private func changeNotes(
    _ hosted: HostedSession, _ request: DefinitionRequest, _ change: HostChangeRequest
  ) throws(HubProblem) {
    let notes = PendingNotes(of: hosted.session)
    prepareHostChange(of: hosted, failure: { change.answer(.failure($0)) }) {
      () throws(HubProblem) in
      try NotesPatch(try request.readNotes()) { tree throws(BadNotes) in
        try notes.change(by: tree)
      }
    } then: { patch throws(HubProblem) in
      try append(patch, to: hosted, change)
    }
  }

  private func append(
    _ patch: NotesPatch, to hosted: HostedSession, _ change: HostChangeRequest
  ) throws(HubProblem) {
    if patch.changesNothing { return change.answer(.success(unchanged(hosted))) }
    guard seam.hasMemory(for: 1) else { throw .full(.sessionsBytes) }
    if let change = patch.change,
      hosted.session.fold.shared?.ownNotes.hasRoom(for: change) == false
    {
      throw .badRequest("the session would have too many notes of its own")
    }
    if hosted.session.fold.status == .confirming,
      !hosted.session.fold.decision.hasRoom(for: patch.tree)
    {
      throw .tooMany
    }
    try appendHostChange(.note(patch), to: hosted, change)
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
