import CWebSocketLoop
import Foundation
import Synchronization
import Testing

@testable import WebSocketTransport

@Suite struct DrainingLoopTests {
  /// Regression: the loop reported too many connections.
  @Test func `a draining loop responds with draining to a connection of another loop`()
    throws
  {
    let loop = try SocketLoop(SocketLoopConfiguration())
    var pair: [CInt] = [-1, -1]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
    defer { close(pair[1]) }

    loop.drain(withinMilliseconds: 1000)
    var connection = wsl_connection()
    connection.descriptor = pair[0]
    wsl_adopt(loop.loop, connection)
    var bytes = [UInt8](repeating: 0, count: 2048)
    let count = recv(pair[1], &bytes, bytes.count, CInt(MSG_DONTWAIT))

    let answer = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let parts = answer.components(separatedBy: "\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 503 "))
    #expect(parts.last?.contains("the server is shutting down") == true)
    #expect(answer.contains("Content-Length: \(parts.last?.utf8.count ?? 0)\r\n"))
  }

  /// Regression: the store's threads added to the work of a loop beside it, and batches were lost.
  @Test func `what a thread does after an iteration is done at once beside loops`() throws {
    let loop = try SocketLoop(SocketLoopConfiguration())
    let isRunning = DispatchSemaphore(value: 0)
    let isDone = DispatchSemaphore(value: 0)
    let order = Mutex<[String]>([])
    loop.post {
      SocketLoop.afterIteration { order.withLock { $0.append("of the loop") } }
      isRunning.signal()
      #expect(isDone.wait(timeout: .now() + 60) == .success)
    }
    let thread = Thread { loop.run() }
    thread.start()
    isRunning.wait()

    SocketLoop.afterIteration { order.withLock { $0.append("of the other thread") } }
    isDone.signal()
    loop.post { loop.post { loop.stop() } }
    while !thread.isFinished { usleep(1000) }

    #expect(order.withLock { $0 } == ["of the other thread", "of the loop"])
  }
}
