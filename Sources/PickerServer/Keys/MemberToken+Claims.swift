import CivilTime
import JSONText
import PickerHub
import PickerSession

/// The claims of a member token.
/// - Source: web/guide/README.md, "Let your users in"; RFC 7519, section 4.1.
extension MemberToken {
  static let sessionsMax = 16
  static let subjectCharactersMax = 128
  static let infoBytesMax = 1024
  static let metaBytesMax = 4096
  /// The maximum time until `exp`.
  static let lifetimeMilliseconds: Int64 = 86_400_000
  /// The permitted difference between the clocks of host and server.
  static let skewMilliseconds: Int64 = 30_000

  /// Reads and checks the claims of a token whose signature is valid.
  init(claims payload: [UInt8], audience: String, now: Instant) throws(TokenProblem) {
    let claims = try MemberToken.tree(of: payload)
    guard claims["aud"]?.texts?.contains(audience) == true else {
      throw TokenProblem("aud is not \"\(audience)\"")
    }
    guard let role = claims["role"]?.string.flatMap(Role.init(rawValue:)) else {
      throw TokenProblem("role must be viewer, editor or owner")
    }
    guard let expires = try claims.instant("exp") else { throw TokenProblem("exp is missing") }
    self.init(
      sessions: try MemberToken.sessions(claims), role: role, expires: expires,
      remainingMilliseconds: expires.milliseconds - now.milliseconds)
    issuedAt = try claims.instant("iat")
    try check(notBefore: try claims.instant("nbf"), at: now)
    subject = try claims.text("sub")
    if let subject,
      subject.isEmpty || subject.unicodeScalars.count > MemberToken.subjectCharactersMax
    {
      throw TokenProblem("sub must have 1 to \(MemberToken.subjectCharactersMax) characters")
    }
    name = try claims.text("name")
    locale = try claims.text("locale")
    info = try MemberToken.document("info", of: payload, byteCountMax: MemberToken.infoBytesMax)
    meta = try MemberToken.document("meta", of: payload, byteCountMax: MemberToken.metaBytesMax)
  }

  private static func tree(of payload: [UInt8]) throws(TokenProblem) -> JSONTree {
    do throws(JSONError) {
      return try JSONTree.claims(payload)
    } catch {
      throw TokenProblem(
        "the claims are not a JSON object: \(error.reason), at byte \(error.offset)")
    }
  }

  /// The value of a claim as the host wrote it, without white space; `nil` if there is none.
  private static func document(
    _ claim: String, of payload: [UInt8], byteCountMax: Int
  ) throws(TokenProblem) -> String? {
    guard let text = (try? VerbatimJSON(member: claim, of: payload))?.text else { return nil }
    guard text.utf8.count <= byteCountMax else {
      throw TokenProblem("\(claim) has more than \(byteCountMax) bytes of JSON")
    }
    return text
  }

  private static func sessions(_ claims: JSONTree) throws(TokenProblem) -> [SessionID] {
    guard let ids = claims["session"]?.texts, (1...sessionsMax).contains(ids.count) else {
      throw TokenProblem("session must be a session's id, or 1 to \(sessionsMax) ids")
    }
    return ids.map { SessionID($0) }
  }

  private func check(notBefore: Instant?, at now: Instant) throws(TokenProblem) {
    let skew = MemberToken.skewMilliseconds
    guard remainingMilliseconds > -skew else {
      throw TokenProblem("the token has expired", isExpired: true)
    }
    guard remainingMilliseconds <= MemberToken.lifetimeMilliseconds + skew else {
      throw TokenProblem("exp is more than 24 hours ahead")
    }
    let latest = now.adding(milliseconds: skew)
    if let notBefore, notBefore > latest { throw TokenProblem("nbf is in the future") }
    // Such a token would escape revocations.
    if let issuedAt, issuedAt > latest { throw TokenProblem("iat is in the future") }
  }
}

extension JSONTree {
  /// A string, or an array of strings.
  fileprivate var texts: [String]? {
    if let string { return [string] }
    guard let array else { return nil }
    let texts = array.compactMap(\.string)
    return texts.count == array.count ? texts : nil
  }

  fileprivate func text(_ claim: String) throws(TokenProblem) -> String? {
    guard let value = self[claim] else { return nil }
    guard let text = value.string else { throw TokenProblem("\(claim) must be a string") }
    return text
  }

  /// A NumericDate: seconds since 1970, possibly with a fraction.
  fileprivate func instant(_ claim: String) throws(TokenProblem) -> Instant? {
    let seconds: Double
    switch self[claim] {
    case nil: return nil
    case .integer(let value): seconds = Double(value)
    case .number(let value): seconds = value
    case .null, .bool, .string, .array, .object:
      throw TokenProblem("\(claim) must be a number of seconds since 1970")
    }
    let instant = Instant(milliseconds: Int64((seconds * 1000).rounded(.down).clamped))
    guard instant >= .first, instant <= .last else {
      throw TokenProblem("\(claim) must be a number of seconds since 1970, before the year 10000")
    }
    return instant
  }
}

extension Double {
  /// Cut to what an instant can hold without overflow.
  fileprivate var clamped: Double { isNaN ? 1e18 : Swift.min(Swift.max(self, -1e18), 1e18) }
}
