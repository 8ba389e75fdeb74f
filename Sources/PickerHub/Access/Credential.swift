package import CivilTime
import PickerSession

/// What a request proves about its sender.
package enum Credential: Hashable, Sendable {
  /// A bearer token, with `--auth open` and `token`: compared with those of the session.
  case token(String)
  /// An API key whose scopes the route has checked.
  case key
  /// A client of the admin listener on the server's machine, with `--auth open` and `token`.
  case `operator`
  /// A member token whose signature and time have been verified.
  case member(MemberToken)
}

/// A valid ticket, which grants a viewer's rights without a token.
package struct Ticket: Hashable, Sendable {
  /// When it was issued, by the machine's clock: revocations end tickets that are older.
  package let issuedAt: Instant
  /// When the token for which it was issued ends, as ``HubTime/machine``; `nil` if it does not.
  package let endsAt: Int64?

  package init(issuedAt: Instant, endsAt: Int64? = nil) {
    self.issuedAt = issuedAt
    self.endsAt = endsAt
  }

  /// The ticket in a session's links: the same one until the next revocation, which ends it.
  ///
  /// - Parameter revocation: The time of the latest revocation.
  init(after revocation: Instant?) {
    self.init(issuedAt: Instant(milliseconds: (revocation?.milliseconds ?? 0) + 1))
  }
}

extension Credential {
  /// The member token, if it is one.
  var member: MemberToken? { if case .member(let token) = self { token } else { nil } }

  /// False for a member token of other sessions.
  func mayName(_ session: SessionID) -> Bool {
    switch self {
    case .token, .key, .operator: true
    case .member(let token): token.sessions.contains(session)
    }
  }
}

extension Credential {
  /// When connections with a member token are closed, as ``HubTime/machine``; `nil` for others.
  package func tokenEnd(at now: Int64) -> Int64? {
    member.map { now + $0.remainingMilliseconds + tokenGraceMilliseconds }
  }
}
