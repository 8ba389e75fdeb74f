import CivilTime
import Foundation
import PickerSession
import Testing

@testable import PickerServer
@testable import PickerTools

@Suite struct KeyFileTests {
  private func problem(_ json: String) -> String? {
    do throws(KeyFileProblem) {
      _ = try KeyFile(content: Array(json.utf8))
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `a written file equals the one that was read`() throws {
    let file = try KeyFile(content: Array(TokenFixture.file.utf8))
    let again = try KeyFile(content: file.json)

    #expect(file.keys.map(\.id) == ["hs", "es", "ed", "old", "api", "past", "lan"])
    #expect(again.json == file.json)
    #expect(try KeyFile(content: KeyFile().json).keys.isEmpty)
  }

  @Test(arguments: [
    ("", "empty"), ("[]", "object"), ("{}", "keys"), (#"{"keys":1}"#, "keys"),
    (#"{"keys":null}"#, "keys: []"),
    (#"{"keys":[],"more":1}"#, "more"), (#"{"keys":[{"id":"a b","scopes":["feed"]}]}"#, "id"),
    (#"{"keys":[{"id":"a","scopes":[],"sha256":"D"}]}"#, "scopes"),
    (#"{"keys":[{"id":"a","scopes":["Feed"],"sha256":"D"}]}"#, "scopes"),
    (#"{"keys":[{"id":"a","scopes":["feed","feed"],"sha256":"D"}]}"#, "scopes"),
    (#"{"keys":[{"id":"a","scopes":["feed"]}]}"#, "sha256"),
    (#"{"keys":[{"id":"a","scopes":["feed"],"sha256":"12"}]}"#, "sha256"),
    (#"{"keys":[{"id":"a","scopes":["feed"],"sha256":"D","scope":1}]}"#, "scope"),
    (#"{"keys":[{"id":"a","scopes":["feed"],"sha256":"D","notAfter":"tomorrow"}]}"#, "notAfter"),
    (#"{"keys":[{"id":"a","scopes":["feed"],"sha256":"D","networks":["10.0.0.0/33"]}]}"#, "net"),
    (#"{"keys":[{"id":"a","scopes":["feed"],"sha256":"D","alg":"HS256"}]}"#, "tokens"),
    (#"{"keys":[{"id":"a","scopes":["tokens"]}]}"#, "alg"),
    (#"{"keys":[{"id":"a","scopes":["tokens"],"alg":"none"}]}"#, "alg"),
    (#"{"keys":[{"id":"a","scopes":["tokens"],"alg":"HS256","secret":"short"}]}"#, "32"),
    (#"{"keys":[{"id":"a","scopes":["tokens"],"alg":"ES256","publicKey":"x"}]}"#, "P-256"),
    (#"{"keys":[{"id":"a","scopes":["tokens"],"alg":"EdDSA","publicKey":"ES"}]}"#, "Ed25519"),
    (#"{"keys":[{"id":"a","scopes":["tokens"],"alg":"ES256","publicKey":"P384"}]}"#, "P-256"),
    (
      #"{"keys":[{"id":"a","scopes":["feed"],"sha256":"D"},"#
        + #"{"id":"a","scopes":["feed"],"sha256":"D"}]}"#,
      "two keys"
    ),
  ])
  func `an invalid file is refused with the reason`(json: String, word: String) {
    func pem(_ text: String) -> String { "\"" + text.replacing("\n", with: "\\n") + "\"" }
    let json = json.replacing("\"D\"", with: "\"\(TokenFixture.digest)\"")
      .replacing("\"ES\"", with: pem(TokenFixture.esPublic))
      .replacing("\"P384\"", with: pem(TokenFixture.p384Public))

    #expect(problem(json)?.contains(word) == true, "\(problem(json) ?? "accepted")")
  }

  @Test(arguments: [0o604, 0o660, 0o644, 0o610, 0o642])
  func `a file that others can access is refused`(mode: Int) throws {
    let fixture = try TokenFixture()
    chmod(fixture.path, mode_t(mode))

    #expect(throws: KeyFileProblem.self) { try KeyFile(path: fixture.path) }
    chmod(fixture.path, 0o400)
    #expect(try KeyFile(path: fixture.path).keys.count == 7)
  }

  @Test func `an added key has a secret of 256 bits, of which the file has the digest`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/keys.json"
    let key = try KeyFile.change(path, creates: true) { file throws(KeyFileProblem) in
      try file.add(NewKey(id: "shop", scopes: [.sessions, .feed]))
    }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let secret = try #require(key).dropFirst("pk_shop.".count)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int

    #expect(Base64URL.decode(secret.utf8)?.count == 32)
    #expect(mode == 0o600 && !text.contains(secret))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["keys.json"])
    let ring = try KeyRing(path: path, audience: "pickerd", log: LogLines().log)
    #expect(ring.find(PresentedKey(key!)!, from: nil)?.scopes == [.sessions, .feed])
  }

  @Test func `a file that was refused for its mode is read again after chmod`() throws {
    let fixture = try TokenFixture()
    chmod(fixture.path, 0o644)
    fixture.ring.reloadIfChanged()
    #expect(fixture.logged().count == 1)
    fixture.ring.reloadIfChanged()
    #expect(fixture.logged() == [], "the same problem is not reported again")

    // A time that the clock of the file system can distinguish.
    usleep(20_000)
    chmod(fixture.path, 0o600)
    fixture.ring.reloadIfChanged()

    #expect(
      fixture.logged() == [
        "notice the key file \(fixture.path) has been read again; it has 7 keys"
      ])
  }

  @Test func `a change that fails does not modify the file`() throws {
    let fixture = try TokenFixture()
    let before = try String(contentsOfFile: fixture.path, encoding: .utf8)

    #expect(throws: KeyFileProblem.self) {
      try KeyFile.change(fixture.path, creates: true) { file throws(KeyFileProblem) in
        try file.revoke("nobody")
      }
    }
    #expect(throws: KeyFileProblem.self) {
      try KeyFile.change(fixture.path, creates: true) { file throws(KeyFileProblem) in
        try file.add(NewKey(id: "api", scopes: [.feed]))
      }
    }
    try fixture.folder.write("", to: "keys.json.new")
    #expect(throws: KeyFileProblem.self) {
      try KeyFile.change(fixture.path, creates: true) { file throws(KeyFileProblem) in
        try file.revoke("api")
      }
    }
    #expect(try String(contentsOfFile: fixture.path, encoding: .utf8) == before)
  }

  @Test func `a key matches with its secret, in its time and from its networks`() throws {
    let ring = try TokenFixture().ring
    func find(_ text: String, from address: String = "192.0.2.1") -> String? {
      PresentedKey(text).flatMap { ring.find($0, from: PeerAddress(address)) }?.id
    }
    let secret = TokenFixture.secret

    #expect(find("pk_api.\(secret)") == "api")
    #expect(find("pk_api.\(secret)x") == nil && find("pk_api.") == nil && find("pk_no.x") == nil)
    #expect(find("api.\(secret)") == nil && find("pk_api\(secret)") == nil)
    #expect(find("pk_hs.\(secret)") == nil, "a key that only signs has no use on the wire")
    #expect(find("pk_past.\(secret)") == nil)
    #expect(find("pk_lan.\(secret)") == nil)
    #expect(find("pk_lan.\(secret)", from: "10.1.2.3") == "lan")
    #expect(find("pk_lan.\(secret)", from: "::ffff:10.1.2.3") == "lan")
  }

  @Test func `a broken new file leaves the old keys in force`() throws {
    let fixture = try TokenFixture()
    fixture.ring.reloadIfChanged()
    #expect(fixture.logged() == [])

    try TokenFixture.write("{", to: fixture.folder)
    for _ in 0..<2 { fixture.ring.reloadIfChanged() }
    let problem = fixture.logged()
    #expect(problem.count == 1, "the same problem is not reported again")
    #expect(problem[0].hasPrefix("error the previous keys remain in effect: \(fixture.path):"))
    #expect(fixture.problem(try TokenFixture.token()) == nil)

    try fixture.folder.remove("keys.json")
    fixture.ring.reloadIfChanged()
    #expect(fixture.logged().count == 1)
    #expect(fixture.problem(try TokenFixture.token()) == nil)

    try TokenFixture.write(#"{"keys":[]}"#, to: fixture.folder)
    fixture.ring.reloadIfChanged()
    #expect(fixture.ring.keyCount == 0)
    #expect(fixture.problem(try TokenFixture.token()) != nil)
  }

  private static let newSigning =
    #"{"id":"new","scopes":["tokens"],"alg":"HS256","secret":"\#(TokenFixture.secret)"}"#

  @Test func `a token of a key that was just added is accepted`() throws {
    let fixture = try TokenFixture()
    let token = try TokenFixture.token(by: "new")
    #expect(fixture.problem(token) != nil)

    try fixture.add(Self.newSigning)

    #expect(fixture.problem(token) == nil)
    #expect(fixture.logged().map { $0.hasSuffix("it has 8 keys") } == [true])
  }

  @Test func `an API key that was just added is found`() throws {
    let fixture = try TokenFixture()
    try fixture.add(#"{"id":"new","scopes":["feed"],"sha256":"\#(TokenFixture.digest)"}"#)

    let presented = try #require(PresentedKey("pk_new.\(TokenFixture.secret)"))
    #expect(fixture.ring.find(presented, from: nil)?.scopes == [.feed])
  }

  @Test func `unknown keys cause one reading a second at most, and none without a change`() throws {
    let fixture = try TokenFixture()
    let (unknown, new) = (try TokenFixture.token(by: "no"), try TokenFixture.token(by: "new"))
    for _ in 0..<100 { #expect(fixture.problem(unknown) != nil) }
    #expect(fixture.logged() == [])

    try TokenFixture.write("{", to: fixture.folder)
    for _ in 0..<100 { #expect(fixture.problem(unknown) != nil) }
    #expect(fixture.logged().count == 1)
    try TokenFixture.write(TokenFixture.file, to: fixture.folder)
    try fixture.add(Self.newSigning)
    fixture.uptime.milliseconds.withLock { $0 = 999 }
    #expect(fixture.problem(new) != nil && fixture.logged() == [])

    fixture.uptime.milliseconds.withLock { $0 = 1000 }
    #expect(fixture.problem(new) == nil)
    #expect(fixture.logged().count == 1)
  }

  @Test func `two threads with a new key read the file once, and both find it`() async throws {
    let fixture = try TokenFixture()
    let token = try TokenFixture.token(by: "new")
    try fixture.add(Self.newSigning)

    let ring = fixture.ring
    let accepted = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { (try? ring.verify(token)) != nil } }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }

    #expect(accepted == 8)
    #expect(fixture.logged().count == 1)
  }
}
