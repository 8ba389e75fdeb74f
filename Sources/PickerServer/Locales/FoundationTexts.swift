import CivilTime
import Foundation
import PickerModel

/// The texts of a locale, generated once with Foundation's formatters.
///
/// They use the Gregorian calendar, the locale's digits and 24 hours, whatever the locale's
/// defaults are.
struct FoundationTexts: RowTexts, Hashable {
  let tag: String
  private let content: Content

  /// Everything but the tag. Locales with equal content share one object.
  struct Content: Hashable, Sendable {
    fileprivate let digits: [String]
    fileprivate let year: DatePattern
    fileprivate let months: [String]
    fileprivate let days: [String]
    fileprivate let slotDay: DatePattern
    fileprivate let slotToday: DatePattern
    fileprivate let hours: [String]
    fileprivate let minutes: [String]
    fileprivate let cells: [String]
    fileprivate let monthTitle: DatePattern
    /// Starting with Sunday.
    fileprivate let weekdays: [String]
    /// The parts of a time around its hour and minute.
    fileprivate let timeParts: [String]
    /// 0 … 24, as in a time.
    fileprivate let timeHours: [String]
    fileprivate let timeSeparator: String
  }

  /// - Parameter tag: The BCP 47 tag of a locale that Foundation knows.
  init(tag: String) {
    self.tag = tag
    content = Content(LocaleFormatter(tag: tag), today: TodayWords.word(for: tag))
  }

  func hasSameContent(as other: FoundationTexts) -> Bool { content == other.content }

  func year(_ year: Int) -> String {
    content.year.text(year: number, (year, 1, 1, 1))
  }

  func month(_ month: Int) -> String { content.months[month - 1] }

  func day(_ day: Int) -> String { content.days[day - 1] }

  func slotDay(_ date: CivilDate, isToday: Bool) -> String {
    let pattern = isToday ? content.slotToday : content.slotDay
    return pattern.text(year: number, (date.year, date.month, date.day, date.weekday))
  }

  func hour(_ hour: Int) -> String { content.hours[hour] }

  func minute(_ minute: Int) -> String { content.minutes[minute] }

  func cell(_ day: Int) -> String { content.cells[day - 1] }

  func monthTitle(_ month: CivilMonth) -> String {
    content.monthTitle.text(year: number, (month.year, month.month, 1, 1))
  }

  func weekday(_ weekday: Int) -> String { content.weekdays[weekday - 1] }

  func time(_ minute: Int) -> String {
    let parts = content.timeParts
    return parts[0] + content.timeHours[minute / 60] + parts[1] + content.minutes[minute % 60]
      + parts[2]
  }

  var timeSeparator: String { content.timeSeparator }

  private func number(_ value: Int) -> String { content.number(value) }
}

extension FoundationTexts.Content {
  fileprivate init(_ formatter: LocaleFormatter, today: String?) {
    let samples = formatter.samples
    digits = (0...9).map(formatter.number)
    year = DatePattern(formatter.pattern("y"), samples: samples)
    months = samples(formatter.pattern("LLLL"), .months)
    days = samples(formatter.pattern("d"), .days)
    slotDay = DatePattern(formatter.pattern("MMMEd"), samples: samples)
    slotToday = today.map(slotDay.replacingWeekday) ?? slotDay
    hours = (0..<24).map { formatter.text(formatter.pattern("H"), minute: $0 * 60) }
    minutes = (0..<60).map { formatter.text("mm", minute: $0) }
    cells = samples("d", .days)
    monthTitle = DatePattern(formatter.pattern("yMMMM"), samples: samples)
    weekdays = samples(formatter.weekday, .weekdays)
    let (dayPattern, timePattern) = (formatter.pattern("MMMEd"), formatter.pattern("Hm"))
    let time = DatePattern.timeParts(of: timePattern) ?? ("", "HH", ":", "")
    timeParts = [time.before, time.between, time.after]
    let digits = self.digits
    timeHours =
      (0..<24).map { formatter.text(time.hour, minute: $0 * 60) } + [digits[2] + digits[4]]
    let whole = formatter.pattern("MMMEdHm")
    let isJoined = whole.hasPrefix(dayPattern) && whole.hasSuffix(timePattern)
    let separator = isJoined ? whole.dropFirst(dayPattern.count).dropLast(timePattern.count) : ""
    // Only what needs no quotes in a pattern.
    let isPlain =
      !separator.isEmpty && separator.allSatisfy { !$0.isASCII || !$0.isLetter && $0 != "'" }
    timeSeparator = isPlain ? String(separator) : ", "
  }

  /// A non-negative integer in the locale's digits, neither padded nor grouped.
  fileprivate func number(_ value: Int) -> String {
    var text = ""
    for digit in String(value).utf8 { text += digits[Int(digit - UInt8(ascii: "0"))] }
    return text
  }
}

/// Foundation's formatters for one locale, in the Gregorian calendar and UTC.
struct LocaleFormatter {
  private let locale: Locale
  private let formatter = DateFormatter()
  private let numbers = NumberFormatter()

  init(tag: String) {
    let parts = tag.components(separatedBy: "-u-nu-")
    let digits = parts.count > 1 ? ";numbers=\(parts[1])" : ""
    let identifier = parts[0].replacing("-", with: "_")
    locale = Locale(identifier: "\(identifier)@calendar=gregorian\(digits)")
    formatter.locale = locale
    formatter.calendar = Calendar(identifier: .gregorian)
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    numbers.locale = locale
  }

  /// The locale's pattern for a set of fields.
  ///
  /// Foundation's ICU has Apple's forms of some dates; pages write dates with the browser's ICU,
  /// which has those of CLDR, with plain spaces. In the languages of the pages the two are the
  /// same: German has a comma after the weekday, `Fr., 23. Nov.`, Arabic the article before it, and
  /// Russian no capital (`samples`).
  func pattern(_ template: String) -> String {
    let found =
      DateFormatter.dateFormat(fromTemplate: template, options: 0, locale: locale) ?? template
    let pattern = found.replacing("\u{202f}", with: " ")
    return language == "de" ? pattern.replacing("E d.", with: "E, d.") : pattern
  }

  /// The pattern of the names above a calendar; in Persian its letters, because the short names are
  /// the whole ones.
  var weekday: String { language == "fa" ? "ccccc" : "ccc" }

  private var language: String? { locale.language.languageCode?.identifier }

  func number(_ value: Int) -> String {
    numbers.string(from: NSNumber(value: value)) ?? String(value)
  }

  /// `pattern` on a day counted from 2018-01-01, at a minute of that day.
  func text(_ pattern: String, day: Int = 0, minute: Int = 0) -> String {
    // Setting it, even to the same value, makes Foundation compile the pattern again.
    if formatter.dateFormat != pattern { formatter.dateFormat = pattern }
    let start = 1_514_764_800
    return formatter.string(
      from: Date(timeIntervalSince1970: TimeInterval(start + day * 86_400 + minute * 60)))
  }

  /// `pattern` formatted for each value of a kind: the first days of the months of 2018, the days
  /// of January 2018, or the days from Sunday, January 7 to Saturday.
  func samples(_ pattern: String, _ kind: DatePattern.Sample) -> [String] {
    switch kind {
    case .months:
      let firsts = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
      return firsts.map { text(pattern, day: $0) }
    case .days: return (0..<31).map { text(pattern, day: $0) }
    case .weekdays:
      let article = language == "ar" && pattern.first == "E" ? "ال" : ""
      let texts = (6..<13).map { article + text(pattern, day: $0) }
      return language == "ru" ? texts.map { $0.lowercased() } : texts
    case .one: return [text(pattern)]
    }
  }
}
