import CivilTime
import JSONText

/// `date`: year, month, day.
///
/// - Source: rules.md, "`date`".
///
/// An object, because it is large.
final class DateKind: Sendable {
  let min: DateExpression
  let max: DateExpression
  let initial: DateExpression
  let rememberDay: Bool
  private let isMinGiven: Bool

  static let shape: [String: FieldShape] = [
    "min": .value, "max": .value, "initial": .value, "rememberDay": .value,
  ]

  init?(_ reader: inout DefinitionReader) {
    let min = reader.field("min", missing: DateExpression("1950-01-01")!) {
      tree throws(DefinitionProblem) in try DateExpression(tree, named: "min")
    }
    let max = reader.field("max", missing: .today) {
      tree throws(DefinitionProblem) in try DateExpression(tree, named: "max")
    }
    let initial = reader.field("initial", missing: .today) {
      tree throws(DefinitionProblem) in try DateExpression(tree, named: "initial")
    }
    let rememberDay = reader.bool("rememberDay", missing: false)
    isMinGiven = reader.has("min")
    let problems = DateKind.problems(
      min: min, max: max, initial: initial, isMinGiven, today: reader.today)
    for problem in problems { reader.report(problem) }
    guard let min, let max, let initial, let rememberDay else { return nil }
    self.min = min
    self.max = max
    self.initial = initial
    self.rememberDay = rememberDay
  }

  var members: [JSONTree.Member] {
    [
      .init("min", .string(min.text)), .init("max", .string(max.text)),
      .init("initial", .string(initial.text)), .init("rememberDay", .bool(rememberDay)),
    ]
  }

  var dependsOnToday: Bool { min.dependsOnToday || max.dependsOnToday }

  /// What is wrong with the three dates on a day, or on every day if none is given.
  ///
  /// A date that is `nil` is ill in itself, which has been said.
  private static func problems(
    min: DateExpression?, max: DateExpression?, initial: DateExpression?, _ isMinGiven: Bool,
    today: CivilDate?
  ) -> [DefinitionProblem] {
    var problems: [DefinitionProblem] = []
    for (field, expression) in [("min", min), ("max", max), ("initial", initial)] {
      do throws(DefinitionProblem) {
        _ = try expression?.date(today: today)
      } catch {
        problems.append(error.under(field))
      }
    }
    guard let low = try? min?.date(today: today), let high = try? max?.date(today: today),
      low > high
    else { return problems }
    let detail = "min is \(low), after max, which is \(high); it must not be after max"
    return problems + [DefinitionProblem(detail).under(isMinGiven ? "min" : "max")]
  }

  /// - Throws: What would be a problem of a definition made today.
  func bounds(today: CivilDate) throws(DefinitionProblem) -> ClosedRange<CivilDate> {
    if let low = try? min.date(today: today), let high = try? max.date(today: today), low <= high,
      (try? initial.date(today: today)) != nil
    {
      return low...high
    }
    throw DateKind.problems(min: min, max: max, initial: initial, isMinGiven, today: today)[0]
  }

  /// The keys of a new picker: `initial`, clamped.
  func initialKeys(
    in bounds: ClosedRange<CivilDate>, today: CivilDate
  ) throws(DefinitionProblem) -> [String] {
    DateRules(bounds: bounds).keeping(try initial.date(today: today)!).date.pickerKeys
  }
}

/// The columns of a date within its bounds.
struct DateRules: ColumnRules {
  let bounds: ClosedRange<CivilDate>
  /// The day of the month for which a select of a year or month aims; `nil` for the shown one.
  var goalDay: Int? = nil

  var firstKeys: [String] { bounds.lowerBound.pickerKeys }

  func show(_ keys: [String], _ column: (Int, ColumnRows, Int?) -> Void) {
    let date = CivilDate(pickerKeys: keys)!
    let years = bounds.lowerBound.year...bounds.upperBound.year
    let months = self.months(ofYear: date.year)
    let days = self.days(of: date.civilMonth)
    column(0, .years(years), date.year - years.lowerBound)
    column(1, .months(months), date.month - months.lowerBound)
    column(2, .days(days), date.day - days.lowerBound)
  }

  /// The months of `year` that are within the bounds.
  func months(ofYear year: Int) -> ClosedRange<Int> {
    let first = year == bounds.lowerBound.year ? bounds.lowerBound.month : 1
    let last = year == bounds.upperBound.year ? bounds.upperBound.month : 12
    return first...last
  }

  /// The days of `month` that are within the bounds.
  func days(of month: CivilMonth) -> ClosedRange<Int> {
    let first = month == bounds.lowerBound.civilMonth ? bounds.lowerBound.day : 1
    let last = month == bounds.upperBound.civilMonth ? bounds.upperBound.day : month.dayCount
    return first...last
  }

  func selecting(
    row: Int, column: Int, showing keys: [String], in columns: [ColumnState]
  ) -> RetainedSelection {
    let (date, reason) = selecting(row: row, column: column, from: CivilDate(pickerKeys: keys)!)
    var kept = RetainedSelection(keys: date.pickerKeys, reason: reason)
    kept.goalDay = goalDay.map { column == 2 ? date.day : $0 }
    kept.aimedDay = column == 2 ? nil : goalDay.map(twoDigits)
    return kept
  }

  /// The date that a select makes of `date`.
  ///
  /// - Parameter row: A row that is shown in `column`, 0 … 2, while `date` is selected.
  func selecting(
    row: Int, column: Int, from date: CivilDate
  ) -> (date: CivilDate, reason: ClampReason?) {
    var (year, month, day) = (date.year, date.month, goalDay ?? date.day)
    switch column {
    case 0: year = bounds.lowerBound.year + row
    case 1: month = months(ofYear: year).lowerBound + row
    default: day = days(of: date.civilMonth).lowerBound + row
    }
    let target = CivilMonth(year: year, month: month)!
    let isShorter = day > target.dayCount
    let kept = keeping(target.date(day: isShorter ? target.dayCount : day))
    return (kept.date, kept.reason ?? (isShorter ? .monthLength : nil))
  }

  func keeping(_ keys: [String]) -> RetainedSelection {
    guard let wanted = CivilDate(pickerKeys: keys) else {
      return RetainedSelection(keys: firstKeys)
    }
    let (date, reason) = keeping(wanted)
    return RetainedSelection(keys: date.pickerKeys, reason: reason)
  }

  /// The whole date, clamped into the bounds.
  func keeping(_ date: CivilDate) -> (date: CivilDate, reason: ClampReason?) {
    if date < bounds.lowerBound { return (bounds.lowerBound, .min) }
    if date > bounds.upperBound { return (bounds.upperBound, .max) }
    return (date, nil)
  }
}

extension CivilDate {
  /// `2018`, `07`, `25`.
  fileprivate var pickerKeys: [String] { [fourDigits(year), twoDigits(month), twoDigits(day)] }

  fileprivate init?(pickerKeys keys: [String]) {
    guard keys.count == 3, let year = number(keys[0], digitCount: 4),
      let month = number(keys[1], digitCount: 2), let day = number(keys[2], digitCount: 2)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }
}
