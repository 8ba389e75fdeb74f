package import CivilTime

/// The texts of rows, cells and headings in one language.
package protocol RowTexts: Sendable {
  /// The language as a BCP 47 tag.
  var tag: String { get }
  func year(_ year: Int) -> String
  /// - Parameter month: 1 … 12.
  func month(_ month: Int) -> String
  func day(_ day: Int) -> String
  /// A day of a slot picker.
  func slotDay(_ date: CivilDate, isToday: Bool) -> String
  func hour(_ hour: Int) -> String
  func minute(_ minute: Int) -> String
  /// The text of a calendar cell.
  ///
  /// - Parameter day: The day of the month, 1 … 31.
  func cell(_ day: Int) -> String
  /// A month's heading: the stand-alone form of its name, and the year.
  func monthTitle(_ month: CivilMonth) -> String
  /// The short stand-alone name of a weekday, for the header of a calendar column.
  ///
  /// - Parameter weekday: 1 = Sunday … 7 = Saturday.
  func weekday(_ weekday: Int) -> String
  /// A time of the day, with 24 hours.
  ///
  /// - Parameter minute: Minutes after midnight, 0 … 1,440: 24:00.
  func time(_ minute: Int) -> String
  /// The text between a day and a time.
  var timeSeparator: String { get }
  /// The BCP 47 tag that selects the texts of notes: the one that the member requested, which may
  /// have a region or script that ``tag`` lacks. Default: ``tag``.
  var noteTag: String { get }
}

extension RowTexts {
  package var noteTag: String { tag }
  package func time(_ minute: Int) -> String { clockText(minute) }
  package var timeSeparator: String { ", " }
}

/// English texts, built in.
package struct EnglishTexts: RowTexts {
  package init() {}

  package let tag = "en"

  private static let months: [String] = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  private static let weekdays: [String] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  package func year(_ year: Int) -> String { String(year) }
  package func month(_ month: Int) -> String { EnglishTexts.months[month - 1] }
  package func day(_ day: Int) -> String { String(day) }
  package func hour(_ hour: Int) -> String { twoDigits(hour) }
  package func minute(_ minute: Int) -> String { twoDigits(minute) }
  package func cell(_ day: Int) -> String { "\(day)" }
  package func weekday(_ weekday: Int) -> String { EnglishTexts.weekdays[weekday - 1] }

  package func monthTitle(_ month: CivilMonth) -> String {
    "\(EnglishTexts.months[month.month - 1]) \(month.year)"
  }

  package func slotDay(_ date: CivilDate, isToday: Bool) -> String {
    let name = isToday ? "Today" : EnglishTexts.weekdays[date.weekday - 1]
    return "\(name), \(EnglishTexts.months[date.month - 1].prefix(3)) \(date.day)"
  }
}

/// Built-in Simplified Chinese texts, the same as in the pickers that this server was modelled on.
package struct SimplifiedChineseTexts: RowTexts {
  package init() {}

  package let tag = "zh-Hans"

  private static let weekdays: [String] = ["天", "一", "二", "三", "四", "五", "六"]

  package func year(_ year: Int) -> String { "\(year)年" }
  package func month(_ month: Int) -> String { "\(twoDigits(month))月" }
  package func day(_ day: Int) -> String { "\(twoDigits(day))日" }
  package func hour(_ hour: Int) -> String { "\(hour)点" }
  package func minute(_ minute: Int) -> String { "\(twoDigits(minute))分" }
  package func cell(_ day: Int) -> String { "\(day)" }
  package let timeSeparator = " "
  package func monthTitle(_ month: CivilMonth) -> String { "\(month.year)年\(month.month)月" }

  package func weekday(_ weekday: Int) -> String {
    weekday == 1 ? "周日" : "周\(SimplifiedChineseTexts.weekdays[weekday - 1])"
  }

  package func slotDay(_ date: CivilDate, isToday: Bool) -> String {
    let name = isToday ? "今天" : "星期\(SimplifiedChineseTexts.weekdays[date.weekday - 1])"
    return "\(month(date.month))\(day(date.day)) \(name)"
  }
}

/// `value` with at least two digits.
func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

/// `value` with at least four digits.
func fourDigits(_ value: Int) -> String {
  let digits = "\(value)"
  return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}

/// The number that `key` writes with exactly `count` ASCII digits; `nil` for anything else.
func number(_ key: String, digitCount count: Int) -> Int? {
  guard key.utf8.count == count, key.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
  return Int(key)
}
