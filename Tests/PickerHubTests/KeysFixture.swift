import CivilTime
import JSONText
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// Takes texts such as `session=ID role=editor sub=17 iat=0 seconds=60` for verified tokens; `iat` is
/// in seconds since ``noon``.
struct TestVerifier: TokenVerifier {
  func verify(_ text: String) throws(TokenProblem) -> MemberToken {
    var fields: [String: String] = [:]
    for field in text.split(separator: " ") {
      let parts = field.split(separator: "=", maxSplits: 1)
      fields[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
    }
    guard let session = fields["session"], let role = Role(rawValue: fields["role"] ?? "editor")
    else { throw TokenProblem("not signed") }
    let remaining = Int64(fields["seconds"] ?? "3600")! * 1000
    if remaining <= -30_000 { throw TokenProblem("the token has expired", isExpired: true) }
    var token = MemberToken(
      sessions: session.split(separator: ",").map { SessionID(String($0)) }, role: role,
      expires: noon.adding(milliseconds: remaining), remainingMilliseconds: remaining)
    token.subject = fields["sub"]
    token.name = fields["name"]
    token.info = fields["info"]
    token.meta = fields["meta"]
    token.issuedAt = fields["iat"].map { noon.adding(milliseconds: Int64($0)! * 1000) }
    return token
  }
}

extension HubFixture {
  /// A hub with `--auth keys`.
  static func keys(_ creation: String = "") throws -> HubFixture {
    let configuration = HubConfiguration(authentication: .keys(TestVerifier()))
    return try HubFixture(letters, configuration, fields: creation)
  }

  func token(_ fields: String) -> String { "session=\(session) \(fields)" }

  func credential(_ fields: String) throws -> Credential {
    .member(try TestVerifier().verify(token(fields)))
  }

  /// Joins with a token of the session.
  func enter(_ raw: UInt64, _ fields: String, _ more: String = "") {
    join(raw, #","token":"\#(token(fields))""# + more)
  }

  func renew(_ raw: UInt64, _ text: String) { send(raw, #"{"type":"token","token":"\#(text)"}"#) }

  @discardableResult
  func revoke(
    _ target: Revocation.Target, before seconds: Int64 = 0, token: Credential = .key
  ) -> Result<Revocation, HubProblem>? {
    let instant = noon.adding(milliseconds: seconds * 1000)
    let revocation = Revocation(target, issuedBefore: instant, madeAt: instant)
    var answer: Result<Revocation, HubProblem>?
    hub.begin { [self] host throws(HubProblem) in
      try await host.revoke(revocation, in: session, token: token, at: now)
    } answer: {
      answer = $0
    }
    return answer
  }

  /// A ticket that the hub issues to a key.
  func ticket() throws -> Ticket {
    var answer: Result<Ticket, HubProblem>?
    hub.begin { [self] host throws(HubProblem) in
      try await host.ticket(of: session, token: .key, at: now)
    } answer: {
      answer = $0
    }
    return try #require(try answer?.get())
  }

  func read(_ credential: Credential?, ticket: Ticket? = nil) -> HubProblem? {
    var problem: HubProblem?
    hub.begin { [self] host throws(HubProblem) in
      try await host.admitViewer(to: session, token: credential, ticket: ticket, at: now)
    } answer: {
      if case .failure(let found) = $0 { problem = found }
    }
    return problem
  }

  var closes: [UInt64: UInt16] { port.closes }
}

extension Hub {
  /// Puts a session that was created in another mode into memory.
  func adopt(_ definition: Definition, _ access: SessionOrigin.Access) throws -> SessionID {
    let origin = SessionOrigin(
      id: SessionID("adopted"), epoch: "e", definition: definition, access: access, createdAt: noon)
    let hosted = directory.host(try SessionFold(origin), at: now)
    directory.create(hosted, isStored: true)
    return origin.id
  }
}
