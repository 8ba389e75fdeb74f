import Dispatch
import Synchronization
import Testing

@testable import PickerServer

@Suite struct SharedSessionTotalTests {
  @Test func `concurrent threads cannot exceed the limit`() {
    let total = SharedSessionTotal()
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
    let memory = SharedSessionMemory()
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
}
