/// A well-formed BCP 47 language tag, taken apart as far as texts depend on it.
///
/// - Source: RFC 5646 section 2.1. Variants, extensions and private use are checked and then left
///   aside: no picker text depends on them.
package struct LocaleTag: Hashable, Sendable {
  /// A longer tag is refused unread; RFC 5646 section 4.4.1 expects 35 characters to be enough.
  package static let characterCountMax = 64

  /// Lower case, 2 to 8 letters, such as `zh`.
  package let language: String
  /// Title case, such as `Hans`; `nil` if the tag names none.
  package let script: String?
  /// Upper case letters or three digits, such as `CN` or `419`; `nil` if the tag names none.
  package let region: String?

  /// - Returns: `nil` for anything that is no well-formed tag. Private-use tags (`x-…`) and the
  ///   irregular grandfathered ones (`i-klingon`) say no language and are refused as well.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count <= LocaleTag.characterCountMax else { return nil }
    var subtags = text.split(separator: "-", omittingEmptySubsequences: false)[...]
    guard subtags.allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isTag) })
    else { return nil }

    guard let first = subtags.popFirst(), first.utf8.count >= 2, first.isLetters else { return nil }
    language = first.lowercased()
    if first.utf8.count <= 3 {
      // Up to three extended languages: an old way to say `yue` as `zh-yue`.
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

extension UInt8 {
  fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  fileprivate var isTag: Bool { isLetter || isDigit }
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
