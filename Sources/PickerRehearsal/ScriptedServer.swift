import CivilTime
import CMachine
import Foundation
import JSONText
import Machine
import PickerHost
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import SessionLog
import WebSocketTransport

/// A real hub with real sockets, a clock that the scene sets, and a script that can alter the
/// messages between the hub and the client.
///
/// `@unchecked Sendable`: everything except `events` is used on the loop's thread only.
final class ScriptedServer: SocketLoopHandler, HubPort, @unchecked Sendable {
  /// The scene's changes to messages. Its closures are called on the loop's thread.
  struct Script {
    /// Handles a client's message instead of the hub.
    ///
    /// - Returns: Whether it has handled the message, so that the hub must not receive it.
    var swallows: (@Sendable (ScriptedServer, ConnectionID, JSONTree) -> Bool)?
    /// Replaces a message of the hub.
    var rewrites: (@Sendable (JSONTree) -> [JSONTree])?
    /// Whether the hub's messages are buffered until ``release()``.
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
    // Contexts are created one at a time: libwebsockets sets global variables while creating one.
    loop = try ScriptedServer.making.withLock { try SocketLoop(configuration) }
    hub = Hub(
      HubConfiguration(limits: limits), port: self, log: MemorySessionLog(), zones: UTCOnly(),
      texts: EnglishOnly(),
      identities: IdentitySource(
        random: SystemRandomNumberGenerator(), digest: SHA256.digest))
    let request = try CreateRequest(Array("{\"definition\":\(definition)}".utf8))
    hub.begin { [self] host throws(HubProblem) in
      try await host.create(request, socketBase: "ws://127.0.0.1", at: now)
    } answer: { [unowned self] result in
      if case .success(let created) = result { session = created.id }
    }
    loop.handler = self
  }

  /// Added to the hub's monotonic clock, so that scenes need not wait for absent members to leave.
  private var leapMilliseconds: Int64 = 0

  var now: HubTime {
    HubTime(
      session: sessionTime, machine: machine_monotonic_ms() + leapMilliseconds)
  }

  /// Advances the hub's monotonic clock at once: members without a connection leave.
  func leap(milliseconds: Int64) {
    leapMilliseconds += milliseconds
    hub.timer(at: now)
  }

  // MARK: The client

  func admit(_ request: UpgradeRequest) -> UpgradeAnswer {
    let hasProtocol = request.subprotocols.contains(HubTransport.subprotocol)
    guard hasProtocol, HubTransport.session(in: request.target) == session else {
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

  /// Passes a message to the hub as if the client had sent it.
  func pass(_ bytes: [UInt8], from connection: ConnectionID) {
    hub.received(connection, bytes.span, at: now)
    rearm()
  }

  func writeBlocked(_ connection: ConnectionID) { hub.writeBlocked(connection) }

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
      return script.isFull && outcome == .sent ? .writeBlocked : outcome
    }
    for message in script.rewrites?(tree) ?? [tree] {
      if script.holds { held.append(message) } else { write(message, to: connection) }
    }
    return .sent
  }

  func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    loop.close(connection, code: code, reason: reason, last: last)
  }

  /// Sends the client a message that does not come from the hub.
  func write(_ message: JSONTree, to connection: ConnectionID) {
    _ = loop.send(Frame(message.serialized()), to: connection)
  }

  /// Sends the buffered messages, and stops buffering.
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
