import PickerModel

/// The languages that listeners read, each with a small number, so that they can be told apart
/// fast.
///
/// A language is the texts of rows and the tag by which notes are chosen. `de-CH` and `de-DE` may
/// have the texts of `de`, and still different notes.
final class Languages {
  private struct Key: Hashable {
    let tag: String
    let noteTag: String
  }

  private let catalog: any TextSource
  private var numbers: [Key: Int] = [:]
  private(set) var texts: [any RowTexts] = []
  /// By language: the one with the same texts and their own tag.
  private var plain: [Int] = []

  /// Languages at most that differ from another one in the tag for notes alone. Tags come from
  /// clients, who can make up any number of them; the ones too many have the notes of their texts.
  static let askedTagsMax = 2_000
  private var askedTagCount = 0

  init(_ catalog: any TextSource) { self.catalog = catalog }

  /// The number of the language for a tag.
  ///
  /// - Parameters:
  ///   - tag: BCP 47, from the client; may be anything.
  ///   - fallback: The definition's locale, taken when neither `tag` nor its language is known.
  ///     English when that is not known either.
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

  /// The language in which the same rows read the same, whatever its members asked for.
  func withoutRegion(_ number: Int) -> Int { plain[number] }

  subscript(number: Int) -> any RowTexts { texts[number] }

  /// RFC 5646 section 4.4.1 expects 35 to be enough.
  private static let noteTagBytesMax = 35
}
