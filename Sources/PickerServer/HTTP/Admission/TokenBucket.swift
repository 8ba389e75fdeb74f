/// The rate of a token bucket: `perSecond` on average, `burst` at a time.
package struct Rate: Hashable, Sendable {
  package let perSecond: Int
  package let burst: Int

  /// - Parameter burst: `nil` for the tokens of a second.
  package init(perSecond: Int, burst: Int? = nil) {
    let burst = burst ?? perSecond
    precondition(perSecond > 0 && burst > 0, "a rate must be positive")
    self.perSecond = perSecond
    self.burst = burst
  }

  /// The time in which one token is added.
  var tokenNanoseconds: Int64 { max(1, 1_000_000_000 / Int64(perSecond)) }
  /// The time in which an empty bucket is filled.
  var refillNanoseconds: Int64 { tokenNanoseconds * Int64(burst) }

  func times(_ factor: Int) -> Rate { Rate(perSecond: perSecond * factor, burst: burst * factor) }
}

/// A token bucket. It only stores the time at which it will be full, so that a new bucket is full.
struct TokenBucket: Hashable, Sendable {
  /// Nanoseconds of a monotonic clock.
  private(set) var fullAt: Int64 = .min

  /// The time until tokens are available: 0 if they are available now. More tokens than the burst
  /// count as the burst.
  func wait(for tokens: Int = 1, at now: Int64, _ rate: Rate) -> Int64 {
    max(0, fullAt(without: tokens, at: now, rate) - now - rate.refillNanoseconds)
  }

  /// Takes tokens. The caller must have checked that ``wait(for:at:_:)`` is 0.
  mutating func take(_ tokens: Int = 1, at now: Int64, _ rate: Rate) {
    fullAt = fullAt(without: tokens, at: now, rate)
  }

  private func fullAt(without tokens: Int, at now: Int64, _ rate: Rate) -> Int64 {
    max(fullAt, now) + rate.tokenNanoseconds * Int64(min(tokens, rate.burst))
  }
}
