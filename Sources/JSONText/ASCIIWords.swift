extension UInt8 {
  /// Whether it is an ASCII letter.
  package var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
  /// Whether it is an ASCII digit.
  package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
}

extension StringProtocol {
  /// Whether all characters are ASCII letters or digits, or in `others`.
  package func isWord(with others: String) -> Bool {
    utf8.allSatisfy { $0.isLetter || $0.isDigit || others.utf8.contains($0) }
  }
}
