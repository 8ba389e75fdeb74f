import Foundation
import PickerHub

/// Whether the wall clock is plausible at a start.
///
/// A machine may start with its clock a year ahead, until the clock is corrected. Until then no
/// session, event or idempotency key may be deleted because it is too old by that clock.
struct ClockDoubt: Sendable {
  /// The clock is in doubt if the store was not written for longer than this. If the server really
  /// was down so long, its expired sessions only end an hour later.
  static let pauseMilliseconds: Int64 = 86_400_000
  /// The time that every session lives at least after a start with a doubtful clock.
  static let graceMilliseconds: Int64 = 3_600_000

  let isRaised: Bool
  /// The time of the start by the wall clock.
  private let start: Int64
  private let end: DispatchTime

  /// - Parameters:
  ///   - lastWritten: The time of the last write, in milliseconds since 1970; `nil` if unknown.
  ///   - now: The time by the wall clock.
  init(lastWritten: Int64?, now: Int64) {
    start = now
    isRaised = lastWritten.map { now - $0 > ClockDoubt.pauseMilliseconds } ?? false
    end = .now() + .milliseconds(isRaised ? Int(ClockDoubt.graceMilliseconds) : 0)
  }

  /// Whether the current time may be stored as that of the last write. Not during the grace time: a
  /// restart within it must be in doubt again.
  var isOver: Bool { !isRaised || DispatchTime.now() >= end }

  /// The time of an idempotency key, changed after a doubtful start so that the key is stored for
  /// the grace time.
  func keyTime(_ time: Int64) -> Int64 {
    guard isRaised else { return time }
    return max(time, start - SessionIndex.keyMilliseconds + ClockDoubt.graceMilliseconds)
  }

  /// The idle time of a session, reduced after a doubtful start so that the session lives for the
  /// grace time.
  func idleMilliseconds(_ idle: Int64, ttlSeconds: Int) -> Int64 {
    guard isRaised else { return idle }
    return min(idle, Int64(ttlSeconds) * 1000 - ClockDoubt.graceMilliseconds)
  }
}
