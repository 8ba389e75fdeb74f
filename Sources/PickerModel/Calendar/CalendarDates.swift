import CivilTime
import JSONText

/// The fields `months`, `min` and `max` of a calendar: its list of months, and the first and last
/// day that can be picked.
struct CalendarDates: Sendable {
  /// The value of `min` or `max`.
  private enum Bound: Sendable {
    /// Not a date expression; the reader has reported it.
    case invalid
    /// The field is missing: the first or last day of the list counts.
    case open
    case given(DateExpression)

    var expression: DateExpression? {
      if case .given(let expression) = self { expression } else { nil }
    }
    var isOpen: Bool { if case .open = self { true } else { false } }
  }

  /// `nil` if the field is not a month expression; the reader has reported it.
  private let from: MonthExpression?
  private let through: MonthExpression?
  private let min: Bound
  private let max: Bound
  private let areMonthsGiven: Bool

  /// The defaults of the fields of `months`.
  private static let from = MonthExpression("thisYear-P3Y")!
  private static let through = MonthExpression("thisMonth")!

  private var areBoundsValid: Bool {
    if case .invalid = min { return false }
    if case .invalid = max { return false }
    return true
  }

  /// Reads `months`, `min` and `max`.
  init(_ reader: inout DefinitionReader) {
    if let tree = reader.tree("months") {
      (from, through) = CalendarDates.months(tree, &reader)
    } else {
      (from, through) = (CalendarDates.from, CalendarDates.through)
    }
    min = CalendarDates.bound("min", &reader)
    max = CalendarDates.bound("max", &reader)
    areMonthsGiven = reader.has("months")
    let found = find(today: reader.today, monthsMax: reader.limits.monthsMax)
    for problem in found.problems { reader.report(problem) }
  }

  private static func months(
    _ tree: JSONTree, _ reader: inout DefinitionReader
  ) -> (from: MonthExpression?, through: MonthExpression?) {
    do throws(DefinitionProblem) {
      return try reader.object(tree, named: "months") { reader in
        let from = CalendarDates.month("from", missing: CalendarDates.from, &reader)
        let through = CalendarDates.month("through", missing: CalendarDates.through, &reader)
        return (from, through)
      }
    } catch {
      reader.report("months", error)
      return (nil, nil)
    }
  }

  /// Reads `from` or `through`. Checks the month here, because the reader reports the first problem
  /// in document order.
  private static func month(
    _ field: String, missing: MonthExpression, _ reader: inout DefinitionReader
  ) -> MonthExpression? {
    let today = reader.today
    return reader.field(field, missing: missing) { tree throws(DefinitionProblem) in
      let expression = try MonthExpression(tree, named: field)
      _ = try expression.month(today: today)
      return expression
    }
  }

  private static func bound(_ field: String, _ reader: inout DefinitionReader) -> Bound {
    guard reader.has(field) else { return .open }
    let expression = reader.field(field, missing: nil) { tree throws(DefinitionProblem) in
      try DateExpression(tree, named: field)
    }
    return expression.map(Bound.given) ?? .invalid
  }

  var monthsMember: JSONTree.Member {
    .init(
      "months",
      .object([
        .init("from", .string(from?.text ?? "")), .init("through", .string(through?.text ?? "")),
      ]))
  }

  /// The fields `min` and `max` of the definition's document; a missing one is left out.
  var boundMembers: [JSONTree.Member] {
    [("min", min), ("max", max)].compactMap { name, bound in
      bound.expression.map { .init(name, .string($0.text)) }
    }
  }

  /// Whether the months, `min` or `max` are relative to today.
  var dependOnToday: Bool {
    let months = [from, through].compactMap { $0 }.contains { $0.dependsOnToday }
    return months || [min, max].contains { $0.expression?.dependsOnToday ?? false }
  }
}

extension CalendarDates {
  /// The list and the bounds on the day `today`.
  ///
  /// The maximum of months is not checked: it applies when a definition is made, and a list such as
  /// `thisYear-P3Y` to `thisMonth` grows afterwards.
  /// - Throws: A problem that a definition made today would have.
  func bounds(today: CivilDate) throws(DefinitionProblem) -> CalendarBounds {
    let found = find(today: today, monthsMax: .max)
    if let problem = found.problems.first { throw problem }
    return found.bounds!
  }

  /// The bounds and their problems on the day `today`.
  ///
  /// Without a day, relative expressions are skipped: there are no bounds unless all are absolute,
  /// and the problems are those that exist on every day.
  private func find(
    today: CivilDate?, monthsMax: Int
  ) -> (bounds: CalendarBounds?, problems: [DefinitionProblem]) {
    var problems: [DefinitionProblem] = []
    let first = month(from, "from", today, &problems)
    let last = month(through, "through", today, &problems)
    if let problem = listProblem(first, last, monthsMax) { problems.append(problem) }
    let givenMin = date(min, "min", today, &problems)
    let givenMax = date(max, "max", today, &problems)
    if let problem = boundsProblem(first, last, givenMin, givenMax) { problems.append(problem) }
    guard problems.isEmpty, let first, let last,
      let low = givenMin ?? (min.isOpen ? first.first : nil),
      let high = givenMax ?? (max.isOpen ? last.last : nil)
    else { return (nil, problems) }
    // A day outside the list cannot be picked, whatever min and max allow.
    let bounds = CalendarBounds(
      months: MonthList(first: first, last: last), min: Swift.max(low, first.first),
      max: Swift.min(high, last.last))
    return (bounds, [])
  }

  /// The problem if `min` and `max` leave no day of the list. Whatever is not known yet leaves all.
  private func boundsProblem(
    _ first: CivilMonth?, _ last: CivilMonth?, _ min: CivilDate?, _ max: CivilDate?
  ) -> DefinitionProblem? {
    let isList = first.flatMap { first in last.map { first <= $0 } } ?? true
    let low = [min, isList ? first?.first : nil].compactMap(\.self).max()
    let high = [max, isList ? last?.last : nil].compactMap(\.self).min()
    guard let low, let high, low > high, min ?? max != nil, areBoundsValid else { return nil }
    let begin = low == min ? "" : ", the first day of the list"
    let end = high == max ? "" : ", the last day of the list"
    let detail =
      "min is \(low)\(begin), after max, which is \(high)\(end); it must not be after max"
    return DefinitionProblem(detail).under(min == nil ? "max" : "min")
  }

  private func listProblem(
    _ first: CivilMonth?, _ last: CivilMonth?, _ monthsMax: Int
  ) -> DefinitionProblem? {
    guard let first, let last else { return nil }
    if first > last {
      let detail = "the months begin with \(first), after their end, which is \(last)"
      let problem = DefinitionProblem(detail)
      return (areMonthsGiven ? problem.under("from") : problem).under("months")
    }
    guard last.index - first.index >= monthsMax else { return nil }
    let detail = "\(first) to \(last) is more than \(monthsMax) months"
    return DefinitionProblem(detail).under("months")
  }

  private func month(
    _ expression: MonthExpression?, _ field: String, _ today: CivilDate?,
    _ problems: inout [DefinitionProblem]
  ) -> CivilMonth? {
    do throws(DefinitionProblem) {
      return try expression?.month(today: today)
    } catch {
      problems.append((areMonthsGiven ? error.under(field) : error).under("months"))
      return nil
    }
  }

  private func date(
    _ bound: Bound, _ field: String, _ today: CivilDate?, _ problems: inout [DefinitionProblem]
  ) -> CivilDate? {
    do throws(DefinitionProblem) {
      return try bound.expression?.date(today: today)
    } catch {
      problems.append(error.under(field))
      return nil
    }
  }
}
