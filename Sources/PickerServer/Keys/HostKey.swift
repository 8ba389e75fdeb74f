package import CivilTime
package import PickerSession
import WebSocketTransport

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
    (1...idCharactersMax).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
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
    secret = SecretHash(SocketLoop.sha256(Array(text[text.index(after: dot)...].utf8)))
  }
}
