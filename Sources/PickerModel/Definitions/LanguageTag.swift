/// The syntax of BCP 47 language tags. Whether the subtags are registered is not checked.
///
/// - Source: RFC 5646 section 2.1.
package enum LanguageTag {
  /// The irregular grandfathered tags, which the grammar lists one by one.
  private static let irregular: Set<String> = [
    "en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon", "i-lux",
    "i-mingo", "i-navajo", "i-pwn", "i-tao", "i-tay", "i-tsu", "sgn-be-fr", "sgn-be-nl",
    "sgn-ch-de",
  ]

  package static func isWellFormed(_ tag: String) -> Bool {
    let lowercased = tag.lowercased()
    if irregular.contains(lowercased) { return true }
    let subtags = lowercased.utf8.split(
      separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard subtags.allSatisfy({ (1...8).contains($0.count) && $0.allSatisfy(isAlphanumeric) })
    else { return false }
    var rest = subtags[...]
    if rest.first!.elementsEqual("x".utf8) { return rest.count > 1 }
    guard skipLanguage(&rest) else { return false }
    skip(&rest) { $0.count == 4 && $0.allSatisfy(isLetter) }
    skip(&rest) {
      $0.count == 2 && $0.allSatisfy(isLetter) || $0.count == 3 && $0.allSatisfy(isDigit)
    }
    while skip(&rest, { $0.count >= 5 || $0.count == 4 && isDigit($0.first!) }) {}
    return skipExtensions(&rest) && rest.isEmpty
  }

  private typealias Subtag = Substring.UTF8View.SubSequence

  /// Skips the language: two or three letters and up to three extended subtags, or four to eight
  /// letters.
  private static func skipLanguage(_ rest: inout ArraySlice<Subtag>) -> Bool {
    guard let language = rest.popFirst(), language.count >= 2, language.allSatisfy(isLetter)
    else { return false }
    guard language.count <= 3 else { return true }
    for _ in 0..<3 { skip(&rest) { $0.count == 3 && $0.allSatisfy(isLetter) } }
    return true
  }

  /// Skips extensions: a singleton with one subtag or more each. After `x` all subtags are private
  /// use.
  private static func skipExtensions(_ rest: inout ArraySlice<Subtag>) -> Bool {
    while let singleton = rest.first, singleton.count == 1 {
      rest.removeFirst()
      if singleton.elementsEqual("x".utf8) {
        defer { rest.removeAll() }
        return !rest.isEmpty
      }
      guard skip(&rest, { $0.count >= 2 }) else { return false }
      while skip(&rest, { $0.count >= 2 }) {}
    }
    return true
  }

  /// Skips the next subtag if it matches.
  @discardableResult
  private static func skip(
    _ rest: inout ArraySlice<Subtag>, _ fits: (Subtag) -> Bool
  ) -> Bool {
    guard let subtag = rest.first, fits(subtag) else { return false }
    rest.removeFirst()
    return true
  }

  private static func isLetter(_ byte: UInt8) -> Bool { byte &- 0x61 < 26 }
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  private static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }
}
