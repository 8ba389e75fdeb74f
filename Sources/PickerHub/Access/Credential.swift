import PickerSession

/// What a request proves about its sender.
package enum Credential: Hashable, Sendable {
  /// A bearer token, with `--auth open` and `token`: compared with those of the session.
  case token(String)
  /// An API key whose scopes the route has checked.
  case key
  /// Such a key that has a namespace: for it, other sessions do not exist.
  case namespaceKey(String)
  /// A client of the admin listener on the server's machine, with `--auth open` and `token`.
  case `operator`
  /// A member token whose signature and time have been verified.
  case member(MemberToken)
  /// Such a token on a request that needs an API key with a scope.
  case memberWithoutKey(MemberToken, scope: String)
}

extension Credential {
  /// Whether it is an API key.
  package var isKey: Bool {
    switch self {
    case .key, .namespaceKey: true
    case .token, .operator, .member, .memberWithoutKey: false
    }
  }

  /// The namespace of an API key that has one.
  package var namespace: String? {
    if case .namespaceKey(let namespace) = self { namespace } else { nil }
  }

  /// The member token, if it is one.
  var member: MemberToken? { if case .member(let token) = self { token } else { nil } }

  /// The locale of a member token that has one.
  package var locale: String? { member?.locale }

  /// False for a member token of other sessions.
  func mayName(_ session: SessionID) -> Bool {
    switch self {
    case .token, .key, .namespaceKey, .operator: true
    case .member(let token), .memberWithoutKey(let token, scope: _):
      token.sessions.contains(session)
    }
  }
}

extension Credential {
  /// When connections with a member token are closed, as ``HubTime/machine``; `nil` for others.
  package func tokenEnd(at now: Int64) -> Int64? {
    member.map { now + $0.remainingMilliseconds + tokenGraceMilliseconds }
  }
}
