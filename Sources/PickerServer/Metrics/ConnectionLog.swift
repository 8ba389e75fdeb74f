import Logging
import PickerHub
import PickerSession
import WebSocketTransport

/// Writes what happens to the connections of a loop to the log, at the level `info`.
///
/// Every line about a connection has the same `connection`, which no other connection of the
/// process has.
struct ConnectionLog {
  private let log: Logger
  private let loop: Int
  private let gate: RequestGate

  /// - Parameters:
  ///   - loop: The index of the loop: connections of other loops may have equal ids.
  ///   - gate: Knows the client's address behind trusted proxies.
  init(_ log: Logger, loop: Int, gate: RequestGate) {
    self.log = log
    self.loop = loop
    self.gate = gate
  }

  func write(_ connection: ConnectionID, _ event: ConnectionEvent) {
    guard log.logLevel <= .info else { return }
    let slot = connection.raw & 0xFFFF_FFFF
    var metadata: Logger.Metadata = ["connection": "\(loop).\(slot).\(connection.raw >> 32)"]
    let message: Logger.Message
    switch event {
    case .opened(let session, let head, let isStream):
      message = isStream ? "event stream opened" : "WebSocket opened"
      metadata["session"] = "\(session.shortened)"
      metadata["address"] = "\(gate.client(of: head)?.text ?? head.remoteAddress)"
    case .joined(let member):
      message = "member joined"
      metadata["member"] = "\(member.text)"
    case .closing(let code):
      message = "closing the connection"
      metadata["code"] = "\(code)"
      if let reason = CloseCode(rawValue: code)?.errorCode { metadata["reason"] = "\(reason)" }
    case .closed: message = "connection closed"
    }
    log.info(message, metadata: metadata)
  }

  /// A handshake was refused with an HTTP response; there is no connection.
  func refused(_ request: RequestHead, status: Int) {
    guard log.logLevel <= .info else { return }
    log.info(
      "WebSocket refused",
      metadata: [
        "status": "\(status)",
        "address": "\(gate.client(of: request)?.text ?? request.remoteAddress)",
      ])
  }
}
