import Foundation
package import PickerModel
import Synchronization

/// The texts of all locales: built-in tables for `en` and `zh-Hans`, Foundation for all others.
///
/// The texts of a locale are generated at the first request and cached. The cache is bounded by
/// the number of locales that Foundation supports (about 1,000, 5 KB each), and by 200 with other
/// digits than their own (`fa-u-nu-latn`), whatever tags clients send.
package final class LocaleCatalog: Sendable {
  private let known: Set<String>
  private let cache = Mutex<[String: FoundationTexts]>([:])
  /// The texts with other digits than the locale's own.
  private let numbered = Mutex<[String: FoundationTexts]>([:])

  /// The maximum of `numbered`; beyond it, texts have the digits of their locale.
  private static let numberedMax = 200
  /// The numbering systems with ten digits that have a language here; others are ignored.
  private static let numberings: Set = [
    "arab", "arabext", "beng", "deva", "gujr", "guru", "khmr", "knda", "laoo", "latn", "mlym",
    "mymr", "orya", "tamldec", "telu", "thai", "tibt",
  ]

  package init() {
    known = Set(Locale.availableIdentifiers.map { $0.replacing("_", with: "-") })
  }

  /// The texts for `tag` (case-insensitive): of that locale, or of the nearest one that is found by
  /// dropping its region, then its script.
  ///
  /// Equivalent tags have texts with the same `tag`, so that messages encoded for one are shared:
  /// `zh-CN` and `zh-Hans` yield `zh-Hans`, `ja-JP` yields `ja`.
  /// - Returns: `nil` if the tag is not well-formed or its language is unknown or `und`.
  package func texts(for tag: String) -> (any RowTexts)? {
    guard let tag = LocaleTag(tag), tag.language != "und" else { return nil }
    let full = LocaleCatalog.withLikelySubtags(tag)
    if full.language == "zh", full.script == "Hans" { return SimplifiedChineseTexts() }
    if full.language == "en", full.region == "US" { return EnglishTexts() }

    let candidates = [tag, full].flatMap(LocaleCatalog.fallbacks) + [full.language]
    guard let found = candidates.first(where: known.contains) else { return nil }
    if found == "en" { return EnglishTexts() }
    let texts = foundationTexts(for: found)
    return tag.numbers.flatMap { numberedTexts(texts, $0) } ?? texts
  }

  /// The texts with the digits of a numbering system; `nil` if it is unknown, or there are too
  /// many.
  private func numberedTexts(_ texts: FoundationTexts, _ numbers: String) -> FoundationTexts? {
    guard LocaleCatalog.numberings.contains(numbers) else { return nil }
    let tag = "\(texts.tag)-u-nu-\(numbers)"
    let (known, isFull) = numbered.withLock { ($0[tag], $0.count >= LocaleCatalog.numberedMax) }
    if known != nil || isFull { return known }
    var made = FoundationTexts(tag: tag)
    if made.hasSameContent(as: texts) { made = texts }
    return numbered.withLock { numbered in
      if let earlier = numbered[tag] { return earlier }
      guard numbered.count < LocaleCatalog.numberedMax else { return nil }
      numbered[tag] = made
      return made
    }
  }

  private func foundationTexts(for tag: String) -> FoundationTexts {
    if let texts = cache.withLock({ $0[tag] }) { return texts }
    var texts = FoundationTexts(tag: tag)
    if let hyphen = tag.lastIndex(of: "-"), known.contains(String(tag[..<hyphen])) {
      let parent = foundationTexts(for: String(tag[..<hyphen]))
      if parent.hasSameContent(as: texts) { texts = parent }
    }
    return cache.withLock { cached in
      if let earlier = cached[tag] { return earlier }
      cached[tag] = texts
      return texts
    }
  }

  /// `tag` and its fallbacks, without the bare language.
  private static func fallbacks(_ tag: LocaleTag) -> [String] {
    let language = tag.language
    let script = tag.script.map { "-" + $0 } ?? ""
    let region = tag.region.map { "-" + $0 } ?? ""
    var tags = [language + script + region]
    if !script.isEmpty && !region.isEmpty { tags += [language + script, language + region] }
    return tags
  }

  /// Adds the most likely script and region to a tag: `zh-TW` becomes `zh-Hant-TW`.
  ///
  /// - Source: Unicode TR35, "Likely Subtags".
  private static func withLikelySubtags(_ tag: LocaleTag) -> LocaleTag {
    let components = Locale.Language(
      languageCode: .init(tag.language), script: tag.script.map { .init($0) },
      region: tag.region.map { .init($0) })
    return LocaleTag(components.maximalIdentifier) ?? tag
  }
}
