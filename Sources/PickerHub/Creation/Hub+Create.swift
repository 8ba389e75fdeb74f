import CivilTime
import JSONText
import PickerModel
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
extension Hub {
  /// Creates a session, or finds the one that the same request has created.
  ///
  /// - Parameter answer: Called when the log has stored the creation.
  package func create(
    _ request: CreationRequest, at time: HubTime,
    answer: @escaping (Result<CreatedSession, HubProblem>) -> Void
  ) {
    now = time
    guard !isDraining else { return answer(.failure(.unavailable)) }
    let host = request.body.host
    // No header contains U+0000.
    let prefix = host.namespace.map { $0 + "\0" } ?? ""
    let names = SessionIndex.Names(
      external: host.external, namespace: host.namespace,
      key: request.key.map { identities.hash(prefix + $0.text).bytes })
    let reservation = shard.names.use { index in
      index.reserve(names, at: time.session, waiter: request.retry)
    }
    switch reservation {
    case .waits: return
    case .taken(let id): answer(.failure(.externalTaken(id)))
    case .known(let known): answer(repeated(known, request))
    case .full: answer(.failure(.full))
    case .free(let ordinal):
      guard isShared, names.isUnique else {
        return create(reserved: request, names, ordinal: ordinal, answer: answer)
      }
      nonisolated(unsafe) let (hub, answer) = (self, answer)
      log.find(names, hub: shard.index) { outcome in
        hub.create(request, names, ordinal: ordinal, unless: outcome, answer: answer)
      }
    }
  }

  /// Creates a session, unless another node has created one with its names.
  private func create(
    _ request: CreationRequest, _ names: SessionIndex.Names, ordinal: Int64,
    unless owner: LogLookup<NameOwner>,
    answer: @escaping (Result<CreatedSession, HubProblem>) -> Void
  ) {
    let found: Result<CreatedSession, HubProblem>
    switch owner {
    case .absent: return create(reserved: request, names, ordinal: ordinal, answer: answer)
    case .found(.session(let id)): found = .failure(.externalTaken(id))
    case .found(.key(let known)): found = repeated(known, request)
    case .elsewhere, .unavailable, .unreadable: found = .failure(.unavailable)
    }
    shard.names.use { $0.release(names) }
    answer(found)
  }

  /// Creates a session whose names are reserved.
  private func create(
    reserved request: CreationRequest, _ names: SessionIndex.Names, ordinal: Int64,
    answer: @escaping (Result<CreatedSession, HubProblem>) -> Void
  ) {
    let create: (SharedPart?) -> Void = { [unowned self] part in
      do throws(HubProblem) {
        try self.create(request, part, names, ordinal: ordinal, answer: answer)
      } catch {
        shard.names.use { $0.release(names) }
        answer(.failure(error))
      }
    }
    guard let name = request.body.uses else { return create(nil) }
    readShared(name, for: request.body) { [unowned self] result in
      switch result {
      case .success(let part): create(part)
      case .failure(let problem):
        shard.names.use { $0.release(names) }
        answer(.failure(problem))
      }
    }
  }

  /// The part of a creation that comes from a shared definition.
  private struct SharedPart {
    let uses: SharedUse
    let notes: Notes
    let document: JSONTree
    /// The definition, if another thread has made it.
    let definition: PreparedDefinition?
  }

  /// Reads a shared definition, and makes that of a session which uses it.
  ///
  /// - Parameter body: Has what is merged over it.
  private func readShared(
    _ name: String, for body: CreateRequest,
    completion: @escaping (Result<SharedPart, HubProblem>) -> Void
  ) {
    following.creationCount += 1
    nonisolated(unsafe) let (hub, completion) = (
      self,
      { [unowned self] (result: Result<SharedPart, HubProblem>) in
        completion(result)
        following.creationCount -= 1
      }
    )
    log.shared(name, hub: shard.index) { outcome in
      switch outcome {
      case .found(let shared): hub.prepare(shared, for: body, completion: completion)
      case .absent: completion(.failure(.noSuchDefinition))
      case .elsewhere, .unavailable, .unreadable: completion(.failure(.unavailable))
      }
    }
  }

  private func prepare(
    _ shared: SharedDefinition, for body: CreateRequest,
    completion: @escaping (Result<SharedPart, HubProblem>) -> Void
  ) {
    let own = body.definition
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
    guard shared.weight > DefinitionRevision.weightOnLoop, let maker else {
      let document = shared.document.merging(own)
      return completion(
        .success(SharedPart(uses: uses, notes: notes, document: document, definition: nil)))
    }
    let now = now.session
    port.inBackground {
      maker.prepare(shared.document.merging(own), at: now)
    } then: { definition in
      completion(
        .success(SharedPart(uses: uses, notes: notes, document: .null, definition: definition)))
    }
  }

  /// The response to the first of several equal requests, once more.
  private func repeated(
    _ known: CreationKey, _ request: CreationRequest
  ) -> Result<CreatedSession, HubProblem> {
    guard let key = request.key, key.bodyHash == known.bodyHash else { return .failure(.keyReused) }
    let body = HTTPDocument.created(
      known.session, epoch: known.epoch, revision: 0,
      socket: "\(request.socketBase)/v1/sessions/\(known.session)",
      tokens: admission.newAccess(from: key.text, salt: known.salt, &identities).tokens)
    return .success(CreatedSession(id: known.session, body: body, isNew: false))
  }

  /// - Throws: Why not. The answer has not been called then.
  private func create(
    _ request: CreationRequest, _ part: SharedPart?, _ names: SessionIndex.Names, ordinal: Int64,
    answer: @escaping (Result<CreatedSession, HubProblem>) -> Void
  ) throws(HubProblem) {
    if let shared = log.sharedCount, isFull(shared, for: names) { throw .full }
    guard shard.total.take(max: limits.sessions) else { throw .full }
    // The directory counts the session itself; this only reserved room for it.
    defer { shard.total.add(-1) }
    let salt = request.key == nil ? "" : identities.text()
    let (access, tokens) = admission.newAccess(from: request.key?.text, salt: salt, &identities)
    let fold = try fold(of: request, part, access)
    let hosted = directory.host(fold, at: now)
    guard directory.hasRoom(for: hosted) else { throw .full }
    var origin = fold.origin
    let created = CreatedSession(
      id: origin.id,
      body: HTTPDocument.created(
        origin.id, epoch: origin.epoch, revision: 0,
        socket: "\(request.socketBase)/v1/sessions/\(origin.id)", tokens: tokens), isNew: true)
    let key = request.key.map { key in
      CreationKey(
        keyHash: names.key ?? [], bodyHash: key.bodyHash, session: origin.id, epoch: origin.epoch,
        salt: salt, at: now.session, forgotten: shard.names.use { $0.makeRoomForKey() })
    }
    (origin.ordinal, origin.key) = (ordinal, key)
    let entry = SessionIndex.Entry(
      id: origin.id, ordinal: ordinal, external: origin.host.external,
      namespace: origin.host.namespace, status: .open)
    switch log.append(.created(origin), of: origin.id) {
    case .storeFull: throw .storeFull
    case .failed, .full, .exhausted: throw .unavailable
    case .stored:
      directory.create(hosted, isStored: true)
      opened(hosted, entry, key)
      answer(.success(created))
    case .pending:
      directory.create(hosted, isStored: false)
      hosted.steps.append(
        .created { [unowned self] outcome in
          switch outcome {
          case .stored:
            directory.created(hosted)
            opened(hosted, entry, key)
            answer(.success(created))
          case .lost:
            shard.names.use { $0.release(names) }
            answer(.failure(.unavailable))
          case .refused:
            shard.names.use { $0.release(names) }
            request.retry()
          }
        })
    }
  }

  /// Whether the sessions or the idempotency keys of all nodes are at their maximum.
  private func isFull(_ shared: SharedCount, for names: SessionIndex.Names) -> Bool {
    if shared.sessions >= limits.sessions { return true }
    return names.key != nil && !shard.names.use { $0.mayAddKey(to: shared.keys) }
  }

  private func fold(
    of request: CreationRequest, _ part: SharedPart?, _ access: SessionOrigin.Access
  ) throws(HubProblem) -> SessionFold {
    let body = request.body
    do throws(DefinitionProblem) {
      let definition = try define(
        part?.document ?? body.definition, part == nil ? request.definition : part?.definition)
      var origin = SessionOrigin(
        id: newID(), epoch: identities.text(), definition: definition,
        title: body.title, notes: part?.notes ?? body.notes, ttlSeconds: body.ttlSeconds,
        openTap: body.openTap, access: access, createdAt: now.session, host: body.host)
      origin.uses = part?.uses
      return try SessionFold(origin, limits: limits.session)
    } catch {
      throw .badDefinition(error)
    }
  }

  private func opened(_ hosted: HostedSession, _ entry: SessionIndex.Entry, _ key: CreationKey?) {
    feedCreation(of: hosted)
    if isShared {
      // The log has the names.
      let names = SessionIndex.Names(
        external: entry.external, namespace: entry.namespace, key: key?.keyHash)
      shard.names.use { $0.release(names) }
    } else {
      shard.names.use { $0.add(entry, key: key) }
    }
    schedule.addExpiry(of: hosted.id, due: hosted.expiresAt, at: now)
    queueTick(of: hosted)
    followNow(hosted)
    evictSoon(hosted)
  }

  /// A random id that belongs to this hub's shard.
  private func newID() -> SessionID {
    while true {
      let id = SessionID(identities.text())
      if shard.has(id) { return id }
    }
  }
}

extension Hub {
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

/// What a host asks about sessions that it has created.
extension Hub {
  /// Finds the session with an external id.
  ///
  /// - Parameter answer: Called on the hub's thread.
  package func find(
    external: String, namespace: String?, answer: @escaping (Result<SessionID, HubProblem>) -> Void
  ) {
    guard isShared else {
      let id = shard.names.use { $0.session(external: external, namespace: namespace) }
      return answer(id.map { .success($0) } ?? .failure(.noSuchSession))
    }
    nonisolated(unsafe) let answer = answer
    let names = SessionIndex.Names(external: external, namespace: namespace, key: nil)
    log.find(names, hub: shard.index) { outcome in
      switch outcome {
      case .found(.session(let id)): answer(.success(id))
      case .found(.key), .absent: answer(.failure(.noSuchSession))
      case .elsewhere, .unavailable, .unreadable: answer(.failure(.unavailable))
      }
    }
  }

  /// The answer to the creation of an existing session, without tokens.
  ///
  /// - Parameter bodyDigest: That of the request's body.
  package func describe(
    _ id: SessionID, socketBase: String, bodyDigest: [UInt8]? = nil, at time: HubTime,
    answer: @escaping (Result<CreatedSession, HubProblem>) -> Void
  ) {
    now = time
    let describeAt = { (fold: SessionFold) in
      let created = fold.origin.host.bodyDigest
      let body = HTTPDocument.created(
        id, epoch: fold.origin.epoch, revision: fold.revision,
        socket: "\(socketBase)/v1/sessions/\(id)", tokens: [],
        differs: created != nil && created != bodyDigest)
      answer(.success(CreatedSession(id: id, body: body, isNew: false)))
    }
    let describe: (HostedSession?) -> Void = { [unowned self] hosted in
      if let hosted, !hosted.isEnding {
        return describeAt(hosted.session.fold)
      }
      guard hosted == nil, lookups.isElsewhere(id, at: now.machine) else {
        return answer(.failure(absence(of: id)))
      }
      nonisolated(unsafe) let (hub, describeAt, answer) = (self, describeAt, answer)
      log.describe(id, limits: limits.session, hub: shard.index) { found in
        guard let found else { return answer(.failure(hub.absence(of: id))) }
        describeAt(found)
      }
    }
    whenLoaded(id) { [unowned self] hosted in
      // A session that ends has its names until its end is stored.
      guard let hosted, hosted.phase == .ending else { return describe(hosted) }
      enqueue(.request(describe), in: hosted, at: now)
    }
  }

  /// Loads sessions, so that the index knows their status.
  ///
  /// - Parameter completion: Gets those that exist and cannot be loaded.
  package func load(
    _ ids: [SessionID], at time: HubTime, completion: @escaping (_ unreadable: [SessionID]) -> Void
  ) {
    now = time
    var remaining = ids.count
    var unreadable: [SessionID] = []
    for id in ids {
      whenLoaded(id) { [unowned self] hosted in
        if hosted == nil && mayExist(id) { unreadable.append(id) }
        remaining -= 1
        if remaining == 0 { completion(unreadable) }
      }
    }
  }
}
