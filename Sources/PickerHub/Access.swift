package import CivilTime
import JSONText
import PickerModel
package import PickerSession
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

/// A valid ticket, which grants a viewer's rights without a token.
package struct Ticket: Hashable, Sendable {
  /// ``Revocations/latest`` of the session when it was issued: a later revocation ends it. No clock
  /// decides, because those of the nodes differ.
  package let lastRevocation: Instant?
  /// Whether it is valid as long as its session exists, whatever is revoked.
  package let isLasting: Bool
  /// When the token for which it was issued ends, as ``HubTime/machine``; `nil` if it does not.
  package let endsAt: Int64?

  package init(lastRevocation: Instant? = nil, endsAt: Int64? = nil, isLasting: Bool = false) {
    self.lastRevocation = lastRevocation
    self.isLasting = isLasting
    self.endsAt = endsAt
  }
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

/// A member token that has been verified: signed by a host's key and within its time.
///
/// - Source: web/guide/README.md, "Let your users in".
package struct MemberToken: Hashable, Sendable {
  /// The sessions that it admits to, 1 to 16.
  package var sessions: [SessionID]
  package var role: Role
  /// The user's id at the host.
  package var subject: String?
  package var name: String?
  package var locale: String?
  /// JSON text that other members see.
  package var info: String?
  /// JSON text for the session's log.
  package var meta: String?
  /// The namespace of the key that signed it, if it has one: it admits to no other session.
  package var namespace: String?
  /// `iat`; `nil` for a token that does not state when it was issued.
  package var issuedAt: Instant?
  /// `exp`.
  package var expires: Instant
  /// The time from its verification to `exp`; negative within the clock skew.
  package var remainingMilliseconds: Int64

  package init(
    sessions: [SessionID], role: Role, expires: Instant, remainingMilliseconds: Int64
  ) {
    self.sessions = sessions
    self.role = role
    self.expires = expires
    self.remainingMilliseconds = remainingMilliseconds
  }
}

/// Why a token is not accepted, as a sentence for the host's developers.
package struct TokenProblem: Error, Hashable, Sendable {
  package let detail: String
  /// Whether only the time of the token has passed, so that its user needs a new one.
  package let isExpired: Bool

  package init(_ detail: String, isExpired: Bool = false) {
    self.detail = detail
    self.isExpired = isExpired
  }

  var closeCode: CloseCode { isExpired ? .tokenExpired : .badToken }
}

/// Verifies member tokens with the host's keys; shared by all loops.
package protocol TokenVerifier: Sendable {
  func verify(_ token: String) throws(TokenProblem) -> MemberToken
}

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

/// A generator of ids, tokens and secrets. The server passes the system's random source, a
/// simulation a seeded one.
package struct IdentitySource {
  private var random: any RandomNumberGenerator
  let digest: @Sendable ([UInt8]) -> [UInt8]

  /// - Parameter digest: A one-way hash; SHA-256 outside simulations.
  package init(
    random: any RandomNumberGenerator, digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    self.random = random
    self.digest = digest
  }

  /// A text of 22 letters, digits, `-` and `_` with 131 random bits. The first character is a
  /// letter or a digit, so that a command line does not take the text for an option.
  package mutating func text() -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var bytes: [UInt8] = []
    var bits: UInt64 = 0
    for index in 0..<22 {
      if index % 10 == 0 { bits = random.next() }
      while index == 0 && bits & 63 >= 62 { bits = random.next() }
      bytes.append(alphabet[Int(bits & 63)])
      bits >>= 6
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A number from 0 to `bound` - 1.
  mutating func number(below bound: Int) -> Int { Int(random.next(upperBound: UInt64(bound))) }

  package func hash(_ secret: String) -> SecretHash { SecretHash(digest(Array(secret.utf8))) }

  /// A token that follows from secrets and does not reveal them: their hash, with two characters
  /// for each byte.
  func token(_ parts: String...) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    // Lengths before the parts, so that no two lists of parts give the same text.
    let bytes = digest(parts.flatMap { Array("\($0.utf8.count) \($0)".utf8) })
    return String(
      decoding: bytes.flatMap { [alphabet[Int($0 >> 4)], alphabet[Int($0 & 15)]] }, as: UTF8.self)
  }

  func digest(of bytes: [UInt8]) -> [UInt8] { digest(bytes) }
}
