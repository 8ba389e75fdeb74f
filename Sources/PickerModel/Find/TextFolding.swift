/// Folds texts, so that they can be compared without regard to case, accents and compatibility
/// forms: NFKD, full case folding, and no characters of a combining class other than 0. The same
/// for every language.
///
/// Each scalar is folded by itself, because what NFKD reorders is removed.
/// - Source: web/guide/README.md, "Find".
struct TextFolding: @unchecked Sendable {
  /// The maximum number of bytes that a byte becomes: U+FDFA has 3 and becomes 33.
  static let growthMax = 12

  // Allocated once and never freed, and not written after that. Arrays would be retained and their
  // indices checked for each scalar.
  private let pages: UnsafePointer<Int32>
  private let entries: UnsafePointer<UInt32>
  private let pool: UnsafePointer<UInt8>

  static let unicode = TextFolding(FoldingPages(foldingTable))

  private init(_ table: FoldingPages) {
    pages = TextFolding.copy(table.pages)
    entries = TextFolding.copy(table.entries)
    pool = TextFolding.copy(table.pool)
  }

  private static func copy<Value>(_ values: [Value]) -> UnsafePointer<Value> {
    let copy = UnsafeMutablePointer<Value>.allocate(capacity: values.count)
    copy.initialize(from: values, count: values.count)
    return UnsafePointer(copy)
  }
}

/// The table as it is searched.
private struct FoldingPages {
  /// For each 256 scalars the first of their entries.
  var pages = [Int32](repeating: 0, count: 0x1100)
  /// For each scalar of a page the offset of its text in ``pool``, times 64, plus its length and 1;
  /// 0 if the scalar stays as it is. The first page is for all scalars that do.
  var entries = [UInt32](repeating: 0, count: 256)
  /// The texts in UTF-8.
  var pool: [UInt8] = []

  init(_ table: StaticString) {
    table.withUTF8Buffer { text in
      var reader = TableReader(text: text)
      while let first = reader.number() { readEntry(of: first, &reader) }
    }
  }

  private mutating func readEntry(of first: UInt32, _ reader: inout TableReader) {
    guard reader.take("-") else {
      guard reader.take("=") else { preconditionFailure("an entry of the table has a = or a -") }
      var scalar = first
      repeat {
        var text = [reader.number()!]
        while reader.take(".") { text.append(reader.number()!) }
        set(scalar, to: text)
        scalar += 1
      } while reader.take(",")
      return
    }
    let last = reader.number()!
    let step: UInt32 = reader.take("/") ? reader.number()! : 1
    let isLess = reader.take("-")
    let hasOffset = isLess || reader.take("+")
    let offset = hasOffset ? reader.number()! : 0
    for scalar in stride(from: first, through: last, by: Int(step)) {
      set(scalar, to: hasOffset ? [isLess ? scalar - offset : scalar + offset] : [])
    }
  }

  private mutating func set(_ scalar: UInt32, to text: [UInt32]) {
    let page = Int(scalar >> 8)
    if pages[page] == 0 {
      pages[page] = Int32(entries.count)
      entries.append(contentsOf: repeatElement(0, count: 256))
    }
    let start = pool.count
    for value in text { pool.append(contentsOf: Unicode.Scalar(value)!.utf8) }
    let length = pool.count - start
    precondition(length < 63, "a text of the table has at most 62 bytes")
    entries[Int(pages[page]) + Int(scalar & 0xFF)] = UInt32(start << 6 | length + 1)
  }
}

extension TextFolding {
  /// Folds UTF-8 text.
  ///
  /// - Parameter folded: Has room for ``growthMax`` times the bytes of `text`.
  /// - Returns: The number of bytes written.
  func fold(_ text: UnsafeBufferPointer<UInt8>, to folded: UnsafeMutablePointer<UInt8>) -> Int {
    var (read, written) = (0, 0)
    while read < text.count {
      if read + 8 <= text.count, let word = EightBytes(text, at: read), word.isASCII {
        word.lowercased.store(folded + written)
        (read, written) = (read + 8, written + 8)
        continue
      }
      let byte = text[read]
      if byte < 0x80 {
        folded[written] = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
        (read, written) = (read + 1, written + 1)
      } else {
        let (scalar, length) = TextFolding.scalar(text, at: read)
        written += fold(scalar, text, read..<read + length, to: folded + written)
        read += length
      }
    }
    return written
  }

  func folded(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { text in
      [UInt8](unsafeUninitializedCapacity: TextFolding.growthMax * text.count) { folded, count in
        count = folded.baseAddress.map { fold(text, to: $0) } ?? 0
      }
    }
  }

  /// The UTF-16 units of a text that become some bytes of its folded form, in whole scalars and
  /// with the removed ones that follow.
  func utf16Range(
    of part: Range<Int>, in text: UnsafeBufferPointer<UInt8>
  ) -> Range<Int> {
    var scratch = InlineArray<64, UInt8>(repeating: 0)
    var (read, written, units) = (0, 0, 0)
    var (start, end) = (0, 0)
    while read < text.count {
      let (scalar, length) = TextFolding.scalar(text, at: read)
      var scratchSpan = scratch.mutableSpan
      let added = scratchSpan.withUnsafeMutableBufferPointer {
        fold(scalar, text, read..<read + length, to: $0.baseAddress!)
      }
      if written <= part.lowerBound { start = units }
      if written >= part.upperBound, added > 0 { break }
      read += length
      written += added
      units += length == 4 ? 2 : 1
      end = units
    }
    return start..<end
  }

  /// The scalar of valid UTF-8 at `offset`, and its length in bytes.
  @inline(__always)
  static func scalar(
    _ text: UnsafeBufferPointer<UInt8>, at offset: Int
  ) -> (value: UInt32, length: Int) {
    let lead = UInt32(text[offset])
    if lead < 0x80 { return (lead, 1) }
    let second = UInt32(text[offset + 1] & 0x3F)
    if lead < 0xE0 { return ((lead & 0x1F) << 6 | second, 2) }
    let third = UInt32(text[offset + 2] & 0x3F)
    if lead < 0xF0 { return ((lead & 0x0F) << 12 | second << 6 | third, 3) }
    return ((lead & 0x07) << 18 | second << 12 | third << 6 | UInt32(text[offset + 3] & 0x3F), 4)
  }

  /// Folds one scalar, which has the bytes `range` of `text`.
  @inline(__always)
  private func fold(
    _ scalar: UInt32, _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>,
    to folded: UnsafeMutablePointer<UInt8>
  ) -> Int {
    if scalar &- HangulSyllable.first < HangulSyllable.count {
      return HangulSyllable.decompose(scalar, to: folded)
    }
    let entry = entries[Int(pages[Int(scalar >> 8)]) + Int(scalar & 0xFF)]
    if entry == 0 {
      for offset in range { folded[offset - range.lowerBound] = text[offset] }
      return range.count
    }
    let (start, length) = (Int(entry >> 6), Int(entry & 63) - 1)
    for offset in 0..<length { folded[offset] = pool[start + offset] }
    return length
  }
}

/// Eight bytes of a text, to handle them at once.
struct EightBytes {
  private let word: UInt64
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  @inline(__always)
  init?(_ text: UnsafeBufferPointer<UInt8>, at offset: Int) {
    guard let start = text.baseAddress else { return nil }
    word = UnsafeRawPointer(start + offset).loadUnaligned(as: UInt64.self)
  }

  private init(word: UInt64) { self.word = word }

  var isASCII: Bool { word & EightBytes.highs == 0 }

  /// - Precondition: ``isASCII``.
  var lowercased: EightBytes {
    let isFromA = word &+ (0x80 - UInt64(UInt8(ascii: "A"))) &* EightBytes.ones
    let isBeyondZ = word &+ (0x7F - UInt64(UInt8(ascii: "Z"))) &* EightBytes.ones
    return EightBytes(word: word | ((isFromA ^ isBeyondZ) & EightBytes.highs) >> 2)
  }

  func has(_ byte: UInt8) -> Bool {
    let difference = word ^ UInt64(byte) &* EightBytes.ones
    return (difference &- EightBytes.ones) & ~difference & EightBytes.highs != 0
  }

  @inline(__always)
  func store(_ target: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(target).storeBytes(of: word, as: UInt64.self)
  }
}

/// The canonical decomposition of Hangul syllables into jamo.
///
/// - Source: The Unicode Standard, section 3.12.
private enum HangulSyllable {
  static let first: UInt32 = 0xAC00
  static let count: UInt32 = 11_172

  static func decompose(_ syllable: UInt32, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
    let index = syllable - first
    write(0x1100 + index / 588, to: bytes)
    write(0x1161 + index % 588 / 28, to: bytes + 3)
    if index % 28 == 0 { return 6 }
    write(0x11A7 + index % 28, to: bytes + 6)
    return 9
  }

  private static func write(_ jamo: UInt32, to bytes: UnsafeMutablePointer<UInt8>) {
    bytes[0] = 0xE1
    bytes[1] = UInt8(0x80 | jamo >> 6 & 0x3F)
    bytes[2] = UInt8(0x80 | jamo & 0x3F)
  }
}

/// Reads ``foldingTable``.
private struct TableReader {
  let text: UnsafeBufferPointer<UInt8>
  private var offset = 0

  init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

  /// A hexadecimal number after white space; `nil` at the end.
  mutating func number() -> UInt32? {
    while offset < text.count, text[offset] <= UInt8(ascii: " ") { offset += 1 }
    var value: UInt32?
    while offset < text.count, let digit = Character(Unicode.Scalar(text[offset])).hexDigitValue {
      value = (value ?? 0) << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }

  mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard offset < text.count, text[offset] == UInt8(ascii: sign) else { return false }
    offset += 1
    return true
  }
}
