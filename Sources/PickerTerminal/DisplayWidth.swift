/// The number of terminal cells (columns) that a text occupies.
enum DisplayWidth {
  /// 0 for control, format and combining characters, 2 for East Asian wide characters and emoji,
  /// else 1.
  ///
  /// - Source: Unicode Standard Annex 11, wide and fullwidth. The table is deliberately
  ///   approximate.
  static func of(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control, .format, .surrogate, .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    let isEmoji = properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}")
    return isEmoji || wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  static func of(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + of($1) } }

  /// The longest prefix of `text` that fits; truncated text ends with `…`.
  static func fitted(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    var result = ""
    var used = 0
    for character in text {
      let next = of(character)
      if used + next > width - 1 { break }
      result.append(character)
      used += next
    }
    return width > 0 ? result + "…" : ""
  }

  /// A text on two lines, split at a space. The second line can be longer than `width`.
  static func wrapped(_ text: String, at width: Int) -> (first: String, rest: String) {
    guard of(text) > width else { return (text, "") }
    let spaces = text.indices.filter { text[$0] == " " }
    guard let split = spaces.last(where: { of(text[..<$0]) <= width }) else { return (text, "") }
    return (String(text[..<split]), String(text[text.index(after: split)...]))
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
    0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]
}

/// Replaces control, format and private-use characters and line separators by spaces, so that text
/// from other members cannot control the terminal.
package func harmless(_ text: String) -> String {
  String(
    String.UnicodeScalarView(
      text.unicodeScalars.map { scalar in
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format, .privateUse, .surrogate: " "
        default: scalar
        }
      }))
}
