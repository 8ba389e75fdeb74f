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
  ///
  /// - Parameter answer: Called on the hub's thread.
  package func find(
    external: String, namespace: String?, answer: @escaping (Result<SessionID, HubProblem>) -> Void
  ) {
    guard seam.isClustered else {
      let id = seam.shard.names.use { $0.session(external: external, namespace: namespace) }
      return answer(id.map { .success($0) } ?? .failure(.noSuchSession))
    }
    nonisolated(unsafe) let answer = answer
    let names = SessionIndex.Names(external: external, namespace: namespace, key: nil)
    seam.log.find(names, hub: seam.shard.index) { outcome in
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
    seam.begin(at: time)
    let describeAt = { (fold: SessionFold) in
      let created = fold.origin.host.bodyDigest
      let body = HTTPDocument.created(
        id, epoch: fold.origin.epoch, revision: fold.revision,
        socket: "\(socketBase)/v1/sessions/\(id)", tokens: .none,
        differs: created != nil && created != bodyDigest)
      answer(.success(CreatedSession(id: id, body: body, isNew: false)))
    }
    let describe: (HostedSession?) -> Void = { hosted in
      if let hosted, !hosted.isEnding {
        return describeAt(hosted.session.fold)
      }
      guard hosted == nil, seam.isElsewhere(id) else {
        return answer(.failure(seam.absence(of: id)))
      }
      nonisolated(unsafe) let (host, describeAt, answer) = (self, describeAt, answer)
      seam.log.describe(id, limits: seam.limits.session, hub: seam.shard.index) { found in
        guard let found else { return answer(.failure(host.seam.absence(of: id))) }
        describeAt(found)
      }
    }
    seam.whenLoaded(id) { hosted in
      // A session that ends has its names until its end is stored.
      guard let hosted, hosted.phase == .ending else { return describe(hosted) }
      seam.afterSteps(of: hosted, describe)
    }
  }

  /// Loads sessions, so that the index knows their status.
  ///
  /// - Parameter completion: Gets those that exist and cannot be loaded.
  package func load(
    _ ids: [SessionID], at time: HubTime, completion: @escaping (_ unreadable: [SessionID]) -> Void
  ) {
    seam.begin(at: time)
    var remaining = ids.count
    var unreadable: [SessionID] = []
    for id in ids {
      seam.whenLoaded(id) { hosted in
        if hosted == nil && seam.mayExist(id) { unreadable.append(id) }
        remaining -= 1
        if remaining == 0 { completion(unreadable) }
      }
    }
  }

  /// The states of sessions of this loop, for the list of sessions. In a cluster's log nothing is
  /// loaded for it, because loading claims a session.
  ///
  /// - Parameter completion: Gets those that can be read.
  package func states(
    of ids: [SessionID], at time: HubTime,
    completion: @escaping ([SessionID: ListedState]) -> Void
  ) {
    seam.begin(at: time)
    var states: [SessionID: ListedState] = [:]
    // One after the other, so that the list of many sessions does not delay what else is loaded.
    func read(_ ids: ArraySlice<SessionID>) {
      guard let id = ids.first else { return completion(states) }
      readFold(of: id) { fold in
        states[id] = fold.map(ListedState.init)
        read(ids.dropFirst())
      }
    }
    read(ids[...])
  }

  private func readFold(of id: SessionID, _ body: @escaping (SessionFold?) -> Void) {
    guard seam.isClustered else {
      return seam.whenLoaded(id) { hosted in
        body(hosted.flatMap { $0.isEnding ? nil : $0.session.fold })
      }
    }
    nonisolated(unsafe) let body = body
    seam.log.describe(id, limits: seam.limits.session, hub: seam.shard.index) { body($0) }
  }

  /// A page of the list of sessions of a cluster's log.
  ///
  /// - Parameter answer: Receives `nil` if the log cannot be read.
  package func list(_ query: SessionListQuery, answer: @escaping (SessionListPage?) -> Void) {
    nonisolated(unsafe) let answer = answer
    seam.log.list(query, hub: seam.shard.index) { outcome in
      if case .found(let page) = outcome { answer(page) } else { answer(nil) }
    }
  }
}
