import Foundation
import Glibc
import Synchronization
import Testing

@testable import BackgroundWork

@Suite struct BackgroundQueueTests {
  @Test func `work is done in order, on a thread with a lower priority than the others`() async {
    let queue = BackgroundQueue(name: "test")
    var found: [[Int32]] = []

    for number in 1...3 as ClosedRange<Int32> {
      let one = await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: [number, niceValue()]) }
      }
      found.append(one)
    }

    #expect(found == [[1, 10], [2, 10], [3, 10]])
    #expect(niceValue() == 0)
  }

  @Test func `drain waits for the work that was added before`() {
    let queue = BackgroundQueue(name: "test")
    let count = Mutex(0)
    for _ in 1...100 { queue.async { count.withLock { $0 += 1 } } }

    queue.drain()

    #expect(count.withLock { $0 } == 100)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a released queue does its work and ends its thread`() async throws {
    let thread = try await withCheckedThrowingContinuation { continuation in
      let queue = BackgroundQueue(name: "test")
      queue.async {
        continuation.resume(
          with: Result {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
          })
      }
    }

    while FileManager.default.fileExists(atPath: "/proc/\(thread)") {
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}

/// The `nice` value of the calling thread.
private func niceValue() -> Int32 { getpriority(Int32(PRIO_PROCESS.rawValue), 0) }
