import AllocationCount
import Glibc

/// The cost of one of many equal operations.
struct Cost {
  /// CPU time of this thread in nanoseconds, from the fastest batch.
  let nanoseconds: Double
  /// From the batch with the fewest. The same in every run of one build.
  let allocations: Double

  /// Allocations need fewer repetitions than times, because they do not vary.
  static let repetitions = isCheck ? (batches: 2, rounds: 2) : (batches: 9, rounds: 15)

  /// Measures `count` equal operations in several batches.
  ///
  /// - Parameters:
  ///   - prepare: Creates the input of a batch; not measured.
  ///   - run: Performs `count` operations.
  static func measure<Batch>(
    count: Int, batches: Int = repetitions.batches, prepare: () -> Batch, run: (Batch) -> Void
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

  /// The lower figures of two measurements of the same operation.
  func least(_ other: Cost) -> Cost {
    Cost(
      nanoseconds: min(nanoseconds, other.nanoseconds),
      allocations: min(allocations, other.allocations))
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

/// Prevents the optimizer from removing the computation of an unused value.
@inline(never)
func keep<Value>(_ value: borrowing Value) {}
