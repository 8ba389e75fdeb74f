/// A key of a terminal.
enum Key: Hashable {
  case up, down, left, right, pageUp, pageDown, home, end, tab, backTab, enter
  case letter(Character)
  /// Control-C, and what a terminal says when it goes away.
  case interrupt

  /// Reads all keys of what a terminal sent at once.
  static func read(_ octets: [UInt8]) -> [Key] {
    var keys: [Key] = []
    var rest = octets[...]
    while let first = rest.first {
      rest.removeFirst()
      switch first {
      case 0x03, 0x04: keys.append(.interrupt)
      case 0x09: keys.append(.tab)
      case 0x0A, 0x0D: keys.append(.enter)
      case 0x1B: if let key = sequence(&rest) { keys.append(key) }
      case 0x20..<0x7F: keys.append(.letter(Character(Unicode.Scalar(first))))
      default: continue
      }
    }
    return keys
  }

  /// What follows an escape: `[A`, `OA`, `[5~`, `[1;5C`.
  private static func sequence(_ rest: inout ArraySlice<UInt8>) -> Key? {
    guard let kind = rest.first, kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else {
      return nil
    }
    rest.removeFirst()
    var number = 0
    var isFirst = true
    while let octet = rest.popFirst() {
      switch octet {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if isFirst { number = number &* 10 &+ Int(octet - 0x30) }
      case UInt8(ascii: ";"): isFirst = false
      case UInt8(ascii: "A"): return .up
      case UInt8(ascii: "B"): return .down
      case UInt8(ascii: "C"): return .right
      case UInt8(ascii: "D"): return .left
      case UInt8(ascii: "H"): return .home
      case UInt8(ascii: "F"): return .end
      case UInt8(ascii: "Z"): return .backTab
      case UInt8(ascii: "~"): return numbered[number]
      default: return nil
      }
    }
    return nil
  }

  private static let numbered: [Int: Key] = [
    1: .home, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
  ]
}
