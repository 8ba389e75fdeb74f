import CivilTime
import Foundation
import JSONText
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import SessionLog
import WebSocketTransport

/// A real hub behind real sockets, with a clock that the scene sets and a script that may alter
/// what passes between them.
///
/// `@unchecked Sendable`: everything but `events` belongs to the loop's thread.
final class ScriptedServer: SocketLoopHandler, HubPort, @unchecked Sendable {
  /// What the scene does to messages. Each closure is called on the loop's thread.
  struct Script {
    /// Takes the place of the hub for a client's message.
    ///
    /// - Returns: Whether the hub must not see it.
    var swallows: (@Sendable (ScriptedServer, ConnectionID, JSONTree) -> Bool)?
    /// What is sent in place of a message of the hub.
    var rewrites: (@Sendable (JSONTree) -> [JSONTree])?
    /// Whether frames wait here until ``release()``.
    var holds = false
    /// Whether the client does not read: the hub treats its connections as write-blocked.
    var isFull = false
  }

  private static let making = NSLock()

  let loop: SocketLoop
  let events = LinkEvents()
  private(set) var hub: Hub!
  private(set) var session = SessionID("")
  var script = Script()
  var sessionTime = Instant(rfc3339: "2026-11-20T10:00:00Z".utf8)!
  /// The client's newest connection.
  private(set) var connection: ConnectionID?
  /// The client's member, from its last welcome.
  private(set) var member: String?
  private var held: [JSONTree] = []

  init(_ definition: String, _ limits: ServerLimits) throws {
    var configuration = SocketLoopConfiguration()
    configuration.subprotocols = [HubTransport.subprotocol]
    configuration.closeMilliseconds = 200
    // One context after the other: libwebsockets has globals that are set while one is made.
    loop = try ScriptedServer.making.withLock { try SocketLoop(configuration) }
    hub = Hub(
      HubConfiguration(limits: limits), port: self, log: MemorySessionLog(), zones: UTCOnly(),
      texts: EnglishOnly(),
      identities: IdentitySource(
        random: SystemRandomNumberGenerator(), digest: SocketLoop.sha256))
    let request = try CreateRequest(Array("{\"definition\":\(definition)}".utf8))
    hub.create(request, socketBase: "ws://127.0.0.1", at: now) { [unowned self] result in
      if case .success(let created) = result { session = created.id }
    }
    loop.handler = self
  }

  /// How far the machine's clock is ahead for the hub, so that nobody waits for absent members.
  private var leapMilliseconds: Int64 = 0

  var now: HubTime {
    HubTime(
      session: sessionTime, machine: SocketLoop.monotonicMilliseconds() + leapMilliseconds)
  }

  /// Lets time pass at once: members without a connection leave.
  func leap(milliseconds: Int64) {
    leapMilliseconds += milliseconds
    hub.timer(at: now)
  }

  // MARK: The client

  func admit(_ request: UpgradeRequest) -> UpgradeAnswer {
    let hasProtocol = request.subprotocols.contains(HubTransport.subprotocol)
    guard hasProtocol, HubTransport.session(in: request.path) == session else {
      return .refuse(HTTPResponse(status: hasProtocol ? 404 : 400))
    }
    return .accept(subprotocol: HubTransport.subprotocol)
  }

  func opened(_ connection: ConnectionID, _ request: UpgradeRequest) {
    self.connection = connection
    events.add(.opened(connection))
    hub.opened(connection, session: session, bearer: nil, at: now)
    rearm()
  }

  func received(_ connection: ConnectionID, _ message: UnsafeRawBufferPointer) {
    let bytes = Array(message)
    if let tree = try? JSONTree.parse(bytes) {
      if tree["type"]?.string == "join" {
        events.add(.joined(connection, tree))
      } else if tree["ref"] != nil {
        events.add(.command(connection, tree))
      }
      if script.swallows?(self, connection, tree) == true { return }
    }
    pass(bytes, from: connection)
  }

  /// Gives the hub a message as if the client had sent it.
  func pass(_ bytes: [UInt8], from connection: ConnectionID) {
    hub.received(connection, bytes.span, at: now)
    rearm()
  }

  func full(_ connection: ConnectionID) { hub.full(connection) }

  func writable(_ connection: ConnectionID) {
    hub.writable(connection, at: now)
    rearm()
  }

  func closed(_ connection: ConnectionID) {
    events.add(.closed(connection))
    hub.closed(connection, at: now)
    rearm()
  }

  func respond(to id: RequestID, _ request: HTTPRequest) {
    loop.answer(id, HTTPResponse(status: 404))
  }

  func timer() {
    hub.timer(at: now)
    rearm()
  }

  func rearm() {
    let due = hub.nextTimer(at: now, clockRuns: false)
    loop.setTimer(atMonotonicMilliseconds: due.map { $0 - leapMilliseconds })
  }

  // MARK: The hub's port

  func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome {
    let tree = try? JSONTree.parse(frame.bytes)
    if let id = tree?["member"]?["id"]?.string { member = id }
    guard let tree, script.rewrites != nil || script.holds else {
      let outcome = loop.send(frame, to: connection)
      return script.isFull && outcome == .sent ? .full : outcome
    }
    for message in script.rewrites?(tree) ?? [tree] {
      if script.holds { held.append(message) } else { write(message, to: connection) }
    }
    return .sent
  }

  func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    loop.close(connection, code: code, reason: reason, last: last)
  }

  /// Writes a message of the script.
  func write(_ message: JSONTree, to connection: ConnectionID) {
    _ = loop.send(Frame(message.serialized()), to: connection)
  }

  /// Sends what was held, and holds nothing more.
  func release() {
    script.holds = false
    guard let connection else { return }
    for message in held { write(message, to: connection) }
    held = []
  }
}

private final class UTCOnly: ZoneSource {
  func rules(named name: String) -> ZoneRules? { name == "UTC" ? .utc : nil }
}

private final class EnglishOnly: TextSource {
  func texts(for tag: String) -> (any RowTexts)? { EnglishTexts() }
}
