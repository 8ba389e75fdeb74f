import CivilTime
import JSONText
import PickerClient
import PickerHub
import PickerSession
import PickerWire

/// A short conversation of two shipped clients with a real hub over byte streams, with at most one
/// fault on the connections of the first client.
final class WireConversation: HubPort {
  private static let start = Instant(rfc3339: "2026-11-20T12:00:00Z".utf8)!

  let script: WireScript
  /// The fault that has not happened yet.
  var fault: WireFault?
  let log = SimulatedLog(isLate: false, canLoad: false)
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
      HubConfiguration(authentication: .token), port: self, log: log, zones: SimulatedZones(),
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
    hub.create(request, socketBase: "ws://here", at: time) { [unowned self] result in
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
      case .changed, .notice, .requestToken: break
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
