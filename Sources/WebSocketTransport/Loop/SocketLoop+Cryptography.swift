import CMachine

extension SocketLoop {
  /// Cryptographically secure random bytes from libcrypto.
  package static func randomBytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
      machine_random(bytes.baseAddress, count)
      initialized = count
    }
  }

  /// The SHA-256 digest of `bytes`, 32 bytes long. - Source: FIPS 180-4
  package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { digest, initialized in
      machine_sha256(bytes, bytes.count, digest.baseAddress)
      initialized = 32
    }
  }
}
