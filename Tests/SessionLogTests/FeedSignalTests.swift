import Foundation
import Synchronization
import Testing

@testable import SessionLog

/// Readers that wait for the feed have one timer.
@Suite struct FeedSignalTests {
  @Test(.timeLimit(.minutes(1)))
  func `readers are resumed after their own times, also one that waits again`() async {
    let signal = FeedSignal()
    let begun = ContinuousClock.now
    let early = Mutex<[String]>([])
    let resumed = Mutex<[String]>([])
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      @Sendable func wait(
        _ name: String, _ milliseconds: Int, after start: ContinuousClock.Instant,
        then: @escaping @Sendable () -> Void = {}
      ) {
        let due = start + .milliseconds(milliseconds)
        signal.wait(after: 0, milliseconds: milliseconds) {
          if ContinuousClock.now < due { early.withLock { $0.append(name) } }
          let count = resumed.withLock { names -> Int in
            names.append(name)
            return names.count
          }
          then()
          if count == 3 { done.resume() }
        }
      }
      wait("hour", 3_600_000, after: begun)
      wait("last", 200, after: begun)
      wait("first", 50, after: begun) { wait("again", 50, after: ContinuousClock.now) }
    }

    #expect(early.withLock { $0 } == [])
    #expect(Set(resumed.withLock { $0 }) == ["first", "again", "last"])
    #expect(signal.waiterCount == 1, "the one of an hour")
    signal.advance(to: 1)
    #expect(signal.waiterCount == 0)
  }

  @Test func `an event resumes all readers, and their deadlines do nothing`() async throws {
    let signal = FeedSignal()
    let count = Mutex(0)
    for _ in 0..<3 {
      signal.wait(after: 0, milliseconds: 50) { count.withLock { $0 += 1 } }
    }
    signal.advance(to: 1)
    #expect(count.withLock { $0 } == 3)

    signal.wait(after: 0, milliseconds: 50) { count.withLock { $0 += 1 } }
    try await Task.sleep(for: .milliseconds(150))

    #expect(count.withLock { $0 } == 4, "there is an event after 0 already")
    #expect(signal.waiterCount == 0)
  }
}
