import Foundation
import PickerHub
import PickerSession
import Testing

@testable import WebSocketTransport

/// A loop reads of a request what its handler permits, and accepts few connections at once.
@Suite struct HeldConnectionTests {
  /// Holds what each connection receives first, and reads it two iterations later.
  private final class Handler: SocketLoopHandler {
    unowned let loop: SocketLoop
    /// Called when a held connection is to be read.
    var isToBeRead: () -> Void = {}
    var iterated: () -> Void = {}
    var timed: () -> Void = {}
    var heldCount = 0

    init(_ loop: SocketLoop) { self.loop = loop }

    func readable(_ connection: ConnectionID, on loop: SocketLoop) -> Bool {
      guard heldCount == 0 else {
        loop.read(connection)
        return true
      }
      heldCount += 1
      // Safe: the loop runs it on this thread.
      nonisolated(unsafe) let handler = self
      loop.post {
        loop.post {
          handler.isToBeRead()
          loop.read(connection)
        }
      }
      return false
    }

    func respond(to id: RequestID, _ request: HTTPRequest) {
      loop.answer(id, HTTPResponse(status: 200, body: request.body.bytes))
    }

    func admit(_ request: UpgradeRequest) -> UpgradeAnswer { .refuse(HTTPResponse(status: 404)) }
    func opened(_ connection: ConnectionID, _ request: UpgradeRequest) {}
    func received(_ connection: ConnectionID, _ message: UnsafeRawBufferPointer) {}
    func writeBlocked(_ connection: ConnectionID) {}
    func writable(_ connection: ConnectionID) {}
    func closed(_ connection: ConnectionID) {}
    func timer() { timed() }
    func wroteBatch(at nanoseconds: Int64) { iterated() }
  }

  /// A connection of a client, which the kernel has accepted.
  private final class Client {
    private let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)

    init(port: UInt16, sending text: String = "") {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let size = socklen_t(MemoryLayout.size(ofValue: address))
      let status = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, size)
        }
      }
      #expect(status == 0 && send(descriptor, text, text.utf8.count, 0) == text.utf8.count)
    }

    deinit { close(descriptor) }

    /// What has arrived.
    var received: String {
      var bytes = [UInt8](repeating: 0, count: 2048)
      let count = recv(descriptor, &bytes, bytes.count, CInt(MSG_DONTWAIT))
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }

  @Test(
    arguments: [
      ("BREW / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 501 "),
      ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200 "),
    ])
  func `nothing is read or answered of a held connection until it continues`(
    head: String, answer: String
  ) throws {
    let loop = try SocketLoop(SocketLoopConfiguration())
    let handler = Handler(loop)
    loop.handler = handler
    let client = Client(port: try loop.listen(host: "127.0.0.1", port: 0), sending: head)
    var early = "?"
    handler.isToBeRead = { early = client.received }
    handler.iterated = {
      if early.isEmpty { loop.stop() }
    }

    loop.run()

    #expect(early.isEmpty && client.received.hasPrefix(answer))
    #expect(handler.heldCount == 1)
  }

  @Test func `an event of the listener accepts for a time, not a number of connections`() throws {
    let pendingCount = 200, formerCount = 128
    let loop = try SocketLoop(SocketLoopConfiguration())
    let handler = Handler(loop)
    loop.handler = handler
    let port = try loop.listen(host: "127.0.0.1", port: 0)
    let clients = (0..<pendingCount).map { _ in Client(port: port) }
    var acceptedCounts = [0]
    handler.iterated = {
      acceptedCounts.append(loop.counters.accepted)
      if acceptedCounts.last == clients.count { loop.stop() }
    }

    loop.run()

    let each = zip(acceptedCounts, acceptedCounts.dropFirst()).map { $1 - $0 }
    #expect(each.reduce(0, +) == pendingCount)
    #expect(each.allSatisfy { $0 < formerCount })
  }

  @Test func `sockets are read between timers that are due at once`() throws {
    let timerCountMax = 1000
    let loop = try SocketLoop(SocketLoopConfiguration())
    let handler = Handler(loop)
    loop.handler = handler
    let port = try loop.listen(host: "127.0.0.1", port: 0)
    var clients: [Client] = []
    var (timerCount, acceptedCount) = (0, 0)
    handler.timed = {
      timerCount += 1
      if timerCount == 1 { clients.append(Client(port: port)) }
      acceptedCount = loop.counters.accepted
      if acceptedCount > 0 || timerCount == timerCountMax { return loop.stop() }
      loop.setTimer(atMonotonicMilliseconds: 0)
    }
    loop.setTimer(atMonotonicMilliseconds: 0)

    loop.run()

    #expect(acceptedCount == 1 && timerCount < timerCountMax)
  }

  @Test func `waking a loop that has ended has no effect`() throws {
    let loop = try SocketLoop(SocketLoopConfiguration())
    loop.post { loop.stop() }
    loop.run()

    loop.wake()

    #expect(!loop.post {})
  }
}
