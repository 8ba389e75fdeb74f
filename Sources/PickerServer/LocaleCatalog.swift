import Foundation
package import PickerModel
import Synchronization

/// The texts of every locale: `en` and `zh-Hans` as the table has them, the others Foundation's.
///
/// A locale's texts are made once, when they are first asked for. There are as many as Foundation
/// knows locales (about 1,000, some 5 KB each) and never more, whatever tags arrive: a tag only
/// chooses among them.
/// - Source: rules.md, "Texts".
package final class LocaleCatalog: Sendable {
  private let known: Set<String>
  private let kept = Mutex<[String: FoundationTexts]>([:])

  package init() {
    known = Set(Locale.availableIdentifiers.map { $0.replacing("_", with: "-") })
  }

  /// The texts for `tag`, in any case: of that locale, else of what it falls back to by dropping
  /// its region, then its script.
  ///
  /// Tags that mean the same get texts with the same `tag`, so that they can share what is encoded:
  /// `zh-CN` and `zh-Hans` are `zh-Hans`, `ja-JP` is `ja`.
  /// - Returns: `nil` if the tag is not well-formed, or not even its language is known
  ///   (`und` is nobody's).
  package func texts(for tag: String) -> (any RowTexts)? {
    guard let tag = LocaleTag(tag), tag.language != "und" else { return nil }
    let full = LocaleCatalog.withLikelySubtags(tag)
    if full.language == "zh", full.script == "Hans" { return SimplifiedChineseTexts() }
    if full.language == "en", full.region == "US" { return EnglishTexts() }

    let candidates = [tag, full].flatMap(LocaleCatalog.fallbacks) + [full.language]
    guard let found = candidates.first(where: known.contains) else { return nil }
    return found == "en" ? EnglishTexts() : foundationTexts(for: found)
  }

  private func foundationTexts(for tag: String) -> FoundationTexts {
    if let texts = kept.withLock({ $0[tag] }) { return texts }
    var texts = FoundationTexts(tag: tag)
    if let hyphen = tag.lastIndex(of: "-"), known.contains(String(tag[..<hyphen])) {
      let parent = foundationTexts(for: String(tag[..<hyphen]))
      if parent.hasSameContent(as: texts) { texts = parent }
    }
    return kept.withLock { kept in
      if let earlier = kept[tag] { return earlier }
      kept[tag] = texts
      return texts
    }
  }

  /// What `tag` names and what it falls back to, without the bare language.
  private static func fallbacks(_ tag: LocaleTag) -> [String] {
    let language = tag.language
    let script = tag.script.map { "-" + $0 } ?? ""
    let region = tag.region.map { "-" + $0 } ?? ""
    var tags = [language + script + region]
    if !script.isEmpty && !region.isEmpty { tags += [language + script, language + region] }
    return tags
  }

  /// `zh-TW` is `zh-Hant-TW`: what a tag leaves out, as most of its readers would take it.
  ///
  /// - Source: Unicode TR35, "Likely Subtags".
  private static func withLikelySubtags(_ tag: LocaleTag) -> LocaleTag {
    let components = Locale.Language(
      languageCode: .init(tag.language), script: tag.script.map { .init($0) },
      region: tag.region.map { .init($0) })
    return LocaleTag(components.maximalIdentifier) ?? tag
  }
}
