package import CivilTime
import JSONText
import Machine
package import PickerSession

/// A permission of an API key.
/// - Source: web/guide/README.md, "Let your users in".
package enum KeyScope: String, CaseIterable, Sendable {
  /// Create, read, change and delete any session.
  case sessions
  /// Read the feed and store cursors.
  case feed
  /// Read the metrics, with `--admin-keys`.
  case metrics
  /// Settle confirmations.
  case decide
  /// Sign member tokens; such a key is never sent to the server.
  case tokens
}

/// An entry of the key file.
package struct HostKey: Sendable {
  /// The ID in `pk_ID.SECRET`, and the `kid` of tokens that the key signs.
  package let id: String
  /// The SHA-256 digest of the secret; `nil` for a key that only signs tokens.
  package let secret: SecretHash?
  package let scopes: Set<KeyScope>
  /// From this instant on the key is not valid.
  package let notAfter: Instant?
  /// The addresses that may use it; empty for all.
  package let networks: [String]
  let ranges: [AddressRange]
  /// The only sessions that it can see, create and admit to; `nil` for all.
  package let namespace: String?
  /// Set exactly if the key has the scope `tokens`.
  package let signing: TokenKey?

  package init(
    id: String, secret: SecretHash?, scopes: Set<KeyScope>, notAfter: Instant?, networks: [String],
    ranges: [AddressRange], namespace: String?, signing: TokenKey?
  ) {
    self.id = id
    self.secret = secret
    self.scopes = scopes
    self.notAfter = notAfter
    self.networks = networks
    self.ranges = ranges
    self.namespace = namespace
    self.signing = signing
  }

  package var tokenAlgorithm: TokenAlgorithm? { signing?.algorithm }

  package static let idCharactersMax = 64

  /// Whether text can be a key's id: letters, digits, `-` and `_`.
  package static func isID(_ text: String) -> Bool {
    (1...idCharactersMax).contains(text.utf8.count) && text.isWord(with: "-_")
  }

  package func isExpired(at now: Instant) -> Bool { notAfter.map { $0 <= now } ?? false }

  func admits(_ address: PeerAddress?) -> Bool {
    if ranges.isEmpty { return true }
    guard let address else { return false }
    return ranges.contains { $0.contains(address) }
  }
}

/// A key as a client sends it: `pk_ID.SECRET`.
package struct PresentedKey {
  let id: String
  let secret: SecretHash

  package static let prefix = "pk_"

  /// - Returns: `nil` for text that is not a key.
  init?(_ text: String) {
    guard text.hasPrefix(PresentedKey.prefix), let dot = text.firstIndex(of: ".") else {
      return nil
    }
    id = String(text[text.index(text.startIndex, offsetBy: 3)..<dot])
    secret = SecretHash(SHA256.digest(Array(text[text.index(after: dot)...].utf8)))
  }
}

extension HostKey {
  private static let fields = [
    "id", "scopes", "sha256", "notAfter", "networks", "namespace", "alg", "secret", "publicKey",
  ]

  /// Reads an entry of a key file.
  init(_ node: YAMLNode, named name: String) throws(KeyFileProblem) {
    try node.check(fields: HostKey.fields, of: name)
    guard let id = node["id"]?.text, HostKey.isID(id) else {
      throw (node["id"] ?? node).problem(
        "\(name).id must be 1 to \(HostKey.idCharactersMax) letters, digits, - or _")
    }
    self.id = id
    scopes = try HostKey.scopes(node, id)
    networks =
      try node["networks"].map { value throws(KeyFileProblem) in
        try value.texts("networks", of: id)
      } ?? []
    ranges = networks.compactMap { AddressRange($0) }
    guard ranges.count == networks.count else {
      throw (node["networks"] ?? node).problem(
        "the networks of \(id) must be addresses or ranges such as 10.0.0.0/8 or fd00::/8")
    }
    notAfter = try node["notAfter"].map { value throws(KeyFileProblem) in
      guard let notAfter = value.text.flatMap({ Instant(rfc3339: $0.utf8) }) else {
        throw value.problem("notAfter of \(id) must be a time such as 2027-01-31T00:00:00Z")
      }
      return notAfter
    }
    secret = try node["sha256"].map { value throws(KeyFileProblem) in
      guard let bytes = value.text.flatMap(Hexadecimal.decode), bytes.count == 32 else {
        throw value.problem("sha256 of \(id) must be 64 hexadecimal digits")
      }
      return SecretHash(bytes)
    }
    namespace = try node["namespace"].map { value throws(KeyFileProblem) in
      guard let namespace = value.text, HostKey.isID(namespace) else {
        throw value.problem(
          "namespace of \(id) must be 1 to \(HostKey.idCharactersMax) letters, digits, - or _")
      }
      return namespace
    }
    signing = try scopes.contains(.tokens) ? TokenKey(node, of: id) : nil
    guard secret != nil || scopes == [.tokens] else {
      throw node.problem("\(id) has no sha256, which its scopes need")
    }
    let extra = node["alg"] ?? node["secret"] ?? node["publicKey"]
    guard signing != nil || extra == nil else {
      throw (extra ?? node).problem(
        "\(id) has alg, secret or publicKey without the scope tokens")
    }
  }

  private static func scopes(
    _ node: YAMLNode, _ id: String
  ) throws(KeyFileProblem) -> Set<KeyScope> {
    let known = KeyScope.allCases.map(\.rawValue).joined(separator: ", ")
    guard let list = node["scopes"] else {
      throw node.problem("scopes of \(id) is missing; it must be a list of \(known)")
    }
    let names = try list.texts("scopes", of: id)
    let scopes = Set(names.compactMap(KeyScope.init(rawValue:)))
    guard !names.isEmpty, scopes.count == names.count else {
      throw list.problem("the scopes of \(id) must be different ones of \(known)")
    }
    return scopes
  }
}

extension TokenKey {
  fileprivate init(_ node: YAMLNode, of id: String) throws(KeyFileProblem) {
    guard let algorithm = node["alg"]?.text.flatMap(TokenAlgorithm.init(rawValue:)) else {
      throw (node["alg"] ?? node).problem(
        "\(id) has the scope tokens: alg must be "
          + TokenAlgorithm.allCases.map(\.rawValue).joined(separator: ", "))
    }
    switch algorithm {
    case .hs256:
      guard let secret = node["secret"]?.text, secret.utf8.count >= TokenKey.secretBytesMin,
        node["publicKey"] == nil
      else {
        throw (node["secret"] ?? node).problem(
          "\(id) has alg HS256: secret must be a text of \(TokenKey.secretBytesMin) bytes or more, "
            + "and publicKey must be missing")
      }
      self = .shared(secret: secret)
    case .es256, .edDSA:
      guard let pem = node["publicKey"]?.text, node["secret"] == nil,
        let key = PublicKey(pem: pem, algorithm)
      else {
        let curve = algorithm == .es256 ? "P-256" : "Ed25519"
        throw (node["publicKey"] ?? node).problem(
          "\(id) has alg \(algorithm.rawValue): publicKey must be the PEM of a public key of "
            + "\(curve), and secret must be missing")
      }
      self = .published(key)
    }
  }
}

extension YAMLNode {
  /// The elements of a list of texts.
  fileprivate func texts(_ field: String, of id: String) throws(KeyFileProblem) -> [String] {
    guard let list, list.count <= 64 else {
      throw problem("\(field) of \(id) must be a list of at most 64 texts, as [a, b]")
    }
    let texts = list.compactMap(\.text)
    guard texts.count == list.count else {
      throw problem("\(field) of \(id) must be a list of texts, as [a, b]")
    }
    return texts
  }
}
