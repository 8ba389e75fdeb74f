import CMachine

/// A gzip file that is compressed part by part: what exists so far can always be decompressed.
package struct GzipParts: Sendable {
  private var state = machine_gzip_parts()

  package init() {}

  /// Compresses the next part. Must be called once per part, in order.
  ///
  /// - Returns: `nil` if there is no memory for it.
  package mutating func compress(_ bytes: [UInt8], isLast: Bool) -> [UInt8]? {
    let capacity = bytes.count + bytes.count / 16 + 64
    let compressed = [UInt8](unsafeUninitializedCapacity: capacity) { into, count in
      count = machine_gzip_part(&state, bytes, bytes.count, isLast, into.baseAddress, capacity)
    }
    return compressed.isEmpty ? nil : compressed
  }
}
