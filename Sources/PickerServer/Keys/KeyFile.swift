import CivilTime
import Glibc
import JSONText
import PickerSession
import WebSocketTransport

/// The reason why a key file or the configuration of `pickerd deliver` cannot be used, as a
/// sentence.
package struct KeyFileProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// Begins with the path and the position (`keys.yaml:4:11: `), as far as the problem has them.
  package let description: String
  private let hasPosition: Bool

  package init(_ description: String) {
    self.description = description
    hasPosition = false
  }

  init(_ detail: String, at position: TextPosition) {
    description = "\(position): \(detail)"
    hasPosition = true
  }

  func of(_ path: String) -> KeyFileProblem {
    KeyFileProblem(path + (hasPosition ? ":" : ": ") + description)
  }
}

/// The keys of a host, as a YAML or JSON document: a list `keys` of mappings with `id`, `scopes`,
/// `sha256`, …
/// - Source: host.md, section 1.
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
    let content = try SecretFile.read(path, byteCountMax: byteCountMax)
    return try SecretFile.naming(path) { () throws(KeyFileProblem) in
      (try KeyFile(content: content.bytes), content.stamp)
    }
  }

  /// Parses the content of a file.
  package init(content: [UInt8]) throws(KeyFileProblem) {
    self = try KeyFile(document: try YAMLNode(content))
  }

  init(document: YAMLNode) throws(KeyFileProblem) {
    try document.check(fields: ["keys"], of: "the key file")
    keys = []
    // Nothing after `keys:` is refused, because a file that is being written may end there.
    guard let list = document["keys"]?.list, list.count <= KeyFile.keysMax else {
      throw (document["keys"] ?? document).problem(
        "keys must be a list of at most \(KeyFile.keysMax) keys; an empty one is keys: []")
    }
    var ids: Set<String> = []
    for (index, entry) in list.enumerated() {
      let key = try HostKey(entry, named: "keys[\(index)]")
      guard ids.insert(key.id).inserted else {
        throw entry.problem("the id \(key.id) is used by two keys")
      }
      keys.append(key)
    }
  }

  /// The content of a JSON file with these keys, one per line.
  package var json: [UInt8] {
    var text = Array("{\"keys\":[".utf8)
    for (index, key) in keys.enumerated() {
      text += Array((index > 0 ? ",\n" : "\n").utf8) + key.tree.serialized()
    }
    return text + Array((keys.isEmpty ? "]}\n" : "\n]}\n").utf8)
  }
}

extension HostKey {
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
