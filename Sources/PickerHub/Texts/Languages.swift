import PickerModel

/// The languages of the listeners. Each has a small number, so that comparing languages is cheap.
///
/// A language is the pair of the row texts and the tag by which notes are chosen: `de-CH` and
/// `de-DE` may share the texts of `de` and have different notes.
final class Languages {
  private struct Key: Hashable {
    let tag: String
    let noteTag: String
  }

  private let catalog: any TextSource
  private var numbers: [Key: Int] = [:]
  private(set) var texts: [any RowTexts] = []
  /// For each language, the number of the one with the same texts and the tag of these texts.
  private var plain: [Int] = []

  /// The maximum of languages that differ from another one only in the tag for notes. Clients can
  /// invent any number of tags; beyond the maximum a tag gets the notes of its texts' language.
  static let askedTagsMax = 2_000
  private var askedTagCount = 0

  init(_ catalog: any TextSource) { self.catalog = catalog }

  /// The number of the language for a tag.
  ///
  /// - Parameters:
  ///   - tag: A BCP 47 tag from the client; not validated.
  ///   - fallback: The definition's locale, used when neither `tag` nor its language is known.
  ///     English is used when that is unknown too.
  func number(for tag: String?, fallback: String) -> Int {
    let found =
      tag.flatMap { catalog.texts(for: $0) } ?? catalog.texts(for: fallback) ?? EnglishTexts()
    let plain = number(of: found, noteTag: found.tag)
    let asked = (tag ?? fallback).lowercased()
    guard LanguageTag.isWellFormed(asked), asked.utf8.count <= Languages.noteTagBytesMax,
      asked != found.tag.lowercased()
    else { return plain }
    if let known = numbers[Key(tag: found.tag, noteTag: asked)] { return known }
    guard askedTagCount < Languages.askedTagsMax else { return plain }
    askedTagCount += 1
    return number(of: AskedTexts(base: found, noteTag: asked), noteTag: asked)
  }

  private func number(of found: any RowTexts, noteTag: String) -> Int {
    let key = Key(tag: found.tag, noteTag: noteTag)
    if let number = numbers[key] { return number }
    numbers[key] = texts.count
    plain.append(numbers[Key(tag: found.tag, noteTag: found.tag)] ?? texts.count)
    texts.append(found)
    return texts.count - 1
  }

  /// The texts for a tag, chosen as ``number(for:fallback:)`` does.
  func texts(for tag: String?, fallback: String) -> any RowTexts {
    let number = number(for: tag, fallback: fallback)
    return texts[number]
  }

  /// The number of the language with the same row texts, whatever tag for notes was requested.
  func withoutRegion(_ number: Int) -> Int { plain[number] }

  subscript(number: Int) -> any RowTexts { texts[number] }

  /// RFC 5646 section 4.4.1 expects 35 to be enough.
  private static let noteTagBytesMax = 35
}
