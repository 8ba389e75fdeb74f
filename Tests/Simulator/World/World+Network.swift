package import PickerHub
package import PickerSession
package import PickerWire

/// The hub's port: a simulated network.
extension World: HubPort {
  package func send(_ frame: Frame, to id: ConnectionID) -> SendOutcome {
    if fullSoon.contains(id) { reportFull() }
    return take(frame, id)
  }

  /// Simulates work on another thread, which takes time. Any other event can happen meanwhile.
  package func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Value) -> Void
  ) {
    backgroundCount += 1
    background[backgroundCount] = (node, { then(work()) })
    clock.add(
      .background(backgroundCount), at: clock.machine + Int64(random.within(0...profile.workMax)))
  }

  private func take(_ frame: Frame, _ id: ConnectionID) -> SendOutcome {
    guard let link = links[id.raw], !link.isGoneAtHub else {
      breach("nothing is sent to a closed connection")
      return .gone
    }
    if link.closeCode != nil { breach("nothing is sent after a close") }
    if link.isFull && !reportedFull.contains(id) {
      breach("nothing is sent to a write-blocked connection before it is writable")
    }
    sentFrameCount += 1
    noteAttach(link)
    if link.isHalfOpen {
      link.isFull = true
      return .writeBlocked
    }
    deliver(.frame(Array(frame.bytes)), to: link)
    guard !isCalm, case .slow(let oneIn, let milliseconds) = link.pace, random.once(in: oneIn)
    else {
      return .sent
    }
    link.isFull = true
    let pause = random.once(in: 12) ? 11_000 : random.within(1...milliseconds)
    clock.add(.writable(id), at: clock.machine + Int64(pause))
    return .writeBlocked
  }

  /// Batched sending. Like the real transport, the network may report a write-blocked connection
  /// later: within another call of the port, or at the end of the event-loop iteration.
  package func post(
    _ frame: Frame, to id: ConnectionID, isOneToMany: Bool
  ) -> SendOutcome {
    if random.once(in: 3) { reportFull() }
    let wasFull = links[id.raw]?.isFull == true
    let outcome = take(frame, id)
    if wasFull { return .writeBlocked }
    guard outcome == .writeBlocked, let link = links[id.raw], random.coin() else { return outcome }
    link.isFull = false
    fullSoon.append(id)
    return .sent
  }

  /// Reports the connections in ``fullSoon`` to the hub as write-blocked.
  func reportFull() {
    for id in fullSoon {
      guard let link = links[id.raw], !link.isGoneAtHub, link.closeCode == nil else { continue }
      link.isFull = true
      reportedFull.insert(id)
      hub.writeBlocked(id)
    }
    fullSoon = []
  }

  package func close(_ id: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    reportFull()
    guard let link = links[id.raw], link.closeCode == nil, !link.isGoneAtHub else {
      return breach("a connection is closed once")
    }
    if reason.utf8.count > 123 { breach("a close reason has at most 123 bytes") }
    if (last != nil) != (code >= 4300 || code == 1001) {
      breach("an error precedes every close from 4300 on: \(code)")
    }
    link.closeCode = code
    checkClose(of: link, code)
    if let last, !link.isHalfOpen { deliver(.frame(Array(last.bytes)), to: link) }
    if !link.isHalfOpen { deliver(.closed(code: code), to: link) }
    arrive(.closed, from: link)
  }

  /// Records the state of the session when the first frame, the welcome, is sent: it determines
  /// which deltas the client has missed.
  private func noteAttach(_ link: Link) {
    guard link.attachRevision == nil, let fold = hub.session(link.session)?.fold else { return }
    link.attachRevision = fold.revision
    if let revision = link.resumeRevision {
      link.missed = Array(fold.deltas(after: revision) ?? [])
    }
  }

  /// Schedules the arrival of a message at the client.
  func deliver(_ message: Downward, to link: Link, after wait: Int64 = 0) {
    link.downArrival = max(link.downArrival, clock.machine + delay() + wait)
    inFlightCount += 1
    clock.add(.reachClient(link.id, message), at: link.downArrival)
  }

  /// Schedules the arrival of a message at the hub.
  func arrive(_ message: Upward, from link: Link, after wait: Int64 = 0) {
    link.upArrival = max(link.upArrival, clock.machine + delay() + wait)
    inFlightCount += 1
    clock.add(.reachHub(link.id, message), at: link.upArrival)
  }

  private func delay() -> Int64 { Int64(random.within(0...profile.delayMax)) }

  /// Passes an arrived message to the hub.
  func reach(_ id: ConnectionID, _ message: Upward) {
    guard let link = links[id.raw], !link.isGoneAtHub else { return }
    if case .opened(let bearer) = message { return open(link, bearer: bearer) }
    guard let node = link.node else { return link.waiting.append(message) }
    guard let hub = node.hub else { return }
    switch message {
    case .opened: break
    case .text(let bytes):
      let before = hub.encoder.deltaEncodeCount
      let deltas = hub.counters.deltas
      let resumes = hub.counters.resumes
      node.enter { $0.received(id, bytes.span, at: $1) }
      if hub.counters.resumes == resumes {
        checkEncodes(
          hub.encoder.deltaEncodeCount - before, hub.counters.deltas - deltas, in: link.session)
      }
      // In a cluster it may wait until the node knows that it is the owner.
      if !profile.isClustered, link.mustClose, bytes == link.fatal, link.closeCode == nil,
        hub.session(link.session) != nil, !hub.isEnding(link.session)
      {
        breach(
          "an invalid message closes: \(String(decoding: bytes.prefix(80), as: UTF8.self))"
        )
      }
    case .closed:
      link.isGoneAtHub = true
      node.enter { $0.closed(id, at: $1) }
    }
  }

  /// Passes a connection to the owner of its session.
  private func open(_ link: Link, bearer: String?) {
    guard let entrance = link.entrance else { return }
    pass(link.session, at: entrance) { [unowned self] node in
      guard !link.isGoneAtHub else { return }
      guard let node, node.isAlive, node.hub != nil, !node.isStopping else {
        link.isGoneAtHub = true
        return deliver(.closed(code: 1006), to: link)
      }
      link.node = node
      node.enter { $0.opened(link.id, session: link.session, bearer: bearer, at: $1) }
      let waiting = link.waiting
      link.waiting = []
      for message in waiting { reach(link.id, message) }
    }
  }

  /// Closes the client's end without a close frame. The hub notices it immediately, or after half a
  /// minute if `isHalfOpen`.
  func drop(_ link: Link, isHalfOpen: Bool, after wait: Int64 = 0) {
    if isHalfOpen { link.isHalfOpen = true }
    arrive(.closed, from: link, after: isHalfOpen ? 30_000 : wait)
  }

  func becomeWritable(_ id: ConnectionID) {
    guard let link = links[id.raw], !link.isGoneAtHub, !link.isHalfOpen else { return }
    link.isFull = false
    guard link.closeCode == nil else { return }
    link.node?.enter { $0.writable(id, at: $1) }
  }
}
