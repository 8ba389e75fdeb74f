import CivilTime
import PickerModel

/// A locale's words above a month: its title, and the names of the weekdays.
struct MonthWords {
  private let title: DatePattern
  /// From Sunday.
  private let weekdays: [String]
  private let digits: [String]

  /// - Parameter tag: Of texts that a ``LocaleCatalog`` gave.
  init(tag: String) {
    let formatter = LocaleFormatter(tag: tag)
    title = DatePattern(formatter.pattern("yMMMM"), samples: formatter.samples)
    weekdays = formatter.samples("ccc", .weekdays)
    digits = (0...9).map(formatter.number)
  }

  /// `November 2026`, `2026年11月`.
  func title(of month: CivilMonth) -> String {
    title.text(
      year: { year in
        String(year).utf8.map { digits[Int($0 - UInt8(ascii: "0"))] }.joined()
      }, (month.year, month.month, 1, 1))
  }

  /// The name of a weekday; 1 is Sunday.
  func weekday(_ number: Int) -> String { weekdays[number - 1] }
}

/// The words of the locales that months have been drawn in: as many as texts there are, no more.
final class MonthWordsCatalog {
  private var kept: [String: MonthWords] = [:]

  func words(for tag: String) -> MonthWords {
    if let words = kept[tag] { return words }
    let words = MonthWords(tag: tag)
    kept[tag] = words
    return words
  }
}
