import PickerSession
import PickerWire

/// The member token of a connection, and when the connection is closed because of it.
///
/// Invariant: while a token is there, a timer that checks it is queued for its end or earlier; the
/// caller adds the timers that it is asked for. Another timer is added only if the new token ends
/// before the queued one.
struct TokenExpiry {
  /// A separate object, because a token is large and most connections have none.
  private final class Held {
    let token: MemberToken
    /// When the connection is closed, as ``HubTime/machine``.
    let endsAt: Int64
    /// When the first queued timer checks that.
    let queued: Int64

    init(_ token: MemberToken, endsAt: Int64, queued: Int64) {
      self.token = token
      self.endsAt = endsAt
      self.queued = queued
    }
  }

  private var held: Held?

  enum Check: Hashable {
    case valid
    /// The token was renewed; the caller adds a timer that checks the new one.
    case checkAgain(due: Int64)
    case expired
  }

  var token: MemberToken? { held?.token }

  /// Takes a verified token in place of the one before.
  ///
  /// - Returns: When the caller's timer checks it; `nil` if a queued one does.
  mutating func take(_ token: MemberToken, at now: Int64) -> Int64? {
    let endsAt = now + token.remainingMilliseconds + tokenGraceMilliseconds
    if let queued = held?.queued, queued <= endsAt {
      held = Held(token, endsAt: endsAt, queued: queued)
      return nil
    }
    held = Held(token, endsAt: endsAt, queued: endsAt)
    return endsAt
  }

  /// The host has given the member another role than the token.
  mutating func grant(_ role: Role) {
    guard let held else { return }
    var token = held.token
    token.role = role
    self.held = Held(token, endsAt: held.endsAt, queued: held.queued)
  }

  /// How long the token is still valid; `nil` without one.
  func lifetime(at now: Int64) -> TokenLifetime? {
    guard let held else { return nil }
    return TokenLifetime(
      expires: held.token.expires,
      remainingMilliseconds: held.endsAt - tokenGraceMilliseconds - now)
  }

  func isOver(at now: Int64) -> Bool { held.map { $0.endsAt <= now } ?? false }

  /// A timer has fired.
  mutating func check(at now: Int64) -> Check {
    guard let held else { return .valid }
    if held.endsAt <= now { return .expired }
    if held.queued > now { return .valid }
    self.held = Held(held.token, endsAt: held.endsAt, queued: held.endsAt)
    return .checkAgain(due: held.endsAt)
  }
}
