import Dispatch
import Synchronization
import Testing

@testable import PickerServer

@Suite struct ShardedSessionTotalTests {
  @Test func `concurrent threads cannot exceed the limit`() {
    let total = ShardedSessionTotal()
    let taken = Atomic(0)

    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20_000 {
        guard total.take(max: 100) else { continue }
        if taken.add(1, ordering: .relaxed).newValue > 100 { Issue.record("over the limit") }
        taken.subtract(1, ordering: .relaxed)
        total.add(-1)
      }
    }

    for _ in 0..<100 { #expect(total.take(max: 100)) }
    #expect(!total.take(max: 100))
    total.add(-1)
    #expect(total.take(max: 100))
  }

  @Test func `concurrent threads lose no byte of the memory`() {
    let memory = ShardedSessionMemory(log: LogLines().log)
    memory.byteCountMax = 160_000

    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20_000 {
        memory.add(3)
        memory.add(-2)
      }
    }

    #expect(memory.byteCount == 160_000)
    #expect(memory.hasRoom(for: 0) && !memory.hasRoom(for: 1))
  }

  @Test func `a log says when sessions begin to be refused for memory, and when there is room`() {
    let lines = LogLines()
    let now = Mutex<Int64>(0)
    let memory = ShardedSessionMemory(log: lines.log, now: { now.withLock { $0 } })
    memory.byteCountMax = 100_000
    memory.add(90_000)
    let refused =
      "warning new sessions are refused: the sessions in memory take 90000 bytes of at most "
      + "100000 (--limit sessionsBytes=)"
    let accepted = "warning new sessions are accepted again: there is memory for them"

    for _ in 0..<3 { memory.refusedByteCount = 20_000 }
    #expect(lines.all.withLock(\.self) == [refused])
    memory.add(-5_000)
    #expect(lines.all.withLock(\.self) == [refused], "there is no room for one like the last")
    memory.add(-5_000)
    #expect(lines.all.withLock(\.self) == [refused, accepted])

    // Within the same minute nothing is logged again, however often it changes.
    for _ in 0..<100 { (memory.refusedByteCount, memory.refusedByteCount) = (30_000, 0) }
    #expect(lines.all.withLock(\.count) == 2)
    now.withLock { $0 = 60_000 }
    memory.refusedByteCount = 30_000
    memory.byteCountMax = 200_000
    memory.refusedByteCount = 0
    #expect(lines.all.withLock(\.count) == 4, "more memory is room, too")
  }
}
