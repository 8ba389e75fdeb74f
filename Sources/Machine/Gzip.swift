import CMachine

/// Compression into the gzip format.
/// - Source: RFC 1952
package enum Gzip {
  /// - Returns: `nil` if gzip does not make `bytes` shorter.
  package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count) { into, count in
      count = machine_gzip(bytes, bytes.count, into.baseAddress, into.count)
    }
    return compressed.isEmpty ? nil : compressed
  }
}
