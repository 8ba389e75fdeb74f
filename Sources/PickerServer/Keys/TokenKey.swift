import CSignatures

/// The algorithms of member tokens, as `alg` names them.
/// - Source: RFC 7518, section 3.1; RFC 8037, section 3.1.
package enum TokenAlgorithm: String, CaseIterable, Sendable {
  case hs256 = "HS256"
  case es256 = "ES256"
  case edDSA = "EdDSA"
}

/// A key that verifies the signatures of a host's member tokens.
package enum TokenKey: Sendable {
  /// HS256; the key is the UTF-8 bytes of a text.
  case shared(secret: String)
  /// ES256 or EdDSA with a public key.
  case published(PublicKey)

  /// RFC 7518, section 3.2: a key must be at least as long as the hash.
  static let secretBytesMin = 32

  package var algorithm: TokenAlgorithm {
    switch self {
    case .shared: .hs256
    case .published(let key): key.algorithm
    }
  }

  /// Whether `signature` is the key's signature of `data`. HMACs are compared in constant time.
  func verifies(_ signature: [UInt8], of data: [UInt8]) -> Bool {
    switch self {
    case .shared(let secret):
      guard let right = HMAC.sha256(data, key: Array(secret.utf8)), signature.count == right.count
      else { return false }
      return sig_equal(signature, right, right.count)
    case .published(let key): return key.verifies(signature, of: data)
    }
  }
}

/// A public key of P-256 or Ed25519.
package final class PublicKey: @unchecked Sendable {
  package let algorithm: TokenAlgorithm
  /// The PEM text that the key was made from.
  package let pem: String
  // Safe to share: libcrypto only reads it.
  private let key: OpaquePointer

  /// - Returns: `nil` for text that is not the PEM of such a key, and for ``TokenAlgorithm/hs256``.
  package init?(pem: String, _ algorithm: TokenAlgorithm) {
    guard let kind = algorithm.asymmetric,
      let key = sig_public_key(pem, pem.utf8.count, kind)
    else { return nil }
    self.algorithm = algorithm
    self.pem = pem
    self.key = key
  }

  deinit { sig_free(key) }

  fileprivate func verifies(_ signature: [UInt8], of data: [UInt8]) -> Bool {
    guard let kind = algorithm.asymmetric, signature.count == SIG_BYTES else {
      return false
    }
    return sig_verify(key, kind, data, data.count, signature)
  }
}

/// A private key, with which ``TokenMint`` signs tokens for trials.
package final class PrivateKey {
  package let algorithm: TokenAlgorithm
  private let key: OpaquePointer

  /// - Returns: `nil` for text that is not the PEM of an unencrypted key of `algorithm`.
  package init?(pem: String, _ algorithm: TokenAlgorithm) {
    guard let kind = algorithm.asymmetric,
      let key = sig_private_key(pem, pem.utf8.count, kind)
    else { return nil }
    self.algorithm = algorithm
    self.key = key
  }

  deinit { sig_free(key) }

  package func sign(_ data: [UInt8]) -> [UInt8]? {
    guard let kind = algorithm.asymmetric else { return nil }
    var signature = [UInt8](repeating: 0, count: SIG_BYTES)
    return sig_sign(key, kind, data, data.count, &signature) ? signature : nil
  }
}

extension TokenAlgorithm {
  /// The algorithm of libcrypto; `nil` for HS256, which has no key pair.
  fileprivate var asymmetric: sig_algorithm? {
    switch self {
    case .hs256: nil
    case .es256: SIG_ES256
    case .edDSA: SIG_EDDSA
    }
  }
}
