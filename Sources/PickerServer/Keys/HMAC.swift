import CSignatures

/// Message authentication codes of libcrypto.
/// - Source: RFC 2104
package enum HMAC {
  /// The HMAC-SHA256 of `data`, 32 bytes long; `nil` if libcrypto fails.
  package static func sha256(_ data: [UInt8], key: [UInt8]) -> [UInt8]? {
    var digest = [UInt8](repeating: 0, count: 32)
    return sig_hmac_sha256(key, key.count, data, data.count, &digest) ? digest : nil
  }
}
