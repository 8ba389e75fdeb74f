import CivilTime
import JSONText

/// A date that may depend on today: `1950-01-01`, `today`, `today-P18Y`.
///
/// - Source: web/guide/definitions.md, "Relative dates".
struct DateExpression: Sendable {
  private enum Base {
    case date(CivilDate)
    case today(CivilDuration)
  }

  private let base: Base
  /// The expression as given.
  let text: String

  static let today = DateExpression("today")!

  init?(_ text: String) {
    self.text = text
    if let date = CivilDate(iso: text.utf8) {
      base = .date(date)
    } else if let duration = duration(in: text, after: "today", units: "YMWD") {
      base = .today(duration)
    } else {
      return nil
    }
  }

  init(_ tree: JSONTree, named name: String) throws(DefinitionProblem) {
    guard case .string(let text) = tree, let expression = DateExpression(text) else {
      throw DefinitionProblem(
        "\(name) is \(tree.noun); it must be a date: YYYY-MM-DD, today, or today+P1Y2M3W4D")
    }
    self = expression
  }

  var dependsOnToday: Bool { if case .today = base { true } else { false } }

  /// The date on the day `today`.
  ///
  /// - Returns: `nil` if the expression is relative and `today` is `nil`.
  /// - Throws: A problem with an empty pointer if the date is outside the years 0001…9999.
  func date(today: CivilDate?) throws(DefinitionProblem) -> CivilDate? {
    switch base {
    case .date(let date): return date
    case .today(let duration):
      guard let today else { return nil }
      if let date = today.adding(duration) { return date }
      throw DefinitionProblem("\(text) is outside the years 0001…9999 when today is \(today)")
    }
  }
}

/// A month that may depend on today: `2016-08`, `thisMonth+P12M`, `thisYear-P3Y`.
///
/// - Source: web/guide/definitions.md, "Relative dates".
struct MonthExpression: Sendable {
  private enum Base {
    case month(CivilMonth)
    case thisMonth(CivilDuration)
    case thisYear(CivilDuration)
  }

  private let base: Base
  /// The expression as given.
  let text: String

  /// The months whose whole grid, with the days of neighbouring months, is within 0001…9999.
  static let allowed = CivilMonth.first.adding(months: 1)!...CivilMonth.last.adding(months: -1)!

  init?(_ text: String) {
    self.text = text
    if let month = CivilMonth(iso: text.utf8) {
      base = .month(month)
    } else if let duration = duration(in: text, after: "thisMonth", units: "YM") {
      base = .thisMonth(duration)
    } else if let duration = duration(in: text, after: "thisYear", units: "Y") {
      base = .thisYear(duration)
    } else {
      return nil
    }
  }

  init(_ tree: JSONTree, named name: String) throws(DefinitionProblem) {
    guard case .string(let text) = tree, let expression = MonthExpression(text) else {
      throw DefinitionProblem(
        "\(name) is \(tree.noun); it must be a month: YYYY-MM, thisMonth, thisMonth+P1Y2M, "
          + "thisYear, or thisYear-P3Y")
    }
    self = expression
  }

  var dependsOnToday: Bool { if case .month = base { false } else { true } }

  /// The month on the day `today`.
  ///
  /// - Returns: `nil` if the expression is relative and `today` is `nil`.
  /// - Throws: A problem with an empty pointer if the month is outside 0001-02…9999-11.
  func month(today: CivilDate?) throws(DefinitionProblem) -> CivilMonth? {
    let month: CivilMonth?
    switch base {
    case .month(let given): month = given
    case .thisMonth(let duration):
      guard let today else { return nil }
      month = today.civilMonth.adding(months: duration.monthCount)
    case .thisYear(let duration):
      guard let today else { return nil }
      month = CivilMonth(year: today.year, month: 1)?.adding(months: duration.monthCount)
    }
    if let month, MonthExpression.allowed.contains(month) { return month }
    throw DefinitionProblem("\(text) is outside 0001-02…9999-11")
  }
}

/// Reads `word`, `word+P…` or `word-P…`.
private func duration(in text: String, after word: String, units: String) -> CivilDuration? {
  guard text.utf8.starts(with: word.utf8) else { return nil }
  let rest = text.utf8.dropFirst(word.utf8.count)
  guard let sign = rest.first else { return CivilDuration() }
  switch sign {
  case UInt8(ascii: "+"): return CivilDuration(iso: rest.dropFirst(), sign: .plus, units: units)
  case UInt8(ascii: "-"): return CivilDuration(iso: rest.dropFirst(), sign: .minus, units: units)
  default: return nil
  }
}
