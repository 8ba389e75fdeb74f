import Glibc
import Testing

@testable import WebSocketTransport

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
}

/// The `nice` value of the calling thread.
private func niceValue() -> Int32 { getpriority(Int32(PRIO_PROCESS.rawValue), 0) }
