import AllocationCount
import Glibc

/// What one of many equal things costs.
struct Cost {
  /// Nanoseconds of this thread's processor time, of the fastest batch.
  let nanoseconds: Double
  /// Of the batch with the fewest. The same in each run of one build.
  let allocations: Double

  /// Measures `count` equal things, batch after batch.
  ///
  /// - Parameters:
  ///   - prepare: Makes what a batch needs; not measured.
  ///   - run: Does `count` of them.
  static func measure<Batch>(
    count: Int, batches: Int = 9, prepare: () -> Batch, run: (Batch) -> Void
  ) -> Cost {
    run(prepare())
    var nanoseconds = Double.infinity
    var allocations = Double.infinity
    for _ in 0..<batches {
      let batch = prepare()
      let countBefore = allocation_count()
      let before = threadNanoseconds()
      run(batch)
      let after = threadNanoseconds()
      let made = allocation_count() - countBefore
      nanoseconds = min(nanoseconds, Double(after - before) / Double(count))
      allocations = min(allocations, Double(made) / Double(count))
    }
    return Cost(nanoseconds: nanoseconds, allocations: allocations)
  }

  static func + (left: Cost, right: Cost) -> Cost {
    Cost(
      nanoseconds: left.nanoseconds + right.nanoseconds,
      allocations: left.allocations + right.allocations)
  }
}

private func threadNanoseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Keeps the optimiser from leaving out what nobody looks at.
@inline(never)
func keep<Value>(_ value: borrowing Value) {}
