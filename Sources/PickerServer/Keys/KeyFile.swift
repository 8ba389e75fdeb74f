import CivilTime
import Glibc
import JSONText
import PickerSession
import WebSocketTransport

/// The reason why a key file cannot be used, as a sentence.
package struct KeyFileProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// The keys of a host, as a JSON document: `{"keys":[{"id","scopes","sha256",…}]}`.
package struct KeyFile: Sendable {
  package var keys: [HostKey]

  package static let keysMax = 1000
  static let byteCountMax = 4_194_304

  package init(keys: [HostKey] = []) { self.keys = keys }

  /// Reads and checks a file.
  ///
  /// - Throws: ``KeyFileProblem`` if there is none, others than its owner can access it, or its
  ///   content is invalid.
  package init(path: String) throws(KeyFileProblem) {
    self = try KeyFile.read(path).file
  }

  static func read(
    _ path: String
  ) throws(KeyFileProblem) -> (file: KeyFile, stamp: RegularFile.Stamp) {
    var status = Glibc.stat()
    guard stat(path, &status) == 0 else {
      throw KeyFileProblem("\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & 0o077 == 0 else {
      let mode = String(status.st_mode & 0o777, radix: 8)
      throw KeyFileProblem(
        "\(path) has mode \(mode), so that others can access it; use chmod 600 \(path)")
    }
    guard let content = RegularFile.read(path, byteCountMax: byteCountMax) else {
      throw KeyFileProblem(
        "\(path) is not a regular file that can be read and has at most \(byteCountMax) bytes")
    }
    do throws(KeyFileProblem) {
      return (try KeyFile(json: content.bytes), content.stamp)
    } catch {
      throw KeyFileProblem("\(path): \(error.description)")
    }
  }

  /// Parses the content of a file.
  package init(json: [UInt8]) throws(KeyFileProblem) {
    let tree: JSONTree
    do throws(JSONError) {
      tree = try JSONTree.parse(json, depthMax: 8, valuesMax: 100_000)
    } catch {
      throw KeyFileProblem("not valid JSON: \(error.reason), at byte \(error.offset)")
    }
    try tree.check(fields: ["keys"], of: "the key file")
    guard let entries = tree["keys"]?.array, entries.count <= KeyFile.keysMax else {
      throw KeyFileProblem("keys must be an array of at most \(KeyFile.keysMax) keys")
    }
    keys = []
    var ids: Set<String> = []
    for (index, entry) in entries.enumerated() {
      let key = try HostKey(tree: entry, named: "keys[\(index)]")
      guard ids.insert(key.id).inserted else {
        throw KeyFileProblem("the id \(key.id) is used by two keys")
      }
      keys.append(key)
    }
  }

  /// The content of a file with these keys, one per line.
  package var json: [UInt8] {
    var text = Array("{\"keys\":[".utf8)
    for (index, key) in keys.enumerated() {
      text += Array((index > 0 ? ",\n" : "\n").utf8) + key.tree.serialized()
    }
    return text + Array((keys.isEmpty ? "]}\n" : "\n]}\n").utf8)
  }
}

extension HostKey {
  private static let fields = [
    "id", "scopes", "sha256", "notAfter", "networks", "alg", "secret", "publicKey",
  ]

  init(tree: JSONTree, named name: String) throws(KeyFileProblem) {
    try tree.check(fields: HostKey.fields, of: name)
    guard let id = tree["id"]?.string, HostKey.isID(id) else {
      throw KeyFileProblem(
        "\(name).id must be 1 to \(HostKey.idCharactersMax) letters, digits, - or _")
    }
    self.id = id
    let scopes = try tree.texts("scopes", of: id)
    self.scopes = Set(scopes.compactMap(KeyScope.init(rawValue:)))
    guard !scopes.isEmpty, self.scopes.count == scopes.count else {
      throw KeyFileProblem(
        "the scopes of \(id) must be different ones of "
          + KeyScope.allCases.map(\.rawValue).joined(separator: ", "))
    }
    networks = tree["networks"] == nil ? [] : try tree.texts("networks", of: id)
    ranges = networks.compactMap { AddressRange($0) }
    guard ranges.count == networks.count else {
      throw KeyFileProblem(
        "the networks of \(id) must be addresses or ranges such as 10.0.0.0/8 or fd00::/8")
    }
    notAfter = try tree["notAfter"].map { value throws(KeyFileProblem) in
      guard let notAfter = value.string.flatMap({ Instant(rfc3339: $0.utf8) }) else {
        throw KeyFileProblem("notAfter of \(id) must be an RFC 3339 time")
      }
      return notAfter
    }
    secret = try tree.digest(of: id)
    signing = try self.scopes.contains(.tokens) ? TokenKey(tree: tree, of: id) : nil
    guard secret != nil || self.scopes == [.tokens] else {
      throw KeyFileProblem("\(id) has no sha256, which its scopes need")
    }
    guard signing != nil || (tree["alg"] ?? tree["secret"] ?? tree["publicKey"]) == nil else {
      throw KeyFileProblem("\(id) has alg, secret or publicKey without the scope tokens")
    }
  }

  var tree: JSONTree {
    var members: [JSONTree.Member] = [
      .init("id", .string(id)),
      .init(
        "scopes",
        .array(KeyScope.allCases.filter(scopes.contains).map { .string($0.rawValue) })),
    ]
    if let secret { members.append(.init("sha256", .string(Hexadecimal.encode(secret.bytes)))) }
    if let notAfter { members.append(.init("notAfter", .string(notAfter.rfc3339Seconds))) }
    if !networks.isEmpty {
      members.append(.init("networks", .array(networks.map { .string($0) })))
    }
    switch signing {
    case .shared(let secret):
      members += [.init("alg", .string("HS256")), .init("secret", .string(secret))]
    case .published(let key):
      members += [
        .init("alg", .string(key.algorithm.rawValue)), .init("publicKey", .string(key.pem)),
      ]
    case nil: break
    }
    return .object(members)
  }
}

extension TokenKey {
  fileprivate init(tree: JSONTree, of id: String) throws(KeyFileProblem) {
    guard let algorithm = tree["alg"]?.string.flatMap(TokenAlgorithm.init(rawValue:)) else {
      throw KeyFileProblem(
        "\(id) has the scope tokens: alg must be "
          + TokenAlgorithm.allCases.map(\.rawValue).joined(separator: ", "))
    }
    switch algorithm {
    case .hs256:
      guard let secret = tree["secret"]?.string, secret.utf8.count >= TokenKey.secretBytesMin,
        tree["publicKey"] == nil
      else {
        throw KeyFileProblem(
          "\(id) has alg HS256: secret must be a text of \(TokenKey.secretBytesMin) bytes or more, "
            + "and publicKey must be missing")
      }
      self = .shared(secret: secret)
    case .es256, .edDSA:
      guard let pem = tree["publicKey"]?.string, tree["secret"] == nil,
        let key = PublicKey(pem: pem, algorithm)
      else {
        let curve = algorithm == .es256 ? "P-256" : "Ed25519"
        throw KeyFileProblem(
          "\(id) has alg \(algorithm.rawValue): publicKey must be the PEM of a public key of "
            + "\(curve), and secret must be missing")
      }
      self = .published(key)
    }
  }
}

extension JSONTree {
  /// - Throws: If the value is not an object or has unknown fields, to detect spelling errors.
  fileprivate func check(fields: [String], of name: String) throws(KeyFileProblem) {
    guard let members else { throw KeyFileProblem("\(name) must be a JSON object") }
    if let unknown = members.first(where: { !fields.contains($0.key) }) {
      throw KeyFileProblem("\(name) has the unknown field \(unknown.key)")
    }
  }

  fileprivate func texts(_ field: String, of id: String) throws(KeyFileProblem) -> [String] {
    guard let array = self[field]?.array else {
      throw KeyFileProblem("\(field) of \(id) must be an array of strings")
    }
    let texts = array.compactMap(\.string)
    guard texts.count == array.count, texts.count <= 64 else {
      throw KeyFileProblem("\(field) of \(id) must be an array of at most 64 strings")
    }
    return texts
  }

  fileprivate func digest(of id: String) throws(KeyFileProblem) -> SecretHash? {
    guard let value = self["sha256"] else { return nil }
    guard let bytes = value.string.flatMap(Hexadecimal.decode), bytes.count == 32 else {
      throw KeyFileProblem("sha256 of \(id) must be 64 hexadecimal digits")
    }
    return SecretHash(bytes)
  }
}

enum Hexadecimal {
  static func encode(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  static func decode(_ text: String) -> [UInt8]? {
    let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map {
      UInt8(digits[$0]! << 4 | digits[$0 + 1]!)
    }
  }
}
