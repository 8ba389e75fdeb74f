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
  /// Runs a step on the hub's thread; called on any thread, when another creation with the same key
  /// or external id has been decided about. The creation continues there. Default: runs nothing, so
  /// that a creation which must wait is never answered.
  package let onHub: @Sendable (@escaping @Sendable () -> Void) -> Void

  package init(
    _ body: CreateRequest, definition: PreparedDefinition? = nil, socketBase: String,
    key: (text: String, bodyHash: [UInt8])? = nil,
    onHub: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in }
  ) {
    self.body = body
    self.definition = definition
    self.socketBase = socketBase
    self.key = key
    self.onHub = onHub
  }
}

/// Creation that a host can rely on: however often a request is sent and whenever the server is
/// killed, there is one session.
///
/// - Source: web/guide/README.md, "HTTP API and server-sent events".
extension HostOperations {
  /// Creates a session, or finds the one that the same request has created. Returns when the log
  /// has stored the creation.
  package func create(
    _ request: CreationRequest, at time: HubTime
  ) async throws(HubProblem) -> CreatedSession {
    seam.begin(at: time)
    for number in 1...HostOperations.creationsMax {
      guard !seam.isDraining else { throw .unavailable }
      if let created = try await attempt(request, isFirst: number == 1) { return created }
    }
    throw .unavailable
  }

  /// How often a creation is tried whose names another one has, or which the log refuses because of
  /// its names or its shared definition.
  private static let creationsMax = 8

  /// Creates a session without an idempotency key.
  ///
  /// - Parameters: As those of ``CreationRequest``.
  package func create(
    _ request: CreateRequest, definition: PreparedDefinition? = nil, socketBase: String,
    at time: HubTime
  ) async throws(HubProblem) -> CreatedSession {
    try await create(
      CreationRequest(request, definition: definition, socketBase: socketBase), at: time)
  }

  /// - Returns: `nil` if another creation with the same names has been decided about meanwhile.
  private func attempt(
    _ request: CreationRequest, isFirst: Bool
  ) async throws(HubProblem) -> CreatedSession? {
    let host = request.body.host
    // No header contains U+0000.
    let prefix = host.namespace.map { $0 + "\0" } ?? ""
    let names = SessionIndex.Names(
      external: host.external, namespace: host.namespace,
      key: request.key.map { seam.digest(of: Array((prefix + $0.text).utf8)) })
    switch await reserve(names, for: request) {
    case .waits: return nil
    case .taken(let id): throw .externalTaken(id)
    case .known(let known): return try repeated(known, request)
    case .full: throw .full(.keys)
    case .free(let ordinal):
      let opening: (outcome: CreationOutcome, session: CreatedSession)
      do throws(HubProblem) {
        // The log may have a key that the memory has forgotten.
        if seam.isClustered || !isFirst, let known = try await known(names) {
          let first = try repeated(known, request)
          seam.shard.names.use { $0.release(names) }
          return first
        }
        let part = try await sharedPart(of: request.body)
        opening = try await open(request, part, names, ordinal: ordinal)
      } catch {
        seam.shard.names.use { $0.release(names) }
        throw error
      }
      switch opening.outcome {
      case .stored: return opening.session
      case .lost: throw .unavailable
      case .refused: return nil
      }
    }
  }

  /// Reserves the names of a creation, or waits for another one that has reserved them.
  private func reserve(
    _ names: SessionIndex.Names, for request: CreationRequest
  ) async -> SessionIndex.Reservation {
    await answered { answer in
      let (now, onHub) = (seam.now.session, request.onHub)
      let reservation = seam.shard.names.use { index in
        index.reserve(names, at: now) { onHub { answer(.waits) } }
      }
      if case .waits = reservation { return }
      answer(reservation)
    }
  }

  /// The part of a creation that comes from a shared definition.
  private struct SharedPart {
    let uses: SharedUse
    let notes: Notes
    let definition: PreparedDefinition
    /// The inventory from which the session will take.
    let inventory: (settings: InventorySettings, counts: InventoryChange)?
  }

  /// The key with which a session was created already, as the log knows; `nil` if none was.
  private func known(_ names: SessionIndex.Names) async throws(HubProblem) -> CreationKey? {
    guard names.isUnique else { return nil }
    switch await answered({ seam.log.find(names, hub: seam.shard.index, completion: $0) }) {
    case .absent: return nil
    case .found(.session(let id)): throw .externalTaken(id)
    case .found(.key(let known)): return known
    case .elsewhere, .unavailable, .unreadable: throw .unavailable
    }
  }

  /// Reads the shared definition that a creation uses, if any, and makes the session's own.
  private func sharedPart(of body: CreateRequest) async throws(HubProblem) -> SharedPart? {
    guard let name = body.uses else { return nil }
    seam.readsShared(1)
    defer { seam.readsShared(-1) }
    let outcome = await answered {
      seam.log.shared(name, hub: seam.shard.index, completion: $0)
    }
    switch outcome {
    case .found(let shared): return try await part(shared, of: body)
    case .absent: throw .noSuchDefinition
    case .elsewhere, .unavailable, .unreadable: throw .unavailable
    }
  }

  /// - Parameter body: Has what is merged over the shared definition.
  private func part(
    _ shared: SharedDefinition, of body: CreateRequest
  ) async throws(HubProblem) -> SharedPart {
    // Null means the shared value.
    let own = JSONTree.object([]).merging(body.definition)
    if let kind = own["kind"], kind.string != shared.kind?.rawValue {
      throw .badDefinition(
        DefinitionProblem(
          pointer: "/kind", detail: "kind is that of the shared definition; leave it out"))
    }
    var ownNotes = OwnNotes()
    let notes: Notes
    do throws(BadNotes) {
      if !body.notes.isEmpty {
        ownNotes.add(try Notes().change(by: body.notes.tree, for: shared.kind))
      }
      notes = try ownNotes.over(shared.notes)
    } catch {
      throw .badRequest(error.detail)
    }
    let (maker, now) = (seam.maker, seam.now.session)
    let definition = await seam.inBackground {
      maker.prepare(shared.document.merging(own), at: now)
    }
    return SharedPart(
      uses: SharedUse(name: shared.name, version: shared.version, own: own, ownNotes: ownNotes),
      notes: notes, definition: definition, inventory: try await inventory(of: shared))
  }

  /// What is taken of the inventory now; `nil` if the definition has none.
  private func inventory(
    of shared: SharedDefinition
  ) async throws(HubProblem) -> (settings: InventorySettings, counts: InventoryChange)? {
    guard let settings = shared.inventory else { return nil }
    let outcome = await answered {
      seam.log.inventory(
        shared.name, since: nil, places: nil, of: [], hub: seam.shard.index, completion: $0)
    }
    switch outcome {
    case .found(let counts): return (settings, counts)
    case .absent: return nil
    case .elsewhere, .unavailable, .unreadable: throw .unavailable
    }
  }

  /// The response to the first of several equal requests, once more.
  private func repeated(
    _ known: CreationKey, _ request: CreationRequest
  ) throws(HubProblem) -> CreatedSession {
    guard let key = request.key, key.bodyHash == known.bodyHash else { throw .keyReused }
    let tokens = try seam.newAccess(
      isOwned: request.body.isOwnedByCreator, from: key.text, salt: known.salt
    ).tokens
    let body = HTTPDocument.created(
      known.session, epoch: known.epoch, revision: 0,
      socket: "\(request.socketBase)/v1/sessions/\(known.session)", tokens: tokens)
    return CreatedSession(id: known.session, body: body, isNew: false)
  }

  /// - Throws: Why not. The names are still reserved then.
  private func open(
    _ request: CreationRequest, _ part: SharedPart?, _ names: SessionIndex.Names, ordinal: Int64
  ) async throws(HubProblem) -> (CreationOutcome, CreatedSession) {
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
    let body = HTTPDocument.created(
      origin.id, epoch: origin.epoch, revision: 0,
      socket: "\(request.socketBase)/v1/sessions/\(origin.id)", tokens: tokens)
    let outcome = try await seam.open(fold, names, ordinal: ordinal, key: key)
    return (outcome, CreatedSession(id: origin.id, body: body, isNew: true))
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
      origin.inventory = part?.inventory.map {
        seam.inventory($0.settings, $0.counts, for: definition)
      }
      origin.result = body.result
      return try SessionFold(origin, limits: seam.limits.session)
    } catch {
      throw .badDefinition(error)
    }
  }
}

/// Ending sessions.
extension HostOperations {
  /// Ends a session.
  ///
  /// - Parameter releasesBooking: Whether its booking in the inventory is deleted, too.
  package func delete(
    _ id: SessionID, releasesBooking: Bool = false, token: Credential?, at time: HubTime
  ) async throws(HubProblem) {
    let hosted = try await seam.find(
      id, token: token, needs: .owner, isDeletion: true, at: time)
    seam.denyConfirmation(of: hosted)
    // The denial may have ended or unloaded the session: its log may be full or unavailable.
    guard hosted.phase == .loaded else {
      if hosted.isEnding { return }
      throw .unavailable
    }
    // The end follows the denial, so that the feed reports both.
    guard let hosted = await seam.afterSteps(of: hosted) else {
      if seam.mayExist(id) { throw .unavailable }
      return
    }
    try await seam.end(hosted, releasesBooking: releasesBooking)
  }
}
