import PickerModel

/// The languages that listeners read, each with a small number, so that they can be told apart
/// fast.
final class Languages {
  private let catalog: any TextSource
  private var numbers: [String: Int] = [:]
  private(set) var texts: [any RowTexts] = []

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
    if let number = numbers[found.tag] { return number }
    numbers[found.tag] = texts.count
    texts.append(found)
    return texts.count - 1
  }

  /// The texts for a tag, chosen as ``number(for:fallback:)`` does.
  func texts(for tag: String?, fallback: String) -> any RowTexts {
    let number = number(for: tag, fallback: fallback)
    return texts[number]
  }

  subscript(number: Int) -> any RowTexts { texts[number] }
}
