import Foundation

/// Whether the wall clock is to be believed at a start.
///
/// A machine may start with its clock a year ahead, until it is corrected. Sessions whose time to
/// live ran out by such a clock must not be deleted before somebody could correct it.
struct ClockDoubt: Sendable {
  /// A store that nobody has written for longer than this raises the doubt. A server that has
  /// been down so long loses nothing by it: its sessions only end an hour later.
  static let pauseMilliseconds: Int64 = 86_400_000
  /// How long sessions live after a doubtful start.
  static let graceMilliseconds: Int64 = 3_600_000

  let isRaised: Bool
  private let end: DispatchTime

  /// - Parameters:
  ///   - lastWritten: When the store was last written, in milliseconds since 1970; `nil` if it does
  ///     not say.
  ///   - now: The wall clock's time.
  init(
    lastWritten: Int64?, now: Int64 = Int64(Date.now.timeIntervalSince1970 * 1000)
  ) {
    isRaised = lastWritten.map { now - $0 > ClockDoubt.pauseMilliseconds } ?? false
    end = .now() + .milliseconds(isRaised ? Int(ClockDoubt.graceMilliseconds) : 0)
  }

  /// Whether the clock may be noted. Not within the hour: a start after it must doubt again.
  var isOver: Bool { !isRaised || DispatchTime.now() >= end }

  /// How long a session has been idle, as its time to live is counted.
  func idleMilliseconds(_ idle: Int64, ttlSeconds: Int) -> Int64 {
    guard isRaised else { return idle }
    return min(idle, Int64(ttlSeconds) * 1000 - ClockDoubt.graceMilliseconds)
  }
}
