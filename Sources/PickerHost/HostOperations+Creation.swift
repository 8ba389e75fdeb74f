import CivilTime
import JSONText
import PickerModel
package import PickerHub
package import PickerSession
package import PickerWire

/// The response to a creation.
package struct CreatedSession: Sendable {
  package let id: SessionID
  /// JSON.
  package let body: [UInt8]
  /// Whether this request has created it.
  package let isNew: Bool
}

/// A request for a new session.
package struct CreationRequest {
  package var body: CreateRequest
  /// The definition, if a ``DefinitionMaker`` made it already.
  package let definition: PreparedDefinition?
  /// The WebSocket URL before `/v1/sessions/…`: `ws://host:port`.
  package let socketBase: String
  /// The `Idempotency-Key`, and the hash of the body.
  package let key: (text: String, bodyHash: [UInt8])?
  /// Called on any thread if another creation with the same key or external id is not stored yet,
  /// or was stored first: then the request must be made again. Its answer has not been called.
  package var retry: SessionIndex.Waiter

  package init(
    _ body: CreateRequest, definition: PreparedDefinition? = nil, socketBase: String,
    key: (text: String, bodyHash: [UInt8])? = nil, retry: @escaping SessionIndex.Waiter = {}
  ) {
    self.body = body
    self.definition = definition
    self.socketBase = socketBase
    self.key = key
    self.retry = retry
  }
}

/// Creation that a host can rely on: however often a request is sent and whenever the server is
/// killed, there is one session.
///
/// - Source: web/guide/README.md, "HTTP API and server-sent events".
extension HostOperations {
  /// Creates a session, or finds the one that the same request has created.
  ///
  /// - Parameter answer: Called when the log has stored the creation.
  package func create(
    _ request: CreationRequest, at time: HubTime,
    answer: @escaping (Result<CreatedSession, HubProblem>) -> Void
  ) {
    seam.begin(at: time)
    guard !seam.isDraining else { return answer(.failure(.unavailable)) }
    let host = request.body.host
    // No header contains U+0000.
    let prefix = host.namespace.map { $0 + "\0" } ?? ""
    let names = SessionIndex.Names(
      external: host.external, namespace: host.namespace,
      key: request.key.map { seam.digest(of: Array((prefix + $0.text).utf8)) })
    let reservation = seam.shard.names.use { index in
      index.reserve(names, at: time.session, waiter: request.retry)
    }
    switch reservation {
    case .waits: return
    case .taken(let id): answer(.failure(.externalTaken(id)))
    case .known(let known): answer(repeated(known, request))
    case .full: answer(.failure(.full(.keys)))
    case .free(let ordinal):
      guard seam.isClustered, names.isUnique else {
        return createReserved(request, names, ordinal: ordinal, answer: answer)
      }
      nonisolated(unsafe) let (host, answer) = (self, answer)
      seam.log.find(names, hub: seam.shard.index) { outcome in
        host.createUnlessOwned(request, names, ordinal: ordinal, by: outcome, answer: answer)
      }
    }
  }

  /// Creates a session, unless another node has created one with its names.
  private func createUnlessOwned(
    _ request: CreationRequest, _ names: SessionIndex.Names, ordinal: Int64,
    by owner: LogLookup<NameOwner>,
    answer: @escaping (Result<CreatedSession, HubProblem>) -> Void
  ) {
    let found: Result<CreatedSession, HubProblem>
    switch owner {
    case .absent: return createReserved(request, names, ordinal: ordinal, answer: answer)
    case .found(.session(let id)): found = .failure(.externalTaken(id))
    case .found(.key(let known)): found = repeated(known, request)
    case .elsewhere, .unavailable, .unreadable: found = .failure(.unavailable)
    }
    seam.shard.names.use { $0.release(names) }
    answer(found)
  }

  /// Creates a session whose names are reserved.
  private func createReserved(
    _ request: CreationRequest, _ names: SessionIndex.Names, ordinal: Int64,
    answer: @escaping (Result<CreatedSession, HubProblem>) -> Void
  ) {
    let open: (SharedPart?) -> Void = { part in
      do throws(HubProblem) {
        try self.open(request, part, names, ordinal: ordinal, answer: answer)
      } catch {
        seam.shard.names.use { $0.release(names) }
        answer(.failure(error))
      }
    }
    guard let name = request.body.uses else { return open(nil) }
    readShared(name, for: request.body) { result in
      switch result {
      case .success(let part): open(part)
      case .failure(let problem):
        seam.shard.names.use { $0.release(names) }
        answer(.failure(problem))
      }
    }
  }

  /// The part of a creation that comes from a shared definition.
  private struct SharedPart {
    let uses: SharedUse
    let notes: Notes
    let definition: PreparedDefinition
  }

  /// Reads a shared definition, and makes that of a session which uses it.
  ///
  /// - Parameter body: Has what is merged over it.
  private func readShared(
    _ name: String, for body: CreateRequest,
    completion: @escaping (Result<SharedPart, HubProblem>) -> Void
  ) {
    seam.readsShared(1)
    nonisolated(unsafe) let (host, completion) = (
      self,
      { (result: Result<SharedPart, HubProblem>) in
        completion(result)
        seam.readsShared(-1)
      }
    )
    seam.log.shared(name, hub: seam.shard.index) { outcome in
      switch outcome {
      case .found(let shared): host.prepare(shared, for: body, completion: completion)
      case .absent: completion(.failure(.noSuchDefinition))
      case .elsewhere, .unavailable, .unreadable: completion(.failure(.unavailable))
      }
    }
  }

  private func prepare(
    _ shared: SharedDefinition, for body: CreateRequest,
    completion: @escaping (Result<SharedPart, HubProblem>) -> Void
  ) {
    // Null means the shared value.
    let own = JSONTree.object([]).merging(body.definition)
    if let kind = own["kind"], kind.string != shared.kind?.rawValue {
      let problem = DefinitionProblem(
        pointer: "/kind", detail: "kind is that of the shared definition; leave it out")
      return completion(.failure(.badDefinition(problem)))
    }
    var ownNotes = OwnNotes()
    let notes: Notes
    do throws(BadNotes) {
      if !body.notes.isEmpty {
        ownNotes.add(try Notes().change(by: body.notes.tree, for: shared.kind))
      }
      notes = try ownNotes.over(shared.notes)
    } catch {
      return completion(.failure(.badRequest(error.detail)))
    }
    let uses = SharedUse(
      name: shared.name, version: shared.version, own: own, ownNotes: ownNotes)
    let (maker, now) = (seam.maker, seam.now.session)
    seam.inBackground {
      maker.prepare(shared.document.merging(own), at: now)
    } then: { definition in
      completion(.success(SharedPart(uses: uses, notes: notes, definition: definition)))
    }
  }

  /// The response to the first of several equal requests, once more.
  private func repeated(
    _ known: CreationKey, _ request: CreationRequest
  ) -> Result<CreatedSession, HubProblem> {
    guard let key = request.key, key.bodyHash == known.bodyHash else { return .failure(.keyReused) }
    let tokens: CreatedTokens
    do throws(HubProblem) {
      tokens = try seam.newAccess(
        isOwned: request.body.isOwnedByCreator, from: key.text, salt: known.salt
      ).tokens
    } catch {
      return .failure(error)
    }
    let body = HTTPDocument.created(
      known.session, epoch: known.epoch, revision: 0,
      socket: "\(request.socketBase)/v1/sessions/\(known.session)", tokens: tokens)
    return .success(CreatedSession(id: known.session, body: body, isNew: false))
  }

  /// - Throws: Why not. The answer has not been called then.
  private func open(
    _ request: CreationRequest, _ part: SharedPart?, _ names: SessionIndex.Names, ordinal: Int64,
    answer: @escaping (Result<CreatedSession, HubProblem>) -> Void
  ) throws(HubProblem) {
    let salt = request.key == nil ? "" : seam.text()
    let (access, tokens) = try seam.newAccess(
      isOwned: request.body.isOwnedByCreator, from: request.key?.text, salt: salt)
    let fold = try fold(of: request, part, access)
    let origin = fold.origin
    let key = request.key.map { key in
      CreationKey(
        keyHash: names.key ?? [], bodyHash: key.bodyHash, session: origin.id, epoch: origin.epoch,
        salt: salt, at: seam.now.session,
        forgotten: seam.shard.names.use { $0.makeRoomForKey() })
    }
    try seam.open(fold, names, ordinal: ordinal, key: key) { outcome in
      switch outcome {
      case .stored:
        let body = HTTPDocument.created(
          origin.id, epoch: origin.epoch, revision: 0,
          socket: "\(request.socketBase)/v1/sessions/\(origin.id)", tokens: tokens)
        answer(.success(CreatedSession(id: origin.id, body: body, isNew: true)))
      case .lost: answer(.failure(.unavailable))
      case .refused: request.retry()
      }
    }
  }

  private func fold(
    of request: CreationRequest, _ part: SharedPart?, _ access: SessionOrigin.Access
  ) throws(HubProblem) -> SessionFold {
    let body = request.body
    do throws(DefinitionProblem) {
      let definition = try seam.define(
        body.definition, part?.definition ?? request.definition)
      var origin = SessionOrigin(
        id: seam.newID(), epoch: seam.text(), definition: definition,
        title: body.title, notes: part?.notes ?? body.notes, ttlSeconds: body.ttlSeconds,
        openTap: body.openTap, access: access, createdAt: seam.now.session, host: body.host)
      origin.uses = part?.uses
      origin.result = body.result
      return try SessionFold(origin, limits: seam.limits.session)
    } catch {
      throw .badDefinition(error)
    }
  }

  /// Creates a session without an idempotency key.
  ///
  /// - Parameters: As those of ``CreationRequest``.
  package func create(
    _ request: CreateRequest, definition: PreparedDefinition? = nil, socketBase: String,
    at time: HubTime, answer: @escaping (Result<CreatedSession, HubProblem>) -> Void
  ) {
    create(
      CreationRequest(request, definition: definition, socketBase: socketBase), at: time,
      answer: answer)
  }
}

/// Ending sessions.
extension HostOperations {
  /// Ends a session.
  package func delete(
    _ id: SessionID, token: Credential?, at time: HubTime,
    answer: @escaping (Result<Void, HubProblem>) -> Void
  ) {
    seam.find(
      id, token: token, needs: .owner, isDeletion: true, at: time,
      failure: { answer(.failure($0)) }
    ) { hosted in
      seam.denyConfirmation(of: hosted)
      // The denial may have ended or unloaded the session: its log may be full or unavailable.
      guard hosted.phase == .loaded else {
        return answer(hosted.isEnding ? .success(()) : .failure(.unavailable))
      }
      // The end follows the denial, so that the feed reports both.
      seam.afterSteps(of: hosted) { hosted in
        guard let hosted else {
          return answer(seam.mayExist(id) ? .failure(.unavailable) : .success(()))
        }
        seam.end(hosted, completion: answer)
      }
    }
  }
}
