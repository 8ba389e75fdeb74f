import JSONText
package import PickerHub
import PickerModel
package import PickerSession
import PickerWire

/// The parts of a session's document, which a host reads and changes apart.
package enum DocumentPart: Sendable {
  case definition, notes
}

/// Reading and changing documents.
/// - Source: web/guide/inventory.md.
extension HostOperations {
  package func read(
    _ part: DocumentPart, of id: SessionID, token: Credential?, at time: HubTime
  ) async throws(HubProblem) -> DocumentAnswer {
    let session = try await seam.find(id, token: token, needs: .viewer, at: time).session
    let fold = session.fold
    switch part {
    case .definition:
      let (definition, seesAll) = (fold.definition, seam.allowsChange(token, of: session))
      let body = await encode(ofWeight: definition.weight) { definition.fullJSON(seesAll: seesAll) }
      return DocumentAnswer(version: fold.version, body: body)
    case .notes:
      let (notes, waiting, kind) = (fold.notes, fold.decision.waitingNotes, fold.definition.kind)
      let weight = waiting.isEmpty ? notes.days.count + notes.rowCount : .max
      let body = await encode(ofWeight: weight) {
        notes.applying(waiting, for: kind).tree.serialized()
      }
      return DocumentAnswer(version: nil, body: body)
    }
  }

  /// Changes a part of a session's document.
  ///
  /// - Returns: When the log has stored it, and it is applied.
  package func change(
    _ part: DocumentPart, of id: SessionID, _ request: DocumentRequest, token: Credential?,
    at time: HubTime
  ) async throws(HubProblem) -> DocumentAnswer {
    let hosted = try await seam.find(id, token: token, needs: .owner, at: time)
    let seesParts = seam.seesParts(token, of: hosted.session)
    return try await change(hosted, seesParts: seesParts) { hosted throws(HubProblem) in
      try request.checkSize()
      let revision = DocumentRevision(request, maker: seam.maker, at: seam.now.session)
      switch part {
      case .definition:
        return try await definition(of: hosted, request, revision).map {
          DocumentChange(definition: $0)
        }
      case .notes: return try await notes(of: hosted, revision).map { DocumentChange(notes: $0) }
      }
    }
  }

  /// The version of a shared definition that a request wants; see
  /// ``DocumentRevision/draft(_:replacing:)``.
  package func draft(
    _ name: String, replacing current: SharedDefinition?, _ request: DocumentRequest,
    at time: HubTime
  ) async throws(HubProblem) -> SharedDraft? {
    try request.checkSize()
    let revision = DocumentRevision(request, maker: seam.maker, at: time.session)
    return try await inBackground { () throws(HubProblem) in
      try revision.draft(name, replacing: current)
    }
  }

  private func definition(
    of hosted: HostedSession, _ request: DocumentRequest, _ revision: DocumentRevision
  ) async throws(HubProblem) -> DefinitionChange? {
    let shared = try await sharedBelow(request, of: hosted)
    let (fold, isStored) = (hosted.session.fold, seam.log.canLoad)
    let current = DocumentRevision.Current(
      definition: fold.definition, version: fold.version, own: fold.shared?.own, shared: shared)
    let change = try await inBackground { () throws(HubProblem) in
      try revision.change(of: current, isStored: isStored)
    }
    guard let change else { return nil }
    // It counts already.
    guard seam.hasMemory(for: 0) else { throw .full(.sessionsBytes) }
    return change
  }

  /// The shared definition, for a patch of the session's own part.
  private func sharedBelow(
    _ request: DocumentRequest, of hosted: HostedSession
  ) async throws(HubProblem) -> SharedDefinition? {
    guard case .mergePatch = request.format, let name = hosted.session.fold.origin.uses?.name else {
      return nil
    }
    let outcome = await answered {
      seam.log.shared(name, hub: seam.shard.index, completion: $0)
    }
    guard case .found(let shared) = outcome else { throw .unavailable }
    return shared
  }

  /// - Returns: `nil` if the patch changes nothing.
  private func notes(
    of hosted: HostedSession, _ revision: DocumentRevision
  ) async throws(HubProblem) -> NotesPatch? {
    let notes = PendingNotes(of: hosted.session)
    let patch = try await inBackground { () throws(HubProblem) in
      try revision.change { tree throws(BadNotes) in try notes.change(by: tree) }
    }
    if patch.changesNothing { return nil }
    guard seam.hasMemory(for: 1) else { throw .full(.sessionsBytes) }
    let fold = hosted.session.fold
    if let change = patch.change, fold.shared?.ownNotes.hasRoom(for: change) == false {
      throw .badRequest("the session would have too many notes of its own")
    }
    if fold.status == .confirming, !fold.decision.hasRoom(for: patch.tree) { throw .tooMany }
    return patch
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
