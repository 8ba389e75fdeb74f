/// A string that is compared and hashed by its UTF-8 bytes.
///
/// `String` compares by canonical equivalence: "é" as one scalar equals "e" with a combining
/// accent. Two member names or row keys must be equal only if they have the same bytes.
package struct ExactString: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (left: ExactString, right: ExactString) -> Bool {
    left.text.isExactly(right.text)
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // Separates this string from the next one: 0xFF does not occur in UTF-8.
    hasher.combine(UInt8(0xFF))
  }
}

extension String {
  /// Whether both have the same UTF-8 bytes.
  @inlinable
  package func isExactly(_ other: String) -> Bool {
    // Ids often share their storage, or are short: then both strings have the same 16 bytes.
    unsafeBitCast(self, to: SIMD2<UInt64>.self) == unsafeBitCast(other, to: SIMD2<UInt64>.self)
      || hasBytes(of: other)
  }

  @usableFromInline
  func hasBytes(of other: String) -> Bool {
    // All strings on Linux are contiguous. Reading their bytes here is cheaper than `utf8Span`, and
    // much cheaper than `utf8.elementsEqual`.
    let isEqual = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        left.isSame(as: right)
      }
    }
    return isEqual.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether both have the same bytes.
  package func isSame(as other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard count == other.count else { return false }
    if baseAddress == other.baseAddress { return true }
    // Eight bytes at a time: ids of 64 bytes often differ in their last ones only.
    let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
    var offset = 0
    while offset + 8 <= left.count {
      guard
        left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      else { return false }
      offset += 8
    }
    for index in offset..<left.count where left[index] != right[index] { return false }
    return true
  }
}

extension String? {
  /// Whether both are `nil`, or have the same UTF-8 bytes.
  package func isExactly(_ other: String?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return self.isExactly(other)
  }
}

extension [String] {
  /// Whether both arrays have strings of the same UTF-8 bytes, in the same order.
  package func isExactly(_ other: [String]) -> Bool {
    count == other.count && elementsEqual(other) { $0.isExactly($1) }
  }
}
