import CivilTime
import Foundation
import JSONText
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import WebSocketTransport

/// The environment of a scene: a separate server, the client, and another member that acts through
/// the hub. Every function blocks the scene's thread until it is done, or throws a ``Breach``.
final class Stage {
  let client: any RehearsedClient
  /// The seconds that a client may take for each immediate reaction.
  let patience: Double
  let server: ScriptedServer
  let url: String
  /// The events of the server that the scene has seen.
  var cursor = 0
  /// The other member, once it has joined.
  var other: (member: String, secret: String, ref: Int)?
  private let thread: Thread

  init(
    _ client: any RehearsedClient, patience: Double, definition: String,
    limits: ServerLimits = ServerLimits()
  ) throws {
    self.client = client
    self.patience = patience
    let server = try ScriptedServer(definition, limits)
    self.server = server
    let port = try server.loop.listen(host: "127.0.0.1", port: 0)
    url = "ws://127.0.0.1:\(port)/v1/sessions/\(server.session)"
    thread = Thread { server.loop.run() }
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Ends the client, closes the listener and cuts the connection.
  ///
  /// The loop keeps running without connections until the process ends: destroying a libwebsockets
  /// context while other threads open descriptors can abort the process.
  func end() {
    client.close()
    onLoop { server in
      server.loop.stopListening()
      server.cut()
    }
  }
}

extension Stage {
  var milliseconds: Int64 { SocketLoop.monotonicMilliseconds() }

  func pause(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }
}
