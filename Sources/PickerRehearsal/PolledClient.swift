import Foundation
package import JSONText
import PickerHub
package import PickerSession
package import WebSocketTransport

/// A client that is running already, such as an app or a page: it polls `GET /rehearse/next` for
/// instructions and posts its state to `/rehearse/state`. It plays one scene at a time.
///
/// `@unchecked Sendable`: guarded by a lock.
package final class PolledClient: RehearsedClient, SocketLoopHandler, @unchecked Sendable {
  private static let instructionsMax = 100
  private let loop: SocketLoop
  private let condition = NSCondition()
  private var instructions: [JSONTree] = []
  private var lastState: JSONTree?
  private var stateCount = 0

  /// The URL on which it listens.
  package let url: String

  /// - Throws: ``SocketLoopProblem`` if it cannot listen on the address.
  package init(host: String, port: UInt16) throws {
    loop = try SocketLoop(SocketLoopConfiguration())
    url = "http://\(host):\(try loop.listen(host: host, port: port))"
    loop.handler = self
    let loop = loop
    Thread.detachNewThread { loop.run() }
  }

  package func open(_ url: String) {
    condition.withLock { instructions = [] }
    act(.object([.init("type", .string("open")), .init("url", .string(url))]))
  }

  package func act(_ command: JSONTree) {
    condition.withLock {
      if instructions.count < PolledClient.instructionsMax { instructions.append(command) }
    }
  }

  package func state(within seconds: Double) -> JSONTree? {
    condition.lock()
    defer { condition.unlock() }
    let count = stateCount
    instructions.append(.stateQuestion)
    let deadline = Date(timeIntervalSinceNow: seconds)
    while stateCount <= count {
      if !condition.wait(until: deadline) { return nil }
    }
    return lastState
  }

  /// Does nothing: the next ``open(_:)`` makes the client leave this scene.
  package func close() {}

  /// Makes the client quit, and stops listening when it has fetched that instruction.
  package func stop() {
    act(.object([.init("type", .string("quit"))]))
    let deadline = Date(timeIntervalSinceNow: 0.5)
    while condition.withLock({ !instructions.isEmpty }), Date() < deadline {
      Thread.sleep(forTimeInterval: 0.02)
    }
    loop.post { [loop] in loop.drain(withinMilliseconds: 200) }
  }

  // MARK: The loop's handler

  package func respond(to id: RequestID, _ request: HTTPRequest) {
    loop.answer(id, answer(to: request))
  }

  private func answer(to request: HTTPRequest) -> HTTPResponse {
    let open: [HTTPResponse.Header] = [
      ("Access-Control-Allow-Origin", "*"), ("Access-Control-Allow-Headers", "Content-Type"),
      ("Cache-Control", "no-store"),
    ]
    switch (request.method, request.path) {
    case (.options, _): return HTTPResponse(status: 204, headers: open)
    case (.get, "/rehearse/next"):
      let next = condition.withLock { instructions.isEmpty ? nil : instructions.removeFirst() }
      guard let next else { return HTTPResponse(status: 204, headers: open) }
      return HTTPResponse(
        status: 200, headers: open + [("Content-Type", "application/json")],
        body: next.serialized())
    case (.post, "/rehearse/state"):
      guard let state = try? JSONTree.parse(request.body.bytes), state.isState else {
        return HTTPResponse(status: 400, headers: open)
      }
      condition.withLock {
        lastState = state
        stateCount += 1
        condition.broadcast()
      }
      return HTTPResponse(status: 204, headers: open)
    default: return HTTPResponse(status: 404, headers: open)
    }
  }

  package func admit(_ request: UpgradeRequest) -> UpgradeAnswer {
    .refuse(HTTPResponse(status: 404))
  }
  package func opened(_ connection: ConnectionID, _ request: UpgradeRequest) {}
  package func received(_ connection: ConnectionID, _ message: UnsafeRawBufferPointer) {}
  package func writeBlocked(_ connection: ConnectionID) {}
  package func writable(_ connection: ConnectionID) {}
  package func closed(_ connection: ConnectionID) {}
  package func timer() {}
}
