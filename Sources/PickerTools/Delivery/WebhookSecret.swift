import CSignatures
import Foundation
import PickerServer

/// A secret with which webhooks are signed.
/// - Source: Standard Webhooks 1.0, "Signature scheme".
enum WebhookSecret: Sendable {
  /// `whsec_` and the key in Base64, 24 to 64 bytes.
  case symmetric([UInt8])
  /// `whsk_` and an Ed25519 key in Base64: the seed of 32 bytes, or the seed and the public key.
  case asymmetric(seed: [UInt8])

  /// - Returns: `nil` for text that is no secret.
  init?(_ text: String) {
    if text.hasPrefix("whsec_"), let key = Data(base64Encoded: String(text.dropFirst(6))),
      (24...64).contains(key.count)
    {
      self = .symmetric(Array(key))
    } else if text.hasPrefix("whsk_"), let key = Data(base64Encoded: String(text.dropFirst(5))),
      [32, 64].contains(key.count)
    {
      self = .asymmetric(seed: Array(key.prefix(32)))
    } else {
      return nil
    }
  }

  /// The signature in the format of the header `webhook-signature`; `nil` if libcrypto fails.
  func signature(id: String, timestamp: Int64, body: [UInt8]) -> String? {
    let content = Array("\(id).\(timestamp).".utf8) + body
    switch self {
    case .symmetric(let key):
      guard let digest = HMAC.sha256(content, key: key) else { return nil }
      return "v1," + Data(digest).base64EncodedString()
    case .asymmetric(let seed):
      guard let key = WebhookSecret.privateKey(seed) else { return nil }
      defer { sig_free(key) }
      var signature = [UInt8](repeating: 0, count: 64)
      guard sig_sign(key, SIG_EDDSA, content, content.count, &signature) else { return nil }
      return "v1a," + Data(signature).base64EncodedString()
    }
  }

  /// - Source: RFC 8410, section 7: the PKCS #8 document of an Ed25519 seed.
  private static func privateKey(_ seed: [UInt8]) -> OpaquePointer? {
    let head: [UInt8] = [
      0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04,
      0x20,
    ]
    let text = Data(head + seed).base64EncodedString()
    let pem = "-----BEGIN PRIVATE KEY-----\n\(text)\n-----END PRIVATE KEY-----\n"
    return sig_private_key(pem, pem.utf8.count, SIG_EDDSA)
  }
}
