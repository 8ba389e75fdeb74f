import JSONText

/// The language, script and region of a well-formed BCP 47 language tag.
///
/// - Source: RFC 5646 section 2.1. Variants, extensions and private use subtags are validated but
///   not stored, because no text depends on them; but for the numbering system.
package struct LocaleTag: Hashable, Sendable {
  /// The maximum length of a tag; RFC 5646 section 4.4.1 considers 35 characters sufficient.
  package static let characterCountMax = 64

  /// Lower case, 2 to 8 letters, such as `zh`.
  package let language: String
  /// Title case, such as `Hans`; `nil` if absent.
  package let script: String?
  /// Upper case letters or three digits, such as `CN` or `419`; `nil` if absent.
  package let region: String?
  /// The numbering system, lower case, such as `latn`; `nil` if absent.
  package let numbers: String?

  /// - Returns: `nil` if the tag is not well-formed, and for private-use tags (`x-…`) and irregular
  ///   grandfathered tags (`i-klingon`), which have no language subtag.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count <= LocaleTag.characterCountMax else { return nil }
    var subtags = text.split(separator: "-", omittingEmptySubsequences: false)[...]
    guard subtags.allSatisfy({ (1...8).contains($0.utf8.count) && $0.isWord(with: "") }) else {
      return nil
    }

    guard let first = subtags.popFirst(), first.utf8.count >= 2, first.isLetters else { return nil }
    language = first.lowercased()
    if first.utf8.count <= 3 {
      // Up to three extended language subtags, an old form: `zh-yue` for `yue`.
      for _ in 0..<3 where subtags.first?.isLetters(count: 3) == true { subtags.removeFirst() }
    }

    if let script = subtags.first, script.isLetters(count: 4) {
      self.script = script.prefix(1).uppercased() + script.dropFirst().lowercased()
      subtags.removeFirst()
    } else {
      script = nil
    }

    if let region = subtags.first, region.isLetters(count: 2) || region.isDigits(count: 3) {
      self.region = region.uppercased()
      subtags.removeFirst()
    } else {
      region = nil
    }

    guard LocaleTag.isRestWellFormed(subtags) else { return nil }
    numbers = LocaleTag.numbers(in: subtags)
  }

  /// The value of the key `nu` of the extension `u`, such as `-u-nu-latn`.
  ///
  /// - Source: Unicode TR35, "Unicode Locale Identifier".
  private static func numbers<Text: StringProtocol>(in rest: ArraySlice<Text>) -> String? {
    var isUnicode = false
    for (index, subtag) in zip(rest.indices, rest) {
      if subtag.utf8.count == 1 {
        if subtag.lowercased() == "x" { return nil }
        isUnicode = subtag.lowercased() == "u"
      } else if isUnicode, subtag.lowercased() == "nu" {
        let value = rest[(index + 1)...].first
        return value.flatMap { $0.utf8.count > 2 ? $0.lowercased() : nil }
      }
    }
    return nil
  }

  /// `5*8alphanum` or `DIGIT 3alphanum` variants, then extensions, then private use.
  private static func isRestWellFormed<Text: StringProtocol>(_ rest: ArraySlice<Text>) -> Bool {
    var subtags = rest
    while let variant = subtags.first, variant.isVariant { subtags.removeFirst() }

    var seen: Set<String> = []
    while let singleton = subtags.popFirst() {
      guard singleton.utf8.count == 1 else { return false }
      let isPrivate = singleton.lowercased() == "x"
      guard seen.insert(singleton.lowercased()).inserted else { return false }
      let least = isPrivate ? 1 : 2
      guard let next = subtags.first, next.utf8.count >= least else { return false }
      if isPrivate { return true }
      while let subtag = subtags.first, subtag.utf8.count >= 2 { subtags.removeFirst() }
    }
    return true
  }
}

extension StringProtocol {
  fileprivate var isLetters: Bool { utf8.allSatisfy(\.isLetter) }
  fileprivate func isLetters(count: Int) -> Bool { utf8.count == count && isLetters }
  fileprivate func isDigits(count: Int) -> Bool {
    utf8.count == count && utf8.allSatisfy(\.isDigit)
  }
  fileprivate var isVariant: Bool {
    utf8.count >= 5 || (utf8.count == 4 && utf8.first!.isDigit)
  }
}
