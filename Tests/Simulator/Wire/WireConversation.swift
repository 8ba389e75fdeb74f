import CivilTime
import JSONText
import PickerClient
import PickerHost
import PickerHub
import PickerSession
import PickerWire
import SessionLog

/// A short conversation of two shipped clients with a real hub over byte streams, with at most one
/// fault on the connections of the first client.
final class WireConversation: HubPort {
  private static let start = Instant(rfc3339: "2026-11-20T12:00:00Z".utf8)!

  let script: WireScript
  /// The fault that has not happened yet.
  var fault: WireFault?
  let journal = MemoryJournal()
  private(set) var hub: Hub!
  private(set) var session = SessionID("")
  private(set) var clients: [WireClient] = []
  var wires: [Wire] = []
  private(set) var now: Int64 = 0
  /// The bytes that were read, on the connections of the first client.
  var passed: [WireFault.Direction: Int] = [.up: 0, .down: 0]
  /// The first rule that was violated, as a sentence.
  private(set) var breach: String?

  init(_ script: WireScript, fault: WireFault?) {
    self.script = script
    self.fault = fault
    hub = Hub(
      HubConfiguration(authentication: .token), port: self,
      log: JournaledLog(MemorySessionLog(), journal), zones: SimulatedZones(),
      texts: SimulatedTexts(),
      identities: IdentitySource(random: RandomSource(seed: 1), digest: World.digest))
    let body = Array(#"{"definition":\#(script.definition)}"#.utf8)
    do {
      create(try CreateRequest(body))
    } catch {
      fail("the definition is valid: \(error)")
    }
  }

  private func create(_ request: CreateRequest) {
    hub.begin { [self] host throws(HubProblem) in
      try await host.create(request, socketBase: "ws://here", at: time)
    } answer: { [unowned self] result in
      guard case .success(let created) = result,
        let tokens = (try? JSONTree.parse(created.body))?["tokens"]
      else { return fail("a session is created: \(result)") }
      session = created.id
      clients = [("Ana", "owner"), ("Bo", "editor")].map { name, role in
        WireClient(named: name, token: tokens[role]?.string ?? "")
      }
    }
  }

  /// Breaks the reference cycle between the hub and its port.
  func end() { hub = nil }

  var time: HubTime {
    HubTime(session: Self.start.adding(milliseconds: now), machine: now)
  }

  func passTime() { now += 1 }

  func fail(_ sentence: String) { breach = breach ?? sentence }

  // MARK: - Clients

  func give(_ event: ClientEvent, to client: WireClient) {
    for effect in client.handle(event, at: now) {
      switch effect {
      case .connect:
        let wire = Wire(ConnectionID(raw: UInt64(wires.count + 1)), of: client)
        client.wire = wire
        wires.append(wire)
      case .disconnect:
        guard let wire = client.wire else { continue }
        client.wire = nil
        if !wire.isDead { noticeEnd(of: wire) }
      case .send(let text):
        guard let wire = client.wire else { return fail("a client sends over a connection") }
        let frame = WireFrame.text(Array(text.utf8))
        wire.up.pending += frame.encoded(mask: [0x37, 0xFA, 0x21, 0x3D])
      case .settled(let ref, let result):
        check { () throws(ProtocolBreach) in
          try client.settle(ref, result)
        }
      case .found, .changed, .notice, .requestToken: break
      }
    }
  }

  func check(_ body: () throws(ProtocolBreach) -> Void) {
    do throws(ProtocolBreach) { try body() } catch { fail(error.sentence) }
  }

  // MARK: - Time

  /// Advances the time and transports bytes until `isDone`.
  func run(until isDone: () -> Bool) {
    for _ in 0..<200 where breach == nil {
      carryAll()
      if isDone() { return }
      let hubDue = hub.nextTimer(at: time, clockRuns: true)
      let due = (clients.map(\.machine.nextTick) + [hubDue]).compactMap(\.self).min()
      now = max(now + 1, due ?? 0)
      for client in clients where client.machine.nextTick ?? .max <= now {
        give(.tick, to: client)
      }
      if hubDue ?? .max <= now { hub.timer(at: time) }
    }
    fail("the conversation ends")
  }

  // MARK: - The hub's port

  func send(_ frame: Frame, to id: ConnectionID) -> SendOutcome {
    let wire = wires[Int(id.raw) - 1]
    if wire.isGoneAtHub || wire.isClosedByHub { fail("nothing is sent after the end") }
    if wire.isFull { fail("nothing is sent to a write-blocked connection before it is writable") }
    if wire.isDead { return .sent }
    wire.down.pending += WireFrame.text(Array(frame.bytes)).encoded()
    guard let fault, let room = bytesBeforeFault(wire, .down), wire.down.pending.count > room
    else { return .sent }
    if fault.kind == .failedWrite { return .gone }
    wire.isFull = true
    return .writeBlocked
  }

  func close(_ id: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    let wire = wires[Int(id.raw) - 1]
    if wire.isClosedByHub || wire.isGoneAtHub { fail("a connection is closed once") }
    // Allowed only for a connection that the client has abandoned without the hub's knowledge.
    if !wire.isDead || code != 4409 { fail("the hub does not close: \(code) \(reason)") }
    wire.isClosedByHub = true
  }

  /// Reports to the hub that a connection is lost.
  func noticeEnd(of wire: Wire) {
    wire.isDead = true
    (wire.up.pending, wire.down.pending) = ([], [])
    guard wire.isOpened, !wire.isGoneAtHub else { return }
    wire.isGoneAtHub = true
    hub.closed(wire.id, at: time)
  }
}

/// Transports the bytes of the connections, and injects the fault.
extension WireConversation {
  /// Transports bytes until none are in flight.
  func carryAll() {
    var hasMoved = true
    while hasMoved, breach == nil {
      hasMoved = false
      for wire in wires where !wire.isDead {
        open(wire)
        for direction in WireFault.Direction.allCases where carry(wire, direction) {
          hasMoved = true
        }
      }
      for wire in wires where wire.isClosedByHub { noticeEnd(of: wire) }
    }
  }

  private func open(_ wire: Wire) {
    guard !wire.isOpened else { return }
    wire.isOpened = true
    hub.opened(wire.id, session: session, bearer: nil, at: time)
    give(.opened, to: wire.client)
  }

  /// The number of bytes of a connection before the fault; `nil` if the fault is elsewhere or has
  /// happened.
  func bytesBeforeFault(_ wire: Wire, _ direction: WireFault.Direction) -> Int? {
    guard let fault, fault.direction == direction, wire.client === clients.first else {
      return nil
    }
    return fault.offset - passed[direction, default: 0]
  }

  /// - Returns: Whether bytes were transported.
  private func carry(_ wire: Wire, _ direction: WireFault.Direction) -> Bool {
    let count = direction == .up ? wire.up.pending.count : wire.down.pending.count
    guard count > 0, !wire.isDead else { return false }
    let room = bytesBeforeFault(wire, direction)
    let readCount = min(count, room ?? count)
    if wire.client === clients.first { passed[direction, default: 0] += readCount }
    switch direction {
    case .up: readUp(wire, readCount)
    case .down: readDown(wire, readCount)
    }
    if let room, room <= count, let fault {
      self.fault = nil
      happen(fault, wire)
    }
    return true
  }

  private func readUp(_ wire: Wire, _ count: Int) {
    wire.up.decoder.append(wire.up.pending.prefix(count))
    wire.up.pending.removeFirst(count)
    while !wire.isGoneAtHub, !wire.isClosedByHub, let frame = wire.up.decoder.next() {
      guard case .text(let text) = frame else { return fail("a client sends text") }
      hub.received(wire.id, text.span, at: time)
    }
  }

  private func readDown(_ wire: Wire, _ count: Int) {
    wire.down.decoder.append(wire.down.pending.prefix(count))
    wire.down.pending.removeFirst(count)
    while wire.client.wire === wire, let frame = wire.down.decoder.next() {
      guard case .text(let text) = frame else { return fail("the hub sends text") }
      check { () throws(ProtocolBreach) in try wire.client.note(text) }
      give(.received(text), to: wire.client)
    }
  }

  private func happen(_ fault: WireFault, _ wire: Wire) {
    switch fault.kind {
    case .split:
      passTime()
      guard wire.isFull else { return }
      wire.isFull = false
      hub.writable(wire.id, at: time)
    case .cut, .failedWrite:
      noticeEnd(of: wire)
      loseClientEnd(of: wire)
    case .cutUnnoticed:
      wire.isDead = true
      loseClientEnd(of: wire)
    }
  }

  private func loseClientEnd(of wire: Wire) {
    guard wire.client.wire === wire else { return }
    wire.client.wire = nil
    give(.closed(code: 1006), to: wire.client)
  }
}
