import PickerModel
import PickerSession
import PickerWire

/// How long after a token's `exp` its connection is closed: less than the clock skew that is
/// tolerated.
let tokenGraceMilliseconds: Int64 = 25_000

/// Decides which requests and connections a session admits.
///
/// Both the server's mode and that of the session count, so that neither a server without keys nor
/// an older session is ever open by mistake. It has no state that changes: credentials and sessions
/// come as arguments, decisions are values, and the caller acts on them.
struct Admission {
  private let authentication: HubConfiguration.Authentication
  /// For its hash only.
  private let identities: IdentitySource

  init(_ authentication: HubConfiguration.Authentication, _ identities: IdentitySource) {
    self.authentication = authentication
    self.identities = identities
  }

  /// Why a connection is closed.
  struct Denial: Error {
    let code: CloseCode
    let detail: String

    init(_ code: CloseCode, _ detail: String) {
      self.code = code
      self.detail = detail
    }
  }

  /// Verifies the host's tokens; `nil` without `--auth keys`.
  var verifier: (any TokenVerifier)? {
    if case .keys(let verifier) = authentication { verifier } else { nil }
  }

  /// Whether a connection without a valid token must not learn which sessions exist.
  var hidesSessions: Bool { verifier != nil }

  /// The role of a token of the session's creation.
  func role(of credential: Credential?, in session: Session) -> Role? {
    guard case .token(let token)? = credential else { return nil }
    return session.fold.origin.role(of: identities.hash(token))
  }

  func isRevoked(_ token: MemberToken, of member: MemberID?, in session: Session) -> Bool {
    session.fold.revocations.revokes(
      tokenIssuedAt: token.issuedAt, subject: token.subject, member: member)
  }
}

/// Requests.
extension Admission {
  /// Checks a request.
  ///
  /// - Parameters:
  ///   - ticket: A valid ticket, which grants a viewer's rights without a token.
  ///   - role: The role that it needs; with `--auth keys` members may only read, and everything
  ///     else needs a key.
  /// - Throws: The problem. With `--auth keys` members get ``HubProblem/noSuchSession`` for
  ///   sessions that their token does not name, or does not any more.
  func admit(
    _ credential: Credential?, _ ticket: Ticket? = nil, to session: Session, needs role: Role
  ) throws(HubProblem) {
    if role == .viewer, let ticket { return try admit(ticket, to: session) }
    if let namespace = credential?.namespace, namespace != session.fold.origin.host.namespace {
      throw .noSuchSession
    }
    let access = session.fold.origin.access
    switch authentication {
    case .keys: try admit(credential, withKeysTo: session, access, needs: role)
    case .open, .token:
      if credential == .operator { return }
      switch access {
      case .open: return
      case .keys: throw credential == nil ? .noToken : .badToken
      case .creator where role < .owner: return
      case .creator, .tokens:
        guard let credential else { throw .noToken }
        guard let known = self.role(of: credential, in: session) else { throw .badToken }
        guard known >= role else {
          throw .notAllowed("this needs the role \(role); the token grants \(known)")
        }
      }
    }
  }

  private func admit(
    _ credential: Credential?, withKeysTo session: Session, _ access: SessionOrigin.Access,
    needs role: Role
  ) throws(HubProblem) {
    switch credential {
    case nil: throw .noToken
    case .token, .operator: throw .badToken
    case .key, .namespaceKey: return
    case .member(let token):
      guard role == .viewer, admits(token, to: session, access) else { throw .noSuchSession }
    case .memberWithoutKey(let token, let scope):
      guard admits(token, to: session, access) else { throw .noSuchSession }
      throw .notAllowed("this requires an API key with the scope \(scope)")
    }
  }

  private func admits(
    _ token: MemberToken, to session: Session, _ access: SessionOrigin.Access
  ) -> Bool {
    access == .keys && token.sessions.contains(session.id) && isInNamespace(token, session)
      && !isRevoked(token, of: nil, in: session)
  }

  /// Whether the key that signed a token may know of the session.
  func isInNamespace(_ token: MemberToken, _ session: Session) -> Bool {
    token.namespace == nil || token.namespace == session.fold.origin.host.namespace
  }

  /// Whether the sender of an admitted request may change the session, and therefore sees what
  /// members must not: bookings of others and the host's own fields.
  func allowsChange(_ credential: Credential?, of session: Session) -> Bool {
    (try? admit(credential, to: session, needs: .owner)) != nil
  }

  /// Whether the sender of an admitted request sees the parts of all members: with an owner's
  /// token or a host's key. In a session without tokens nobody has one.
  func seesParts(_ credential: Credential?, of session: Session) -> Bool {
    switch credential {
    case nil: false
    case .key, .namespaceKey, .operator: true
    case .member(let token), .memberWithoutKey(let token, _):
      session.fold.granted(token.role, subject: token.subject) == .owner
    case .token: role(of: credential, in: session) == .owner
    }
  }

  /// - Throws: If a revocation was made after the ticket was issued.
  private func admit(_ ticket: Ticket, to session: Session) throws(HubProblem) {
    guard !ticket.isLasting, let latest = session.fold.revocations.latest else { return }
    guard let known = ticket.lastRevocation, known >= latest else { throw .badToken }
  }
}

/// Connections.
extension Admission {
  /// With `--auth keys`, verifies the token of a connection's first message before anything depends
  /// on the session, so that a stranger learns nothing about it and does not get it loaded.
  ///
  /// - Parameters:
  ///   - bearer: The token of the connection's `Authorization` header.
  ///   - session: The session of the connection; `nil` if it does not exist.
  /// - Returns: The token; `nil` in the other modes.
  func admitFirst(
    _ text: Span<UInt8>, bearer: String?, to session: SessionID?
  ) throws(Denial) -> MemberToken? {
    guard let verifier else { return nil }
    let message: ClientMessage
    do throws(BadMessage) {
      message = try ClientMessage.decode(text)
    } catch {
      throw Denial(.badMessage, error.detail)
    }
    guard case .join(let join) = message else {
      throw Denial(.badMessage, "the first message must be join")
    }
    guard let written = join.token ?? bearer else {
      throw Denial(.badToken, "this server needs a token in join or Authorization")
    }
    let token: MemberToken
    do throws(TokenProblem) {
      token = try verifier.verify(written)
    } catch {
      throw Denial(error.closeCode, error.detail)
    }
    guard let session, token.sessions.contains(session) else {
      throw Denial(.noSuchSession, "session not found")
    }
    return token
  }

  /// The role with which a connection joins; `nil` for the role that the order of joining gives.
  ///
  /// - Parameter token: The connection's verified token, with `--auth keys`.
  func admit(
    _ join: ClientMessage.Join, bearer: String?, _ token: TokenExpiry, to session: Session,
    at now: Int64
  ) throws(Denial) -> Role? {
    switch (authentication, session.fold.origin.access) {
    case (.open, .open), (.token, .open): return nil
    case (.open, .creator), (.token, .creator):
      return (join.token ?? bearer).flatMap { role(of: .token($0), in: session) }
    case (.open, .tokens), (.token, .tokens):
      guard let written = join.token ?? bearer else {
        throw Denial(.badToken, "this session needs a token in join or Authorization")
      }
      guard let role = role(of: .token(written), in: session) else {
        throw Denial(.badToken, "invalid token for this session")
      }
      return role
    case (.open, .keys), (.token, .keys):
      throw Denial(.badToken, "this session needs a server with --auth keys")
    case (.keys, .open), (.keys, .creator), (.keys, .tokens):
      // Created in another mode: a host's token does not admit to it.
      throw Denial(.noSuchSession, "session not found")
    case (.keys, .keys):
      guard let verified = token.token else {
        throw Denial(.badToken, "this server needs a token in join or Authorization")
      }
      guard isInNamespace(verified, session) else {
        throw Denial(.noSuchSession, "session not found")
      }
      if isRevoked(verified, of: join.resume.map { MemberID($0.member) }, in: session) {
        throw Denial(.notAllowed, "the host has revoked the token")
      }
      if token.isOver(at: now) { throw Denial(.tokenExpired, "the token has expired") }
      return session.fold.granted(
        verified.role, subject: verified.subject, member: join.resume.map { MemberID($0.member) })
    }
  }
}

/// Creations.
extension Admission {
  /// How a new session's members get their roles, and the tokens that its creator gets. Those of a
  /// creation with an idempotency key can be given again: they follow from the key, which is not
  /// stored.
  ///
  /// - Parameters:
  ///   - isOwned: Whether its creator owns it, with `--auth open`.
  ///   - random: The source of tokens without a key.
  func newAccess(
    isOwned: Bool, from key: String?, salt: String, _ random: inout IdentitySource
  ) throws(HubProblem) -> (SessionOrigin.Access, tokens: CreatedTokens) {
    func token(_ role: Role) -> String {
      key.map { identities.token(salt, $0, role.rawValue) } ?? random.text()
    }
    switch authentication {
    case .open where isOwned:
      let owner = token(.owner)
      return (.creator(identities.hash(owner)), .owner(owner))
    case .open: return (.open, .none)
    case .keys where isOwned, .token where isOwned:
      throw .badBody(
        DefinitionProblem(
          pointer: "/ownership", detail: "ownership can be \"creator\" only with --auth open"))
    case .keys: return (.keys, .none)
    case .token:
      let tokens = [Role.owner, .editor, .viewer].map { ($0, token($0)) }
      let hashes = tokens.map { ($0.0, identities.hash($0.1)) }
      return (.tokens(Dictionary(uniqueKeysWithValues: hashes)), .roles(tokens))
    }
  }
}
