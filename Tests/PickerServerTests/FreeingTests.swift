import CivilTime
import Foundation
import Synchronization
import Testing

@testable import BackgroundWork
@testable import WebSocketTransport

@Suite struct FreeingTests {
  /// Notes whether it was freed, and by which thread.
  private final class Freed: Sendable {
    private let note: @Sendable (_ isHere: Bool) -> Void
    private let thread = pthread_self()

    init(_ note: @escaping @Sendable (_ isHere: Bool) -> Void) { self.note = note }

    deinit { note(pthread_equal(thread, pthread_self()) != 0) }
  }

  @Test func `a value is freed on another thread when its last user has released it`() throws {
    let loop = try SocketLoop(SocketLoopConfiguration())
    let transport = HubTransport(
      loop, in: LoopGroup(), clock: SessionClock(manual: Instant(milliseconds: 0)),
      refusal: { _ in nil }, client: { _ in nil },
      problem: { status, _, _ in HTTPResponse(status: status) })
    let freed = Mutex<[Bool]>([])
    do {
      let value = Freed { isHere in freed.withLock { $0.append(isHere) } }
      transport.freeInBackground(value)
      HubTransport.freeing.drain()
      withExtendedLifetime(value) {}
    }
    #expect(freed.withLock { $0 } == [])
    loop.drainMailbox()
    HubTransport.freeing.drain()
    #expect(freed.withLock { $0 } == [false])
  }
}
