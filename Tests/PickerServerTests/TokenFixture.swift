import CivilTime
import Foundation
import JSONText
import PickerHub
import Synchronization

@testable import PickerServer

/// A key file with keys of each kind, a clock, and the means to sign any token.
final class TokenFixture {
  /// The ring's monotonic clock.
  final class Uptime: Sendable {
    let milliseconds = Mutex<Int64>(0)
  }

  static let now = Instant(seconds: 1_800_000_000)
  /// 43 characters, as `pickerd key add` makes them.
  static let secret = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
  static let esPublic = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEoYfzIQugcSgfEjCiHIZ7HwjC7dl7
    P3mBkLbeNeACjLeVQLCTIEu0Ujtvgr+K3Ix4XHrN7Gp7aXOJEdjK0hnoVg==
    -----END PUBLIC KEY-----

    """
  static let edPublic = """
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VwAyEAFfE+lUnI+QwFCzuMte9JOaqPXGTkFlrE650qMXhxnyU=
    -----END PUBLIC KEY-----

    """
  static let p384Public = """
    -----BEGIN PUBLIC KEY-----
    MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEsQNCsJepFqUHKPVxOGQjpOEahs+nW3V0
    SArbrISYsYVnxi3W0Vs4NNbVT2s/99VomW6nU40hsZz/WoknsmStIs+eFyC9bmho
    W0nWVDeKGIWQzWTnxxc0XNHiX1BNrEHY
    -----END PUBLIC KEY-----

    """
  private static let esPrivate = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmClszcWU42Y0qD27
    Y7EJoTK8ApUwQRdQSfWaczDikpShRANCAAShh/MhC6BxKB8SMKIchnsfCMLt2Xs/
    eYGQtt414AKMt5VAsJMgS7RSO2+Cv4rcjHhces3santpc4kR2MrSGehW
    -----END PRIVATE KEY-----

    """
  private static let edPrivate = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIK36EpYVujy4UPigVoOGuzLPqE43pWVJg7uUKf294MkS
    -----END PRIVATE KEY-----

    """

  let folder: TemporaryFolder
  let ring: KeyRing
  let lines = LogLines()
  let uptime = Uptime()
  var path: String { folder.path + "/keys.json" }

  init() throws {
    folder = try TemporaryFolder()
    try TokenFixture.write(TokenFixture.file, to: folder)
    ring = try KeyRing(
      path: folder.path + "/keys.json", audience: "pickerd", log: lines.log,
      now: { TokenFixture.now.milliseconds },
      uptime: { [uptime] in uptime.milliseconds.withLock { $0 } })
  }

  /// Writes the key file with a further key.
  func add(_ entry: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try TokenFixture.write(text.replacing("\n]}", with: ",\n\(entry)\n]}"), to: folder)
  }

  /// What the ring has logged since the last call.
  func logged() -> [String] {
    lines.all.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }

  /// Writes the key file with mode 0600.
  static func write(_ text: String, to folder: TemporaryFolder) throws {
    try folder.write(text, to: "keys.json")
    chmod(folder.path + "/keys.json", 0o600)
  }

  static let digest = Hexadecimal.encode(PresentedKey("pk_x.\(secret)")!.secret.bytes)

  static var file: String {
    func pem(_ text: String) -> String { text.replacing("\n", with: "\\n") }
    return """
      {"keys":[
      {"id":"hs","scopes":["tokens"],"alg":"HS256","secret":"\(secret)"},
      {"id":"es","scopes":["tokens"],"alg":"ES256","publicKey":"\(pem(esPublic))"},
      {"id":"ed","scopes":["tokens"],"alg":"EdDSA","publicKey":"\(pem(edPublic))"},
      {"id":"old","scopes":["tokens"],"alg":"HS256","secret":"\(secret)",
       "notAfter":"2027-01-15T08:00:00Z"},
      {"id":"api","scopes":["sessions"],"sha256":"\(digest)"},
      {"id":"past","scopes":["sessions"],"sha256":"\(digest)","notAfter":"2027-01-15T08:00:00Z"},
      {"id":"lan","scopes":["feed"],"sha256":"\(digest)","networks":["10.0.0.0/8"]}
      ]}
      """
  }

  /// The claims of a valid token; `changes` replace members, `null` removes one.
  static func claims(_ changes: String = "{}") throws -> JSONTree {
    let valid = """
      {"aud":"pickerd","session":"s1","role":"editor","exp":1800003600,"iat":1800000000}
      """
    return try JSONTree.parse(Array(valid.utf8)).merging(try JSONTree.parse(Array(changes.utf8)))
  }

  /// A token with any header and payload, signed as `kid` would be.
  static func token(header: String, payload: String, by kid: String) throws -> String {
    let content = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
    return content + "." + Base64URL.encode(try signature(of: Array(content.utf8), by: kid))
  }

  static func signature(of data: [UInt8], by kid: String) throws -> [UInt8] {
    switch kid {
    case "es": try sign(data, esPrivate, .es256)
    case "ed": try sign(data, edPrivate, .edDSA)
    default: HMAC.sha256(data, key: Array(secret.utf8)) ?? []
    }
  }

  private static func sign(
    _ data: [UInt8], _ pem: String, _ algorithm: TokenAlgorithm
  ) throws -> [UInt8] {
    guard let key = PrivateKey(pem: pem, algorithm), let signature = key.sign(data) else {
      throw KeyFileProblem("the test's key cannot sign")
    }
    return signature
  }

  static func header(_ kid: String) -> String {
    let algorithm = ["es": "ES256", "ed": "EdDSA"][kid] ?? "HS256"
    return #"{"alg":"\#(algorithm)","kid":"\#(kid)","typ":"JWT"}"#
  }

  /// A token with changed claims, signed as it should be.
  static func token(_ changes: String = "{}", by kid: String = "hs") throws -> String {
    let payload = String(decoding: try claims(changes).serialized(), as: UTF8.self)
    return try token(header: header(kid), payload: payload, by: kid)
  }

  /// Why a token is refused; `nil` if it is accepted.
  func problem(_ token: String) -> String? {
    do throws(TokenProblem) {
      _ = try ring.verify(token)
      return nil
    } catch {
      return error.detail
    }
  }
}
