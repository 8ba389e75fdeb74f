import Foundation
import Synchronization
import Testing

@testable import SessionLog

/// Readers that wait for the feed have one timer.
@Suite struct FeedSignalTests {
  @Test func `readers are resumed at their own times, also one that waits again`() async {
    let signal = FeedSignal()
    let resumed = Mutex<[String]>([])
    await withCheckedContinuation { done in
      signal.wait(after: 0, milliseconds: 400) {
        resumed.withLock { $0.append("late") }
        done.resume()
      }
      signal.wait(after: 0, milliseconds: 200) { resumed.withLock { $0.append("middle") } }
      signal.wait(after: 0, milliseconds: 50) {
        resumed.withLock { $0.append("early") }
        signal.wait(after: 0, milliseconds: 50) { resumed.withLock { $0.append("again") } }
      }
    }

    #expect(resumed.withLock { $0 } == ["early", "again", "middle", "late"])
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
