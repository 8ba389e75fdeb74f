/// A key press.
package indirect enum Key: Hashable, Sendable {
  case up, down, left, right, pageUp, pageDown, home, end, tab, backTab, enter, escape, backspace
  case letter(Character)
  /// An arrow key with Shift.
  case shift(Key)
  /// Control-C or Control-D.
  case interrupt
}

/// Parses the bytes from a terminal into keys. A sequence may arrive in parts.
package struct KeyReader {
  private var rest: [UInt8] = []

  package init() {}

  /// Whether the bytes end with an escape that can be a key or the start of a sequence.
  var isIncomplete: Bool { !rest.isEmpty }

  package mutating func take(_ bytes: [UInt8]) -> [Key] {
    rest += bytes
    var keys: [Key] = []
    while let first = rest.first {
      guard first == 0x1B else {
        let count = Self.characterLength(first)
        guard count <= rest.count else { break }
        if let key = Self.key(rest.prefix(count)) { keys.append(key) }
        rest.removeFirst(count)
        continue
      }
      guard let end = Self.sequenceEnd(rest) else { break }
      if let key = Self.key(sequence: rest[1..<end]) { keys.append(key) }
      rest.removeFirst(end)
    }
    return keys
  }

  /// After a timeout: takes an incomplete sequence for the Escape key.
  mutating func timeOut() -> [Key] {
    defer { rest = [] }
    return rest.first == 0x1B ? [.escape] : []
  }

  /// The number of bytes of a character in UTF-8, by its first byte.
  private static func characterLength(_ first: UInt8) -> Int {
    switch first {
    case 0xC0..<0xE0: 2
    case 0xE0..<0xF0: 3
    case 0xF0...: 4
    default: 1
    }
  }

  /// The key of a character.
  private static func key(_ bytes: ArraySlice<UInt8>) -> Key? {
    guard let byte = bytes.first else { return nil }
    switch byte {
    case 0x03, 0x04: return .interrupt
    case 0x09: return .tab
    case 0x0A, 0x0D: return .enter
    case 0x08, 0x7F: return .backspace
    case 0x20...: return String(validating: bytes, as: UTF8.self)?.first.map { .letter($0) }
    default: return nil
    }
  }

  /// The end of the sequence at the start; `nil` if it is incomplete.
  private static func sequenceEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.count > 1 else { return nil }
    switch bytes[1] {
    case UInt8(ascii: "O"): return bytes.count > 2 ? 3 : nil
    case UInt8(ascii: "["):
      let last = bytes.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }
      return last.map { $0 + 1 }
    case 0x1B: return 1
    default: return 2
    }
  }

  /// The key of a sequence without its escape, such as `[A`, `OA`, `[5~`, `[1;5C`, if known.
  private static func key(sequence: ArraySlice<UInt8>) -> Key? {
    guard let last = sequence.last else { return .escape }
    if (0x41...0x44).contains(last), sequence.elementsEqual("[1;2".utf8 + [last]) {
      return key(sequence: [UInt8(ascii: "["), last]).map { .shift($0) }
    }
    switch last {
    case UInt8(ascii: "A"): return .up
    case UInt8(ascii: "B"): return .down
    case UInt8(ascii: "C"): return .right
    case UInt8(ascii: "D"): return .left
    case UInt8(ascii: "H"): return .home
    case UInt8(ascii: "F"): return .end
    case UInt8(ascii: "Z"): return .backTab
    case UInt8(ascii: "~"):
      let digits = sequence.dropFirst().prefix { $0 != UInt8(ascii: ";") && $0 != last }
      return numbered[String(decoding: digits, as: UTF8.self)]
    default: return nil
    }
  }

  private static let numbered: [String: Key] = [
    "1": .home, "4": .end, "5": .pageUp, "6": .pageDown, "7": .home, "8": .end,
  ]
}
