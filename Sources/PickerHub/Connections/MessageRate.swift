/// A message rate limit over windows of one second. A window begins with a message.
struct MessageRate {
  private var windowStart: Int64 = -1000
  private var count = 0

  /// When the next window can begin, in machine milliseconds.
  var nextWindow: Int64 { windowStart + 1000 }

  enum Verdict {
    case within, over, farOver
  }

  /// Counts one message.
  ///
  /// - Parameters:
  ///   - now: The monotonic clock in milliseconds.
  ///   - countMax: The limit of messages a second. More than ten times as many are `farOver`.
  mutating func count(at now: Int64, countMax: Int) -> Verdict {
    if now - windowStart >= 1000 {
      windowStart = now
      count = 0
    }
    count += 1
    if count > 10 * countMax { return .farOver }
    return count > countMax ? .over : .within
  }
}
