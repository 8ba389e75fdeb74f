/// How often something may happen: `perSecond` in the long run, `burst` at once.
package struct Rate: Hashable, Sendable {
  package let perSecond: Int
  package let burst: Int

  package init(perSecond: Int, burst: Int) {
    precondition(perSecond > 0 && burst > 0, "a rate allows something")
    self.perSecond = perSecond
    self.burst = burst
  }

  /// Nanoseconds until one token comes back.
  var tokenNanoseconds: Int64 { max(1, 1_000_000_000 / Int64(perSecond)) }
  /// Nanoseconds until an empty bucket is full.
  var refillNanoseconds: Int64 { tokenNanoseconds * Int64(burst) }

  func times(_ factor: Int) -> Rate { Rate(perSecond: perSecond * factor, burst: burst * factor) }
}

/// A token bucket: holds `burst` tokens, gets `perSecond` a second, and gives one per request.
///
/// It stores only the time at which it will be full, so that a full bucket and none are the same.
struct TokenBucket: Hashable, Sendable {
  /// Nanoseconds of a clock that never steps.
  private(set) var fullAt: Int64 = .min

  /// How long it takes until there is a token: 0 if there is one.
  func wait(at now: Int64, _ rate: Rate) -> Int64 {
    let fullAfter = max(fullAt, now) + rate.tokenNanoseconds
    return max(0, fullAfter - now - rate.refillNanoseconds)
  }

  mutating func take(at now: Int64, _ rate: Rate) {
    fullAt = max(fullAt, now) + rate.tokenNanoseconds
  }
}
