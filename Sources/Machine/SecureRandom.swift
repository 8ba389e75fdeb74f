import CMachine

/// The random generator of libcrypto.
package enum SecureRandom {
  /// Cryptographically secure random bytes.
  package static func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
      machine_random(bytes.baseAddress, count)
      initialized = count
    }
  }
}
