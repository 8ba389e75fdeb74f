import CivilTime
import JSONText

/// The options of a `date`: columns for year, month and day.
///
/// - Source: web/guide/definitions.md, "`date`".
///
/// A class rather than a struct, because it is large.
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
      min: min, max: max, initial: initial, isMinGiven, isMaxGiven: reader.has("max"),
      today: reader.today)
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

  /// The problems of `min`, `max` and `initial` on the day `today`; without a day, those that exist
  /// on every day.
  ///
  /// A `nil` expression is invalid, and the reader has reported it already.
  private static func problems(
    min: DateExpression?, max: DateExpression?, initial: DateExpression?, _ isMinGiven: Bool,
    isMaxGiven: Bool = true, today: CivilDate?
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
    let (first, last) = (isMinGiven ? "" : " by default", isMaxGiven ? "" : " by default (today)")
    let detail =
      "min is \(low)\(first), after max, which is \(high)\(last); it must not be after max"
    return problems + [DefinitionProblem(detail).under(isMinGiven ? "min" : "max")]
  }

  /// `min` … `max` on the day `today`.
  ///
  /// - Throws: A problem of `min` or `max` that a definition made today would have.
  func bounds(today: CivilDate) throws(DefinitionProblem) -> ClosedRange<CivilDate> {
    if let low = try? min.date(today: today), let high = try? max.date(today: today), low <= high {
      return low...high
    }
    throw DateKind.problems(min: min, max: max, initial: nil, isMinGiven, today: today)[0]
  }

  /// The keys of a new picker: those of `initial`, clamped to the bounds.
  ///
  /// - Throws: A problem of `initial` that a definition made today would have.
  func initialKeys(
    in bounds: ClosedRange<CivilDate>, today: CivilDate
  ) throws(DefinitionProblem) -> [String] {
    try under("initial") { () throws(DefinitionProblem) in
      DateRules(bounds: bounds).keeping(try initial.date(today: today)!).date.pickerKeys
    }
  }
}

/// The rules of a `date` within its bounds.
struct DateRules: ColumnRules {
  let bounds: ClosedRange<CivilDate>
  /// The day of the month to which selecting a year or month returns; `nil` without `rememberDay`,
  /// and then it is the selected day.
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

  func keys(of fields: ResultFields) -> [String]? { fields.date?.pickerKeys }

  func rows(below keys: ArraySlice<String>) -> ColumnRows {
    let numbers = keys.compactMap { Int($0) }
    switch numbers.count {
    case 0: return .years(bounds.lowerBound.year...bounds.upperBound.year)
    case 1: return .months(months(ofYear: numbers[0]))
    case 2: return .days(days(of: CivilMonth(year: numbers[0], month: numbers[1])!))
    default: return .empty
    }
  }

  func selecting(
    row: Int, column: Int, showing keys: [String], in columns: [ColumnState]
  ) -> RetainedSelection {
    let (date, reason) = selecting(row: row, column: column, from: CivilDate(pickerKeys: keys)!)
    var retained = RetainedSelection(keys: date.pickerKeys, reason: reason)
    retained.goalDay = goalDay.map { column == 2 ? date.day : $0 }
    retained.aimedDay = column == 2 ? nil : goalDay.map(twoDigits)
    return retained
  }

  /// The date after a row is selected while `date` is, and why it was clamped.
  ///
  /// - Parameters:
  ///   - row: A row of `column`.
  ///   - column: 0 = year, 1 = month, 2 = day.
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
    let retained = keeping(target.date(day: isShorter ? target.dayCount : day))
    return (retained.date, retained.reason ?? (isShorter ? .monthLength : nil))
  }

  func keeping(_ keys: [String]) -> RetainedSelection {
    guard let wanted = CivilDate(pickerKeys: keys) else {
      return RetainedSelection(keys: firstKeys)
    }
    let (date, reason) = keeping(wanted)
    return RetainedSelection(keys: date.pickerKeys, reason: reason)
  }

  /// `date` clamped to the bounds as a whole, not column by column.
  func keeping(_ date: CivilDate) -> (date: CivilDate, reason: ClampReason?) {
    if date < bounds.lowerBound { return (bounds.lowerBound, .min) }
    if date > bounds.upperBound { return (bounds.upperBound, .max) }
    return (date, nil)
  }
}

extension CivilDate {
  /// The keys of the three columns: `2018`, `07`, `25`.
  fileprivate var pickerKeys: [String] { [fourDigits(year), twoDigits(month), twoDigits(day)] }

  fileprivate init?(pickerKeys keys: [String]) {
    guard keys.count == 3, let year = number(keys[0], digitCount: 4),
      let month = number(keys[1], digitCount: 2), let day = number(keys[2], digitCount: 2)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }
}
