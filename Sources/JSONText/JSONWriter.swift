/// Writes JSON text directly into a growing buffer, without building a tree.
///
/// The caller is responsible for valid syntax: it writes brackets and commas with ``literal(_:)``.
/// The writer escapes strings and writes numbers exactly. ``clear()`` empties the buffer and
/// retains its capacity. The buffer is not an array, because an array checks for unique ownership
/// at each append.
///
/// `@usableFromInline`, without which other modules would call ``literal(_:)`` instead of inlining
/// it.
@usableFromInline
package struct JSONWriter: ~Copyable {
  @usableFromInline var start: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  @usableFromInline var used = 0
  /// The number of bytes written.
  package var count: Int { used }

  package init(capacity: Int = 256) {
    self.capacity = max(capacity, 64)
    start = .allocate(capacity: self.capacity)
  }

  deinit { start.deallocate() }

  package mutating func clear() { used = 0 }

  /// A copy of the text.
  package var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

  /// The text, without a copy. Only valid until the next write.
  package var rawBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: used)
  }

  /// Writes JSON syntax unchanged.
  @inlinable @inline(__always)
  package mutating func literal(_ text: StaticString) {
    append(text.utf8Start, text.utf8CodeUnitCount)
  }

  /// Writes JSON syntax such as `,"name":`, and a value after it.
  @inlinable @inline(__always)
  package mutating func literal(_ text: StaticString, _ value: String) {
    literal(text)
    string(value)
  }

  /// Writes JSON syntax such as `,"name":`, and a value after it.
  @inlinable @inline(__always)
  package mutating func literal(_ text: StaticString, _ value: Int) {
    literal(text)
    integer(value)
  }

  /// Writes JSON syntax such as `,"name":`, and a value after it.
  package mutating func literal(_ text: StaticString, _ value: Bool) {
    literal(text)
    bool(value)
  }

  /// Writes JSON syntax such as `,"name":`, and a value after it.
  package mutating func literal(_ text: StaticString, _ value: JSONTree) {
    literal(text)
    tree(value)
  }

  /// Removes the last bytes, for example a closing bracket before which something is to be added.
  package mutating func removeLast(_ byteCount: Int) {
    precondition(byteCount <= count, "there are not as many bytes")
    used -= byteCount
  }

  /// Writes bytes that are already JSON text.
  package mutating func raw(_ text: [UInt8]) {
    if !text.isEmpty { text.withUnsafeBufferPointer { append($0) } }
  }

  /// Writes bytes that are already JSON text.
  package mutating func raw(_ text: UnsafeBufferPointer<UInt8>) { append(text) }

  /// Appends `count` bytes that `fill` writes; they must not need escaping.
  @inlinable @inline(__always)
  package mutating func raw(count: Int, fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
    reserve(count)
    fill(UnsafeMutableBufferPointer(start: start + used, count: count))
    used += count
  }

  /// Writes text that needs no escaping, without quotes.
  package mutating func raw(_ text: String) {
    if text.utf8.withContiguousStorageIfAvailable({ append($0) }) == nil {
      var copy = text
      copy.withUTF8 { append($0) }
    }
  }

  /// Writes a string with its quotes.
  @usableFromInline
  package mutating func string(_ value: String) {
    byte(UInt8(ascii: "\""))
    // A native Swift string provides contiguous UTF-8; a bridged one has to be copied.
    if value.utf8.withContiguousStorageIfAvailable({ append(escaping: $0) }) == nil {
      var copy = value
      copy.withUTF8 { append(escaping: $0) }
    }
    byte(UInt8(ascii: "\""))
  }

  /// Writes a string, given by its UTF-8 bytes, with its quotes.
  package mutating func string(_ utf8: UnsafeBufferPointer<UInt8>) {
    byte(UInt8(ascii: "\""))
    append(escaping: utf8)
    byte(UInt8(ascii: "\""))
  }

  @usableFromInline
  package mutating func integer(_ value: Int) {
    if value < 0 { byte(UInt8(ascii: "-")) }
    let rest = value.magnitude
    if rest < 10 { return byte(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest)) }
    if rest < 10_000 { return digits(of: UInt32(truncatingIfNeeded: rest)) }
    var digitCount = 5
    var power: UInt = 100_000
    while digitCount < 20, rest >= power {
      digitCount += 1
      (power, _) = power.multipliedReportingOverflow(by: 10)
    }
    digits(of: rest, digitCount)
  }

  private mutating func digits(of value: UInt, _ digitCount: Int) {
    reserve(digitCount)
    used += digitCount
    var rest = value
    for digit in 1...digitCount {
      start[used - digit] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }

  /// Writes a number of two to four digits, of which most messages have many.
  @inline(__always)
  private mutating func digits(of value: UInt32) {
    let digitCount = value < 100 ? 2 : value < 1_000 ? 3 : 4
    reserve(4)
    let end = start + (used + digitCount)
    used += digitCount
    let (tens, hundreds) = (value / 10, value / 100)
    end[-1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value - 10 * tens)
    end[-2] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: tens - 10 * hundreds)
    if digitCount == 2 { return }
    let thousands = value / 1_000
    end[-3] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: hundreds - 10 * thousands)
    if digitCount == 4 { end[-4] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: thousands) }
  }

  package mutating func bool(_ value: Bool) { value ? literal("true") : literal("false") }

  package mutating func tree(_ tree: JSONTree) {
    switch tree {
    case .null: literal("null")
    case .bool(let value): bool(value)
    case .integer(let value): integer(value)
    // JSON has no infinity; a number that is too large is read as one.
    case .number(let value): raw(value.isInfinite ? (value < 0 ? "-1e999" : "1e999") : "\(value)")
    case .string(let value): string(value)
    case .array(let elements):
      literal("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { literal(",") }
        self.tree(element)
      }
      literal("]")
    case .object(let members):
      literal("{")
      for (index, member) in members.enumerated() {
        if index > 0 { literal(",") }
        string(member.key)
        literal(":")
        self.tree(member.value)
      }
      literal("}")
    }
  }

  @inlinable @inline(__always)
  mutating func reserve(_ more: Int) {
    if used + more > capacity { grow(more) }
  }

  @usableFromInline @inline(never)
  mutating func grow(_ more: Int) {
    capacity = max(2 * capacity, used + more)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    moved.update(from: start, count: used)
    start.deallocate()
    start = moved
  }

  @inline(__always)
  private mutating func byte(_ byte: UInt8) {
    reserve(1)
    start[used] = byte
    used += 1
  }

  @inlinable @inline(__always)
  mutating func append(_ from: UnsafePointer<UInt8>, _ length: Int) {
    reserve(length)
    (start + used).update(from: from, count: length)
    used += length
  }

  private mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
    if let from = text.baseAddress { append(from, text.count) }
  }

  private mutating func append(escaping text: UnsafeBufferPointer<UInt8>) {
    guard let from = text.baseAddress else { return }
    var begin = appendPlain(from, text.count)
    if begin == text.count { return }
    var index = begin
    while index < text.count {
      let byte = text[index]
      defer { index += 1 }
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
        continue
      }
      append(from + begin, index - begin)
      appendEscape(byte)
      begin = index + 1
    }
    append(from + begin, text.count - begin)
  }

  /// Appends eight bytes at a time, up to the first eight of which one is escaped.
  ///
  /// - Returns: How many bytes it has appended.
  @inline(__always)
  private mutating func appendPlain(_ from: UnsafePointer<UInt8>, _ length: Int) -> Int {
    reserve(length)
    let to = UnsafeMutableRawPointer(start + used)
    var index = 0
    while index + 8 <= length {
      let word = eightBytes(from + index)
      if word.hasEscaped { break }
      to.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
      index += 8
    }
    if index > 0, index < length, index + 8 > length {
      let word = eightBytes(from + length - 8)
      if !word.hasEscaped {
        to.storeBytes(of: word, toByteOffset: length - 8, as: UInt64.self)
        index = length
      }
    }
    used += index
    return index
  }

  private mutating func appendEscape(_ escaped: UInt8) {
    switch escaped {
    case UInt8(ascii: "\""): literal("\\\"")
    case UInt8(ascii: "\\"): literal("\\\\")
    case 0x0A: literal("\\n")
    case 0x0D: literal("\\r")
    case 0x09: literal("\\t")
    default:
      literal("\\u00")
      byte(escaped >> 4 + UInt8(ascii: "0"))
      let low = escaped & 0xF
      byte(low < 10 ? low + UInt8(ascii: "0") : low - 10 + UInt8(ascii: "a"))
    }
  }
}

private func eightBytes(_ from: UnsafePointer<UInt8>) -> UInt64 {
  UnsafeRawPointer(from).loadUnaligned(as: UInt64.self)
}

extension UInt64 {
  /// Whether one of the eight bytes is escaped in a string: a quote, a backslash or a control
  /// character.
  fileprivate var hasEscaped: Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let (quotes, backslashes) = (self ^ 0x22 &* ones, self ^ 0x5C &* ones)
    // A byte of `x &- n &* ones & ~x` has its highest bit if it was below `n`, or if a lower one
    // was.
    let found =
      (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
      | (self &- 0x20 &* ones) & ~self
    return found & (0x80 &* ones) != 0
  }
}

extension JSONTree {
  /// The value as JSON text without white space.
  package func serialized() -> [UInt8] {
    var writer = JSONWriter()
    writer.tree(self)
    return writer.bytes
  }
}
