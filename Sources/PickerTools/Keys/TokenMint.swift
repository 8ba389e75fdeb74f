import JSONText
import PickerServer

/// Signs member tokens for trials, as a host's backend does.
struct TokenMint {
  enum Signer {
    case shared(secret: String)
    case privateKey(PrivateKey)
  }

  private let keyID: String
  private let signer: Signer

  init(keyID: String, signer: Signer) {
    self.keyID = keyID
    self.signer = signer
  }

  /// A token with these claims; `nil` if libcrypto fails.
  func token(_ claims: [JSONTree.Member]) -> String? {
    let algorithm =
      switch signer {
      case .shared: TokenAlgorithm.hs256
      case .privateKey(let key): key.algorithm
      }
    let header = JSONTree.object([
      .init("alg", .string(algorithm.rawValue)), .init("kid", .string(keyID)),
      .init("typ", .string("JWT")),
    ])
    let content =
      Base64URL.encode(header.serialized()) + "."
      + Base64URL.encode(JSONTree.object(claims).serialized())
    let data = Array(content.utf8)
    let signature =
      switch signer {
      case .shared(let secret): HMAC.sha256(data, key: Array(secret.utf8))
      case .privateKey(let key): key.sign(data)
      }
    return signature.map { content + "." + Base64URL.encode($0) }
  }
}
