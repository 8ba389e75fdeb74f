package import PickerHub
package import PickerSession
import PickerWire

/// The state of a session in the list of sessions.
package struct ListedState: Sendable {
  package let revision: Int
  package let status: SessionStatus
  /// JSON.
  package let result: [UInt8]

  fileprivate init(_ fold: SessionFold) {
    revision = fold.revision
    status = fold.status
    result = HTTPDocument.result(fold)
  }
}

/// What a host asks about sessions that it has created.
extension HostOperations {
  /// Finds the session with an external id.
  package func find(external: String, namespace: String?) async throws(HubProblem) -> SessionID {
    guard seam.isClustered else {
      let id = seam.shard.names.use { $0.session(external: external, namespace: namespace) }
      guard let id else { throw .noSuchSession }
      return id
    }
    let names = SessionIndex.Names(external: external, namespace: namespace, key: nil)
    switch await answered({ seam.log.find(names, hub: seam.shard.index, completion: $0) }) {
    case .found(.session(let id)): return id
    case .found(.key), .absent: throw .noSuchSession
    case .elsewhere, .unavailable, .unreadable: throw .unavailable
    }
  }

  /// The answer to the creation of an existing session, without tokens.
  ///
  /// - Parameter bodyDigest: That of the request's body.
  package func describe(
    _ id: SessionID, socketBase: String, bodyDigest: [UInt8]? = nil, at time: HubTime
  ) async throws(HubProblem) -> CreatedSession {
    seam.begin(at: time)
    let fold = try await describedFold(of: id)
    let created = fold.origin.host.bodyDigest
    let body = HTTPDocument.created(
      id, epoch: fold.origin.epoch, revision: fold.revision,
      socket: "\(socketBase)/v1/sessions/\(id)", tokens: .none,
      differs: created != nil && created != bodyDigest)
    return CreatedSession(id: id, body: body, isNew: false)
  }

  private func describedFold(of id: SessionID) async throws(HubProblem) -> SessionFold {
    var hosted = await seam.loaded(id)
    // A session that ends has its names until its end is stored.
    if let ending = hosted, ending.phase == .ending {
      hosted = await seam.afterSteps(of: ending)
    }
    if let hosted, !hosted.isEnding { return hosted.session.fold }
    guard hosted == nil, seam.isElsewhere(id), let fold = await storedFold(of: id) else {
      throw seam.absence(of: id)
    }
    return fold
  }

  /// Reads a session from a log of several nodes.
  func storedFold(of id: SessionID) async -> SessionFold? {
    await answered {
      seam.log.describe(id, limits: seam.limits.session, hub: seam.shard.index, completion: $0)
    }
  }

  /// Loads sessions, so that the index knows their status.
  ///
  /// - Returns: Those that exist and cannot be loaded.
  package func load(_ ids: [SessionID], at time: HubTime) async -> [SessionID] {
    seam.begin(at: time)
    var unreadable: [SessionID] = []
    for id in ids where await seam.loaded(id) == nil && seam.mayExist(id) { unreadable.append(id) }
    return unreadable
  }

  /// The states of sessions of this loop, for the list of sessions. In a cluster's log nothing is
  /// loaded for it, because loading claims a session.
  ///
  /// - Returns: Those that can be read.
  package func states(of ids: [SessionID], at time: HubTime) async -> [SessionID: ListedState] {
    seam.begin(at: time)
    var states: [SessionID: ListedState] = [:]
    // One after the other, so that the list of many sessions does not delay what else is loaded.
    for id in ids { states[id] = await listedFold(of: id).map(ListedState.init) }
    return states
  }

  private func listedFold(of id: SessionID) async -> SessionFold? {
    if seam.isClustered { return await storedFold(of: id) }
    guard let hosted = await seam.loaded(id), !hosted.isEnding else { return nil }
    return hosted.session.fold
  }

  /// A page of the list of sessions of a cluster's log; `nil` if the log cannot be read.
  package func list(_ query: SessionListQuery) async -> SessionListPage? {
    let outcome = await answered {
      seam.log.list(query, hub: seam.shard.index, completion: $0)
    }
    if case .found(let page) = outcome { return page }
    return nil
  }
}
