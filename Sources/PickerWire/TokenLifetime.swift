package import CivilTime
import JSONText

/// How long a member token is valid.
///
/// Contains the seconds because a client can measure them without a correct clock, and because the
/// server's `now` may be that of a session with `--clock manual`.
package struct TokenLifetime: Hashable, Sendable {
  /// The token's `exp`.
  package let expires: Instant
  /// The time until then; 0 if it has passed, within the permitted clock skew.
  package let remainingMilliseconds: Int64

  package init(expires: Instant, remainingMilliseconds: Int64) {
    self.expires = expires
    self.remainingMilliseconds = remainingMilliseconds
  }
}

extension JSONWriter {
  /// The members `expires` and `expiresInSeconds`, without a comma before them.
  mutating func lifetime(_ token: TokenLifetime) {
    literal("\"expires\":\"")
    raw(token.expires.rfc3339)
    literal("\",\"expiresInSeconds\":", Int(max(0, token.remainingMilliseconds / 1000)))
  }
}
