import CMachine

/// - Source: FIPS 180-4
package enum SHA256 {
  /// The digest of `bytes`, 32 bytes long.
  package static func digest(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { digest, initialized in
      machine_sha256(bytes, bytes.count, digest.baseAddress)
      initialized = 32
    }
  }
}
