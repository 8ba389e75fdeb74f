import PickerWire

/// The member token of a connection, and when the connection is closed because of it.
///
/// Invariant: while a token is there, a timer that checks it is queued for its end or earlier; the
/// caller adds the timers that it is asked for. Another timer is added only if the new token ends
/// before the queued one.
struct TokenExpiry {
  private(set) var token: MemberToken?
  /// When the connection is closed, as ``HubTime/machine``.
  private var endsAt: Int64?
  /// When the first queued timer checks that.
  private var queued: Int64?

  enum Check: Hashable {
    case valid
    /// The token was renewed; the caller adds a timer that checks the new one.
    case checkAgain(due: Int64)
    case expired
  }

  /// Takes a verified token in place of the one before.
  ///
  /// - Returns: When the caller's timer checks it; `nil` if a queued one does.
  mutating func take(_ token: MemberToken, at now: Int64) -> Int64? {
    self.token = token
    let endsAt = now + token.remainingMilliseconds + tokenGraceMilliseconds
    self.endsAt = endsAt
    if let queued, queued <= endsAt { return nil }
    queued = endsAt
    return endsAt
  }

  /// How long the token is still valid; `nil` without one.
  func lifetime(at now: Int64) -> TokenLifetime? {
    guard let token, let endsAt else { return nil }
    return TokenLifetime(
      expires: token.expires, remainingMilliseconds: endsAt - tokenGraceMilliseconds - now)
  }

  func isOver(at now: Int64) -> Bool { endsAt.map { $0 <= now } ?? false }

  /// A timer has fired.
  mutating func check(at now: Int64) -> Check {
    guard let endsAt else { return .valid }
    if endsAt <= now { return .expired }
    if let queued, queued > now { return .valid }
    queued = endsAt
    return .checkAgain(due: endsAt)
  }
}
