import CivilTime
import PickerHub
import PickerSession
import Testing

@testable import PickerServer
@testable import PickerTools

/// The mutations of member tokens.
/// - Source: web/guide/README.md, "Let your users in".
@Suite struct MemberTokenTests {
  private let fixture: TokenFixture
  private static let unsigned = TokenProblem.notSigned.detail

  init() throws { fixture = try TokenFixture() }

  @Test(arguments: ["hs", "es", "ed"])
  func `a token of each algorithm is accepted`(kid: String) throws {
    let token = try fixture.ring.verify(try TokenFixture.token(by: kid))

    #expect(token.sessions == [SessionID("s1")] && token.role == .editor)
    #expect(token.expires == Instant(seconds: 1_800_003_600))
    #expect(token.remainingMilliseconds == 3_600_000)
    #expect(token.issuedAt == TokenFixture.now)
    #expect(token.subject == nil && token.info == nil && token.meta == nil)
  }

  @Test func `every optional claim is read`() throws {
    let token = try fixture.ring.verify(
      try TokenFixture.token(
        #"""
        {"session":["a","b"],"role":"viewer","sub":"17","name":"Ada","locale":"de","nbf":1800000030,
         "aud":["x","pickerd"],"info":{"team": 3},"meta":[1, 2],"jti":"any","iss":"shop"}
        """#))

    #expect(token.sessions == [SessionID("a"), SessionID("b")] && token.role == .viewer)
    #expect(token.subject == "17" && token.name == "Ada" && token.locale == "de")
    #expect(token.info == #"{"team":3}"# && token.meta == "[1,2]")
  }

  /// A token of the session `s1` with more members in its claims, exactly as written.
  private func token(with members: String) throws -> String {
    let claims = #"{"aud":"pickerd","session":"s1","role":"editor","exp":1800003600,"#
    return try TokenFixture.token(
      header: TokenFixture.header("hs"), payload: claims + members + "}", by: "hs")
  }

  @Test func `info and meta are as the host wrote them, but for white space`() throws {
    let value = #"{"b":12345678901234567890,"c":1.10,"d":1E5,"e":-0,"h":1e400,"s":"\u00e9\/ ö"}"#
    let spaced = value.replacing(",", with: " ,\n ").replacing(":", with: " :\t")

    let token = try fixture.ring.verify(try token(with: #""info": \#(spaced) , "meta":\#(spaced)"#))

    #expect(token.info == value && token.meta == value)
  }

  @Test func `claims have at most 128 levels, and the detail names the limit`() throws {
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    let deepest = try token(with: #""info":\#(nested(127)),"meta":\#(nested(127))"#)
    #expect(try fixture.ring.verify(deepest).info == nested(127))

    for claim in ["info", "meta"] {
      let problem = fixture.problem(try token(with: #""\#(claim)":\#(nested(128))"#))
      #expect(problem?.contains("claims") == true && problem?.contains("128 levels") == true)
    }
  }

  @Test(arguments: [
    (#"{"aud":null}"#, "aud"), (#"{"aud":"other"}"#, "aud"), (#"{"aud":"Pickerd"}"#, "aud"),
    (#"{"aud":["other"]}"#, "aud"), (#"{"aud":["pickerd",1]}"#, "aud"), (#"{"aud":1}"#, "aud"),
    (#"{"session":null}"#, "session"), (#"{"session":[]}"#, "session"),
    (#"{"session":7}"#, "session"), (#"{"session":["a",7]}"#, "session"),
    (#"{"session":["1","2","3","4","5","6","7","8","9","0","a","b","c","d","e","f","g"]}"#, "16"),
    (#"{"role":null}"#, "role"), (#"{"role":"admin"}"#, "role"), (#"{"role":"Owner"}"#, "role"),
    (#"{"role":["owner"]}"#, "role"),
    (#"{"exp":null}"#, "exp"), (#"{"exp":"1800003600"}"#, "exp"), (#"{"exp":true}"#, "exp"),
    (#"{"exp":1799999970}"#, "expired"), (#"{"exp":0}"#, "expired"), (#"{"exp":-5}"#, "expired"),
    (#"{"exp":1800086431}"#, "24 hours"), (#"{"exp":1800086430.001}"#, "24 hours"),
    (#"{"exp":99999999999999999999}"#, "exp"), (#"{"exp":1e300}"#, "exp"),
    (#"{"nbf":1800000031}"#, "nbf"), (#"{"nbf":"1800000000"}"#, "nbf"),
    (#"{"iat":1800000031}"#, "iat"), (#"{"iat":[]}"#, "iat"),
    (#"{"sub":""}"#, "sub"), (#"{"sub":17}"#, "sub"), (#"{"name":1}"#, "name"),
    (#"{"locale":{}}"#, "locale"),
  ])
  func `a wrong claim is refused and named`(changes: String, word: String) throws {
    let problem = fixture.problem(try TokenFixture.token(changes))

    #expect(problem?.contains(word) == true, "\(changes): \(problem ?? "accepted")")
  }

  @Test(arguments: [
    #"{"exp":1799999971}"#, #"{"exp":1800086430}"#, #"{"exp":1800000000.5}"#,
    #"{"nbf":1800000030}"#, #"{"iat":1800000030}"#, #"{"iat":null}"#,
    #"{"session":["1","2","3","4","5","6","7","8","9","0","a","b","c","d","e","f"]}"#,
  ])
  func `a claim at its limit is accepted`(changes: String) throws {
    #expect(fixture.problem(try TokenFixture.token(changes)) == nil)
  }

  @Test func `texts and documents are accepted at their maximum and refused beyond`() throws {
    func problem(_ claim: String, _ characters: Int, quotes: Bool = true) throws -> String? {
      let text = String(repeating: "ä", count: quotes ? characters : 0)
      let long = String(repeating: "x", count: characters)
      return fixture.problem(try TokenFixture.token(#"{"\#(claim)":"\#(quotes ? text : long)"}"#))
    }
    #expect(try problem("sub", 128) == nil)
    #expect(try problem("sub", 129) != nil)
    // A string has two quotes.
    #expect(try problem("info", 1022, quotes: false) == nil)
    #expect(try problem("info", 1023, quotes: false) != nil)
    #expect(try problem("meta", 4094, quotes: false) == nil)
    #expect(try problem("meta", 4095, quotes: false) != nil)
  }

  @Test(arguments: [
    // Confused algorithms: each key has one.
    (#"{"alg":"HS256","kid":"es"}"#, "hs"), (#"{"alg":"HS256","kid":"ed"}"#, "hs"),
    (#"{"alg":"ES256","kid":"ed"}"#, "ed"), (#"{"alg":"EdDSA","kid":"es"}"#, "es"),
    (#"{"alg":"ES256","kid":"hs"}"#, "es"), (#"{"alg":"hs256","kid":"hs"}"#, "hs"),
    (#"{"alg":"HS384","kid":"hs"}"#, "hs"), (#"{"alg":"RS256","kid":"hs"}"#, "hs"),
    (#"{"alg":"none","kid":"hs"}"#, "hs"), (#"{"alg":"None","kid":"es"}"#, "es"),
    (#"{"kid":"hs"}"#, "hs"), (#"{"alg":["HS256"],"kid":"hs"}"#, "hs"),
    (#"{"alg":null,"kid":"hs"}"#, "hs"),
    // The key of another, an unknown one, one without the scope, an expired one.
    (#"{"alg":"ES256","kid":"es"}"#, "ed"), (#"{"alg":"EdDSA","kid":"ed"}"#, "es"),
    (#"{"alg":"HS256"}"#, "hs"), (#"{"alg":"HS256","kid":"HS"}"#, "hs"),
    (#"{"alg":"HS256","kid":"api"}"#, "hs"), (#"{"alg":"HS256","kid":"old"}"#, "hs"),
    (#"{"alg":"HS256","kid":""}"#, "hs"), (#"{"alg":"HS256","kid":1}"#, "hs"),
    (#"{"alg":"HS256","kid":"../../keys.json"}"#, "hs"),
    // Extensions that must be understood, and duplicates.
    (#"{"alg":"HS256","kid":"hs","crit":["exp"]}"#, "hs"),
    (#"{"alg":"HS256","kid":"hs","crit":[]}"#, "hs"),
    (#"{"alg":"HS256","kid":"hs","crit":null}"#, "hs"),
    (#"{"alg":"HS256","kid":"hs","b64":false,"crit":["b64"]}"#, "hs"),
    (#"{"alg":"none","alg":"HS256","kid":"hs"}"#, "hs"),
    (#"{"alg":"HS256","kid":"x","kid":"hs"}"#, "hs"),
    (#"{"alg":"HS256","kid":"hs","a":1,"a":1}"#, "hs"),
    ("[]", "hs"), (#""HS256""#, "hs"), ("", "hs"), ("{", "hs"),
    (#"{"alg":"HS256","kid":"hs"}x"#, "hs"),
  ])
  func `a header that does not fit is refused, however it is signed`(
    header: String, kid: String
  ) throws {
    let payload = String(decoding: try TokenFixture.claims().serialized(), as: UTF8.self)
    let token = try TokenFixture.token(header: header, payload: payload, by: kid)

    #expect(fixture.problem(token) == Self.unsigned, "\(header)")
  }

  @Test(arguments: [
    #"{"aud":"pickerd","aud":"pickerd","session":"s1","role":"editor","exp":1800003600}"#,
    #"{"aud":"pickerd","session":"s1","role":"viewer","role":"owner","exp":1800003600}"#,
    #"{"aud":"pickerd","session":"s1","role":"owner","exp":1800003600,"info":{"a":1,"a":2}}"#,
    #"{"aud":"pickerd","session":"s1","role":"owner","exp":1800003600,"\u0065xp":1}"#,
    #"{"aud":"pickerd","session":"s1","role":"owner","exp":1800003600,"sub":"\ud800"}"#,
    "[]", "1", "null", "", "{",
  ])
  func `signed claims that are ambiguous or no object are refused`(payload: String) throws {
    let token = try TokenFixture.token(
      header: TokenFixture.header("hs"), payload: payload, by: "hs")

    #expect(fixture.problem(token)?.contains("claims") == true, "\(payload)")
  }

  @Test func `claims that are not UTF-8 are refused`() throws {
    let payload = Array(#"{"sub":"#.utf8) + [0x22, 0xFF, 0x22] + Array("}".utf8)
    let content =
      Base64URL.encode(TokenFixture.header("hs").utf8) + "." + Base64URL.encode(payload)
    let signature = try TokenFixture.signature(of: Array(content.utf8), by: "hs")

    #expect(fixture.problem(content + "." + Base64URL.encode(signature)) != nil)
  }

  @Test(arguments: ["hs", "es", "ed"])
  func `a changed signature is refused`(kid: String) throws {
    let token = try TokenFixture.token(by: kid)
    let parts = token.split(separator: ".").map(String.init)
    let signature = Base64URL.decode(parts[2].utf8) ?? []
    var wrong: [[UInt8]] = [
      [], Array(signature.dropLast()), Array(signature.dropFirst()), signature + [0],
      [0] + signature, [UInt8](repeating: 0, count: signature.count),
      [UInt8](repeating: 0xFF, count: signature.count), Array(signature.reversed()),
      Array(signature.suffix(signature.count / 2) + signature.prefix(signature.count / 2)),
      signature + signature,
    ]
    for index in [0, signature.count / 2, signature.count - 1] {
      var changed = signature
      changed[index] ^= 1
      wrong.append(changed)
    }
    for signature in wrong {
      let token = parts[0] + "." + parts[1] + "." + Base64URL.encode(signature)
      #expect(fixture.problem(token) == Self.unsigned)
    }
    #expect(fixture.problem(parts[0] + "." + parts[1]) == Self.unsigned)
    #expect(fixture.problem(parts[0] + "." + parts[1] + ".") == Self.unsigned)
  }

  @Test func `r and s in DER, as libcrypto gives them, are not a signature`() throws {
    let token = try TokenFixture.token(by: "es")
    let parts = token.split(separator: ".").map(String.init)
    let pair = Base64URL.decode(parts[2].utf8) ?? []
    func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
      let digits = Array(bytes.drop { $0 == 0 })
      let positive = (digits.first ?? 0) >= 0x80 ? [0] + digits : digits
      return [2, UInt8(positive.count)] + positive
    }
    let content = integer(pair.prefix(32)) + integer(pair.suffix(32))
    let der = [0x30, UInt8(content.count)] + content

    #expect(fixture.problem(token) == nil)
    #expect(
      fixture.problem(parts[0] + "." + parts[1] + "." + Base64URL.encode(der)) == Self.unsigned)
  }

  @Test func `a token of another payload is refused`() throws {
    for kid in ["hs", "es", "ed"] {
      let viewer = try TokenFixture.token(#"{"role":"viewer"}"#, by: kid).split(separator: ".")
      let owner = try TokenFixture.token(#"{"role":"owner"}"#, by: kid).split(separator: ".")
      #expect(fixture.problem("\(viewer[0]).\(owner[1]).\(viewer[2])") == Self.unsigned)
    }
  }

  @Test func `base64 in another form is refused`() throws {
    let token = try TokenFixture.token()
    let parts = token.split(separator: ".").map(String.init)
    for (index, part) in parts.enumerated() {
      var forms = [part + "=", part + "==", part + "\n", " " + part, part + "A", part + "%3D"]
      let standard = part.replacing("-", with: "+").replacing("_", with: "/")
      if standard != part { forms.append(standard) }
      for form in forms {
        var changed = parts
        changed[index] = form
        #expect(fixture.problem(changed.joined(separator: ".")) != nil, "\(form)")
      }
    }
    // 32 bytes are 43 characters, of which the last has two unused bits.
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    let last = alphabet.firstIndex(of: token.last!)!
    let twin = token.dropLast() + String(alphabet[alphabet.index(after: last)])
    #expect(fixture.problem(String(twin)) == Self.unsigned)
  }

  @Test(arguments: ["", ".", "..", "...", "a.b.c.d", "\0", "pk_api.secret", "äöü.äöü.äöü"])
  func `text that is no token is refused`(text: String) {
    #expect(fixture.problem(text) == Self.unsigned)
  }

  @Test func `a token has at most 8 KiB`() throws {
    let long = try TokenFixture.token(#"{"x":"\#(String(repeating: "x", count: 5_900))"}"#)
    let longer = try TokenFixture.token(#"{"x":"\#(String(repeating: "x", count: 6_100))"}"#)
    #expect(long.utf8.count < 8192 && fixture.problem(long) == nil)
    #expect(longer.utf8.count > 8192 && fixture.problem(longer)?.contains("8192") == true)
    #expect(fixture.problem(String(repeating: "a", count: 102_400))?.contains("8192") == true)
    #expect(fixture.problem(String(repeating: ".", count: 102_400))?.contains("8192") == true)
  }

  @Test func `a minted token is accepted`() throws {
    let mint = TokenMint(keyID: "hs", signer: .shared(secret: TokenFixture.secret))
    let token = mint.token(try TokenFixture.claims().members ?? [])

    #expect(fixture.problem(try #require(token)) == nil)
  }
}
