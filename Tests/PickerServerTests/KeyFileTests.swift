import CivilTime
import Foundation
import PickerSession
import Testing

@testable import PickerServer

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
    let ring = try KeyRing(path: path, audience: "pickerd")
    #expect(ring.find(PresentedKey(key!)!, from: nil)?.scopes == [.sessions, .feed])
  }

  @Test func `a file that was refused for its mode is read again after chmod`() throws {
    let fixture = try TokenFixture()
    let ring = try KeyRing(path: fixture.path, audience: "pickerd")
    chmod(fixture.path, 0o644)
    #expect(throws: KeyFileProblem.self) { try ring.reload() }
    #expect(!ring.hasChanged)

    // A time that the clock of the file system can distinguish.
    usleep(20_000)
    chmod(fixture.path, 0o600)

    #expect(ring.hasChanged)
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
    #expect(!fixture.ring.hasChanged)

    try TokenFixture.write("{", to: fixture.folder)
    #expect(fixture.ring.hasChanged)
    #expect(throws: KeyFileProblem.self) { try fixture.ring.reload() }
    #expect(!fixture.ring.hasChanged, "the same problem is not reported again")
    #expect(fixture.problem(try TokenFixture.token()) == nil)

    try fixture.folder.remove("keys.json")
    #expect(fixture.ring.hasChanged)
    #expect(throws: KeyFileProblem.self) { try fixture.ring.reload() }
    #expect(fixture.problem(try TokenFixture.token()) == nil)

    try TokenFixture.write(#"{"keys":[]}"#, to: fixture.folder)
    #expect(fixture.ring.hasChanged)
    try fixture.ring.reload()
    #expect(fixture.ring.keyCount == 0)
    #expect(fixture.problem(try TokenFixture.token()) != nil)
  }
}
