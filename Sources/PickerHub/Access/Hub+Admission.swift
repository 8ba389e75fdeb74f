import PickerModel
import PickerSession
import PickerWire

/// How long after a token's `exp` its connection is closed: less than the clock skew that is
/// tolerated.
let tokenGraceMilliseconds: Int64 = 25_000

/// Decides which requests and connections a session admits.
///
/// Both the server's mode and that of the session count, so that neither a server without keys nor
/// an older session is ever open by mistake.
extension Hub {
  /// Checks a request.
  ///
  /// - Parameter role: The role that it needs; with `--auth keys` members may only read, and
  ///   everything else needs a key.
  /// - Throws: The problem. With `--auth keys` members get ``HubProblem/noSuchSession`` for
  ///   everything that their token does not allow.
  func admit(
    _ credential: Credential?, to hosted: HostedSession, needs role: Role
  ) throws(HubProblem) {
    let access = hosted.session.fold.origin.access
    switch configuration.authentication {
    case .keys: try admit(credential, withKeysTo: hosted, access, needs: role)
    case .open, .token:
      switch access {
      case .open: return
      case .keys: throw credential == nil ? .noToken : .badToken
      case .tokens:
        guard let credential else { throw .noToken }
        guard let known = self.role(of: credential, in: hosted) else { throw .badToken }
        guard known >= role else {
          throw .notAllowed("this needs the role \(role); the token grants \(known)")
        }
      }
    }
  }

  private func admit(
    _ credential: Credential?, withKeysTo hosted: HostedSession, _ access: SessionOrigin.Access,
    needs role: Role
  ) throws(HubProblem) {
    switch credential {
    case nil: throw .noToken
    case .token: throw .badToken
    case .key: return
    case .member(let token):
      guard access == .keys, role == .viewer, token.sessions.contains(hosted.id),
        !isRevoked(token, of: nil, in: hosted)
      else { throw .noSuchSession }
    }
  }

  /// - Throws: If a revocation was made after the ticket was issued.
  func admit(_ ticket: Ticket, to hosted: HostedSession) throws(HubProblem) {
    if let latest = hosted.session.fold.revocations.latest, ticket.issuedAt <= latest {
      throw .badToken
    }
  }

  /// The role of a token of the session's creation.
  func role(of credential: Credential?, in hosted: HostedSession) -> Role? {
    guard case .token(let token)? = credential else { return nil }
    return hosted.session.fold.origin.role(of: identities.hash(token))
  }

  func isRevoked(_ token: MemberToken, of member: MemberID?, in hosted: HostedSession) -> Bool {
    hosted.session.fold.revocations.revokes(
      tokenIssuedAt: token.issuedAt, subject: token.subject, member: member)
  }
}

/// Connections.
extension Hub {
  /// With `--auth keys`, verifies the token of a connection's first message before anything depends
  /// on the session, so that a stranger learns nothing about it and does not get it loaded.
  ///
  /// - Returns: False if the connection has been closed.
  func admitFirst(_ text: Span<UInt8>, of connection: HubConnection) -> Bool {
    guard case .keys(let verifier) = configuration.authentication,
      case .silent = connection.phase, connection.token == nil
    else { return true }
    do {
      let message = try ClientMessage.decode(text)
      guard case .join(let join) = message else {
        close(connection, .badMessage, "the first message must be join")
        return false
      }
      guard let written = join.token ?? connection.bearer else {
        close(connection, .badToken, "this server needs a token in join or Authorization")
        return false
      }
      let token = try verifier.verify(written)
      guard token.sessions.contains(connection.session), directory.exists(connection.session)
      else {
        close(connection, .noSuchSession, "session not found")
        return false
      }
      noteToken(token, of: connection)
      return true
    } catch let problem as BadMessage {
      close(connection, .badMessage, problem.detail)
    } catch let problem as TokenProblem {
      close(connection, .badToken, problem.detail)
    } catch {
      close(connection, .badToken, "invalid token")
    }
    return false
  }

  /// The role with which a connection joins; `nil` for the role that the order of joining gives.
  /// Closes the connection if it may not join.
  func admitJoin(
    _ join: ClientMessage.Join, of connection: HubConnection, to hosted: HostedSession
  ) -> (isAdmitted: Bool, role: Role?) {
    switch (configuration.authentication, hosted.session.fold.origin.access) {
    case (.open, .open), (.token, .open): return (true, nil)
    case (.open, .tokens), (.token, .tokens):
      guard let token = join.token ?? connection.bearer else {
        close(connection, .badToken, "this session needs a token in join or Authorization")
        return (false, nil)
      }
      guard let role = role(of: .token(token), in: hosted) else {
        close(connection, .badToken, "invalid token for this session")
        return (false, nil)
      }
      return (true, role)
    case (.open, .keys), (.token, .keys):
      close(connection, .badToken, "this session needs a server with --auth keys")
      return (false, nil)
    case (.keys, .open), (.keys, .tokens):
      // Created in another mode: a host's token does not admit to it.
      close(connection, .noSuchSession, "session not found")
      return (false, nil)
    case (.keys, .keys):
      guard let token = connection.token else {
        close(connection, .badToken, "this server needs a token in join or Authorization")
        return (false, nil)
      }
      return (admit(token, of: connection, join.resume, to: hosted), token.role)
    }
  }

  private func admit(
    _ token: MemberToken, of connection: HubConnection, _ resume: ClientMessage.Resume?,
    to hosted: HostedSession
  ) -> Bool {
    if isRevoked(token, of: resume.map { MemberID($0.member) }, in: hosted) {
      close(connection, .notAllowed, "the host has revoked the token")
      return false
    }
    if let endsAt = connection.tokenEndsAt, endsAt <= now.machine {
      close(connection, .tokenExpired, "the token has expired")
      return false
    }
    return true
  }
}
