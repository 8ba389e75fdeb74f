import PickerModel
import PickerSession

/// Tokens that expire, are renewed, or are revoked while their connections are open.
/// - Source: web/guide/README.md, "Let your users in".
extension Hub {
  /// Takes a verified token of a connection, which is closed some time after the token's `exp`.
  func noteToken(_ token: MemberToken, of connection: HubConnection) {
    if let due = connection.token.take(token, at: now.machine) {
      schedule.add(.token(connection.id), due: due)
    }
  }

  /// The token of a connection may have expired.
  func checkToken(of connection: HubConnection) {
    switch connection.token.check(at: now.machine) {
    case .valid: break
    case .checkAgain(let due): schedule.add(.token(connection.id), due: due)
    case .expired: close(connection, .tokenExpired, "the token has expired")
    }
  }

  /// Takes another token for a member.
  func renew(
    _ written: String, _ verifier: any TokenVerifier, of connection: HubConnection,
    _ member: MemberID, in hosted: HostedSession, at time: HubTime
  ) {
    let token: MemberToken
    do throws(TokenProblem) {
      token = try verifier.verify(written)
    } catch {
      return close(connection, error.closeCode, error.detail)
    }
    guard token.sessions.contains(hosted.id), admission.isInNamespace(token, hosted.session),
      token.subject.isExactly(connection.token.token?.subject)
    else {
      return close(connection, .badToken, "the token is for another session or sub")
    }
    guard !admission.isRevoked(token, of: member, in: hosted.session) else {
      return close(connection, .notAllowed, "the host has revoked the token")
    }
    let role = connection.token.token?.role
    noteToken(token, of: connection)
    if role != token.role {
      guard append(.roleChanged(member, token.role), to: hosted, at: time) else {
        return cannotStore(connection)
      }
    } else if !takeRole(of: connection, member, in: hosted, at: time) {
      return cannotStore(connection)
    }
    enqueue(
      .look { [unowned self] _ in
        guard let lifetime = connection.token.lifetime(at: now.machine) else { return }
        deliver(.retained(encoder.token(lifetime)), connection)
      }, in: hosted, at: time)
  }

  /// Gives a member the role of its connection's token. Another token, with which it has posted a
  /// command or joined over HTTP, may have given it a different one, and may have expired since.
  ///
  /// - Returns: `false` if the log cannot store the role.
  func takeRole(
    of connection: HubConnection, _ member: MemberID, in hosted: HostedSession, at time: HubTime
  ) -> Bool {
    guard let token = connection.token.token,
      case let role = hosted.session.fold.granted(
        token.role, subject: token.subject, member: member),
      let current = hosted.session.fold.members[member]?.role, current != role,
      !hosted.steps.changesRole(of: member, to: role)
    else { return true }
    return append(.roleChanged(member, role), to: hosted, at: time)
  }

  /// Closes the connections of the members whose tokens have been revoked, also those with tokens
  /// that were issued later, and those with tickets, which do not show whose they are.
  func closeRevoked(_ target: Revocation.Target, in hosted: HostedSession) {
    for id in hosted.connectionsInOrder {
      guard let connection = connections[id] else { continue }
      let isConcerned =
        if let token = connection.token.token {
          target.concerns(subject: token.subject, member: connection.member)
        } else {
          connection.ticket != nil
        }
      if isConcerned { close(connection, .notAllowed, "the host has revoked the token") }
    }
  }
}

/// Roles by the host.
extension Hub {
  /// Lets a role count in place of those of the tokens with which the user is connected.
  func grant(_ role: HostRole, in hosted: HostedSession) {
    let target = hosted.session.fold.roleTarget(of: role.target)
    for id in hosted.connectionsInOrder {
      guard let connection = connections[id],
        target.concerns(subject: connection.token.token?.subject, member: connection.member)
      else { continue }
      connection.token.grant(role.role)
    }
  }
}
