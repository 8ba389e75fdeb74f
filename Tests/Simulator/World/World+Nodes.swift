import PickerHub
import PickerSession
import SessionLog

/// The way to the owner of a session.
extension World {
  /// Calls the hub that serves a request for a session. The response is noted by
  /// ``requestsUnanswered``; there is none if no node can serve it.
  ///
  /// - Parameter entrance: The node that receives it; `nil`: any.
  func ask(
    _ record: SessionRecord, at entrance: Node? = nil, _ call: @escaping (HubTime) -> Void
  ) {
    guard let entrance = entrance ?? (profile.isClustered ? random.pick(nodes) : node) else {
      return
    }
    entrance.requestCount += 1
    pass(record.id, at: entrance) { node in
      entrance.requestCount -= 1
      guard let node, node.isAlive, node.hub != nil else { return }
      node.requestCount += 1
      node.enter { call($1) }
    }
  }

  /// Finds the node that serves a session: the one that was asked, or the owner, which must not
  /// pass it on again.
  ///
  /// - Parameter then: Receives `nil` for a request that is answered with 503.
  func pass(
    _ session: SessionID, at node: Node, isRelayed: Bool = false,
    then: @escaping (Node?) -> Void
  ) {
    guard profile.isClustered else { return then(node) }
    guard node.isAlive, !node.isStopping, let log = node.log else { return then(nil) }
    nonisolated(unsafe) let (world, then) = (self, then)
    log.owner(of: session) { owner in
      world.clock.after(world.random.within(1...5)) {
        switch owner {
        case .here: then(node)
        case .node(_, let address) where !isRelayed:
          guard let other = world.nodes.first(where: { $0.address == address }) else {
            return then(nil)
          }
          world.relayedCount += 1
          world.pass(session, at: other, isRelayed: true, then: then)
        case .node, .unavailable: then(nil)
        }
      }
    }
  }

  /// The session in the memory of its owner.
  func resident(_ id: SessionID) -> (hub: Hub, session: Session)? {
    for node in nodes where !profile.isClustered || node.log?.owns(id) == true {
      if let hub = node.hub, let session = hub.session(id) { return (hub, session) }
    }
    return nil
  }
}

/// Faults of a cluster.
extension World {
  func planHarm() {
    var at = clock.machine
    for _ in 0..<random.within(1...6) {
      at += Int64(random.within(300...random.pick([3000, 12_000])))
      clock.add(.harm, at: at)
    }
  }

  func doHarm() {
    guard let database else { return }
    lastTrouble = clock.machine
    if profile.sells, random.once(in: 4) { return random.pick(nodes).scheduler.stepClock() }
    switch random.below(9) {
    case 0, 1: replace(random.pick(nodes))
    case 2: stopNode()
    case 3: random.pick(nodes).engine?.cut(for: random.within(50...9000))
    case 4: database.goDown(for: random.within(50...random.pick([2000, 12_000])))
    case 5, 6:
      let lag = random.pick([0, random.within(1...400), random.within(1...400)])
      hasFailedOver = true
      database.failOver(losing: lag, downFor: random.within(100...4000))
    default:
      database.endAny()
      // The node may notice that later than another one that is asked for its sessions.
      let other = random.pick(nodes)
      for record in records {
        for delay in [0, 30, 100] {
          clock.after(delay) { [unowned self] in changeDefinition(of: record, at: other) }
        }
        for delay in [50, 200, 400, 800] {
          clock.after(delay) { [unowned self] in
            for node in nodes { read(record, at: node) }
          }
        }
      }
    }
  }

  private func stopNode() {
    let node = random.pick(nodes)
    if !node.isStopping { node.stop { [unowned self] in replace(node) } }
  }

  /// Kills a node, if it still runs, and starts another one soon.
  private func replace(_ killed: Node) {
    guard let index = nodes.firstIndex(where: { $0 === killed }) else { return }
    lastTrouble = clock.machine
    killed.kill()
    nodes.remove(at: index)
    forgetConnections(of: killed)
    seller.lose(requestsTo: killed)
    clock.after(random.within(0...1500)) { [unowned self] in startNode() }
    if nodes.isEmpty { startNode() }
  }

  /// The connections of a process that was killed are lost, also those that it has relayed.
  func forgetConnections(of killed: Node) {
    for link in openLinks where link.entrance === killed || link.node === killed {
      if link.node === killed || link.node == nil {
        link.isGoneAtHub = true
      } else {
        arrive(.closed, from: link)
      }
      if !link.isHalfOpen { deliver(.closed(code: 1006), to: link) }
    }
    background = background.filter { $0.value.node !== killed }
  }
}
