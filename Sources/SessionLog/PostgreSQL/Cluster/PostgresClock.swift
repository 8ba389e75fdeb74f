import Foundation
import Synchronization

/// The clock of the database, which all nodes share although their own clocks may differ.
///
/// It is the monotonic clock of this machine plus a measured difference, so that it does not follow
/// when this machine's wall clock is set.
final class PostgresClock: Sendable {
  private let difference = Atomic<Int64>(0)
  private let samples = Mutex<[(difference: Int64, nanoseconds: Int64)]>([])
  /// The number of measurements of which the one with the fastest answer counts.
  private static let sampleCount = 8

  /// Milliseconds since 1970.
  var now: Int64 {
    PostgresClock.nanoseconds / 1_000_000 + difference.load(ordering: .relaxed)
  }

  private static var nanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec * 1_000_000_000 + time.tv_nsec)
  }

  /// Measures the difference: the database has read its clock in the middle of the round trip, with
  /// an error of at most half of it.
  func measure(_ connection: PostgresConnection) throws(PostgresError) {
    let begin = PostgresClock.nanoseconds
    let now = try connection.run("SELECT now_ms()").int(0, 0) ?? 0
    let end = PostgresClock.nanoseconds
    let sample = (difference: Int64(now) - (begin + end) / 2_000_000, nanoseconds: end - begin)
    let best = samples.withLock { samples in
      samples = samples.suffix(PostgresClock.sampleCount - 1) + [sample]
      return samples.min { $0.nanoseconds < $1.nanoseconds } ?? sample
    }
    difference.store(best.difference, ordering: .relaxed)
  }

  /// Forgets the measurements: the next connection may lead to another machine.
  func forget() { samples.withLock { $0 = [] } }
}
