import Foundation

/// The names that a calendar's head needs, in the member's language. Days come from the server.
struct CalendarWords {
  private let months: DateFormatter
  /// From Sunday on, two cells each.
  let weekdays: [String]

  /// - Parameter locale: BCP 47.
  init(locale: String) {
    months = DateFormatter()
    months.locale = Locale(identifier: locale)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0)!
    months.calendar = calendar
    months.timeZone = calendar.timeZone
    weekdays = months.shortStandaloneWeekdaySymbols.map { name in
      var short = ""
      for character in name where DisplayWidth.of(short) + DisplayWidth.of(character) <= 2 {
        short.append(character)
      }
      return short
    }
    months.setLocalizedDateFormatFromTemplate("yMMMM")
  }

  /// - Parameter month: 1 … 12.
  func title(year: Int, month: Int) -> String {
    let parts = DateComponents(year: year, month: month, day: 1)
    return months.calendar.date(from: parts).map(months.string(from:)) ?? ""
  }
}
