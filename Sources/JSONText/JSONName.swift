/// A member name of at most 16 bytes, none of them 0, compared without allocating a string.
@usableFromInline
package struct JSONName: Hashable, Sendable {
  /// The first eight bytes, in little-endian order; `high` has the others.
  @usableFromInline package var low: UInt64 = 0
  @usableFromInline package var high: UInt64 = 0

  @inlinable
  package init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  package init?(_ name: some Sequence<UInt8>) {
    var count = 0
    for byte in name {
      guard byte != 0, count < 16 else { return nil }
      if count < 8 {
        low |= UInt64(byte) << UInt64(8 * count)
      } else {
        high |= UInt64(byte) << UInt64(8 * (count - 8))
      }
      count += 1
    }
  }

  package init(_ name: StaticString) {
    self.init(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))!
  }

  /// 0 to 16.
  var byteCount: Int {
    high == 0 ? 8 - low.leadingZeroBitCount / 8 : 16 - high.leadingZeroBitCount / 8
  }
}

extension UInt64 {
  /// How many of the eight bytes, in little-endian order, come before the first that is not plain;
  /// see ``JSONCursor/isPlain(_:)``.
  @inlinable @inline(__always)
  package var plainByteCount: Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let (quotes, backslashes) = (self ^ 0x22 &* ones, self ^ 0x5C &* ones)
    // The lowest byte whose highest bit is set is right: borrows only affect bytes after it.
    let others =
      (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
      | (self &- 0x20 &* ones) & ~self | self
    return (others & (0x80 &* ones)).trailingZeroBitCount / 8
  }
}

extension Span<UInt8> {
  /// The plain bytes at an offset, at most 16, and the offset after them.
  @inlinable @inline(__always)
  package func plainName(at start: Int) -> (name: JSONName, end: Int) {
    let low = word(at: start)
    let lowCount = low.plainByteCount
    if lowCount < 8 {
      return (JSONName(low: low & (1 &<< UInt64(8 &* lowCount) &- 1), high: 0), start + lowCount)
    }
    let high = word(at: start + 8)
    let highCount = high.plainByteCount
    let mask: UInt64 = highCount == 8 ? .max : 1 &<< UInt64(8 &* highCount) &- 1
    return (JSONName(low: low, high: high & mask), start + 8 + highCount)
  }

  /// The offset of the first byte from `start` on that is not plain; their count if there is none.
  @inlinable
  package func plainEnd(from start: Int) -> Int {
    var end = start
    while end < count {
      let plainCount = word(at: end).plainByteCount
      end += plainCount
      if plainCount < 8 { break }
    }
    return end
  }

  /// Eight bytes in little-endian order; zeros, which are not plain, after the last byte.
  @inlinable @inline(__always)
  func word(at offset: Int) -> UInt64 {
    if offset + 8 <= count {
      return bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
    }
    if count < 8 || offset >= count { return 0 }
    let last = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: count - 8, as: UInt64.self)
    return last &>> UInt64(8 &* (offset + 8 - count))
  }
}

extension JSONCursor {
  /// Reads a member's name and the colon after it, like ``readName(_:)``.
  ///
  /// - Returns: `nil` for a name that does not fit into a ``JSONName``.
  package mutating func readShortName(_ text: Span<UInt8>) throws(JSONError) -> JSONName? {
    skipWhitespace(text)
    let name = try readShortString(text)
    skipWhitespace(text)
    guard accept(UInt8(ascii: ":"), text) else { throw failure("a colon was expected") }
    return name
  }

  /// Reads a string, like ``readString(_:)``.
  ///
  /// - Returns: `nil` for a string that does not fit into a ``JSONName``.
  package mutating func readShortString(_ text: Span<UInt8>) throws(JSONError) -> JSONName? {
    guard let name = plainName(text) else { return JSONName(try readString(text).utf8) }
    advance(by: name.byteCount + 2)
    return name
  }

  /// The name at the cursor, if it has no escape sequences and at most 16 bytes.
  private func plainName(_ text: Span<UInt8>) -> JSONName? {
    guard peek(text) == UInt8(ascii: "\"") else { return nil }
    let start = offset + 1
    var end = start
    let low = word(text, &end)
    let high = end == start + 8 ? word(text, &end) : 0
    guard end > start, end < text.count, text[end] == UInt8(ascii: "\"") else { return nil }
    return JSONName(low: low, high: high)
  }

  /// Up to eight plain bytes as a number, in little-endian order.
  @inline(__always)
  private func word(_ text: Span<UInt8>, _ end: inout Int) -> UInt64 {
    if end + 8 <= text.count {
      let word = text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: end, as: UInt64.self)
      let plainCount = word.plainByteCount
      end &+= plainCount
      return plainCount == 8 ? word : word & ((1 &<< UInt64(8 &* plainCount)) &- 1)
    }
    var word: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 64, end < text.count, isPlain(text[end]) {
      word |= UInt64(text[end]) &<< shift
      shift &+= 8
      end &+= 1
    }
    return word
  }

  /// Whether a byte needs no decoding in a string: ASCII but no quote, backslash or control
  /// character.
  @inline(__always)
  func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }
}
