import CivilTime
import JSONText

/// `calendar`: a list of months, and a range by two taps or a single date.
///
/// - Source: rules.md, "`calendar`".
struct CalendarKind: Sendable {
  enum Selection: String, Sendable, CaseIterable { case range, single }

  let from: MonthExpression
  let through: MonthExpression
  /// 1 = Sunday … 7 = Saturday.
  let firstWeekday: Int
  let weeks: GridWeeks
  let selection: Selection
  /// `nil`: the list's first day.
  let min: DateExpression?
  /// `nil`: the list's last day.
  let max: DateExpression?
  let minDays: Int
  let maxDays: Int?
  let blocked: BlockedDays
  let allowBlockedInside: Bool
  private let areMonthsGiven: Bool
  private let monthsMax: Int

  static let shape: [String: FieldShape] = [
    "months": .fields(["from": .value, "through": .value]), "firstWeekday": .value,
    "weeks": .value, "selection": .value, "min": .value, "max": .value, "minDays": .value,
    "maxDays": .value, "blocked": BlockedDays.shape, "allowBlockedInside": .value,
  ]

  init?(_ reader: inout DefinitionReader) {
    let months = CalendarKind.months(&reader)
    let firstWeekday = reader.integer("firstWeekday", 1...7, missing: 1)
    let weeks = reader.word("weeks", missing: GridWeeks.six)
    let selection = reader.word("selection", missing: Selection.range)
    let min = CalendarKind.date("min", &reader)
    let max = CalendarKind.date("max", &reader)
    let minDays = reader.integer("minDays", 1...Int.max, missing: 1)
    let maxDays = reader.integer("maxDays", 1...Int.max, missing: Int.max)
    let entries = reader
    let blocked = reader.field("blocked", missing: BlockedDays.none) {
      tree throws(DefinitionProblem) in try BlockedDays(tree, entries)
    }
    let allowBlockedInside = reader.bool("allowBlockedInside", missing: false)
    if let minDays, let maxDays, minDays > maxDays {
      let detail = "minDays is \(minDays), more than maxDays, which is \(maxDays)"
      reader.report(reader.has("minDays") ? "minDays" : "maxDays", detail)
    }
    guard let months, let firstWeekday, let weeks, let selection, let min, let max, let minDays,
      let maxDays, let blocked, let allowBlockedInside
    else { return nil }
    (from, through) = months
    self.firstWeekday = firstWeekday
    self.weeks = weeks
    self.selection = selection
    self.min = min
    self.max = max
    self.minDays = minDays
    self.maxDays = reader.has("maxDays") ? maxDays : nil
    self.blocked = blocked
    self.allowBlockedInside = allowBlockedInside
    areMonthsGiven = reader.has("months")
    monthsMax = reader.limits.monthsMax
    for problem in find(today: reader.today).problems { reader.report(problem) }
  }

  private static func months(
    _ reader: inout DefinitionReader
  ) -> (from: MonthExpression, through: MonthExpression)? {
    let usual = (MonthExpression("thisYear-P3Y")!, MonthExpression("thisMonth")!)
    let outer = reader
    return reader.field("months", missing: usual) { tree throws(DefinitionProblem) in
      var inner = outer.reader(for: try tree.fields(named: "months"))
      let from = inner.field("from", missing: nil) { tree throws(DefinitionProblem) in
        try MonthExpression(tree, named: "from")
      }
      let through = inner.field("through", missing: nil) { tree throws(DefinitionProblem) in
        try MonthExpression(tree, named: "through")
      }
      try inner.finish()
      return (from!, through!)
    }
  }

  /// A date that may be left out: `.some(nil)` if it is, `nil` if it is ill.
  private static func date(
    _ field: String, _ reader: inout DefinitionReader
  ) -> DateExpression?? {
    guard reader.has(field) else { return .some(nil) }
    return reader.field(field, missing: nil) { tree throws(DefinitionProblem) in
      try DateExpression(tree, named: field)
    }
  }

  var members: [JSONTree.Member] {
    var members: [JSONTree.Member] = [
      .init(
        "months",
        .object([.init("from", .string(from.text)), .init("through", .string(through.text))])),
      .init("firstWeekday", .integer(firstWeekday)),
      .init("weeks", .string(weeks.rawValue)), .init("selection", .string(selection.rawValue)),
    ]
    if let min { members.append(.init("min", .string(min.text))) }
    if let max { members.append(.init("max", .string(max.text))) }
    members.append(.init("minDays", .integer(minDays)))
    if let maxDays { members.append(.init("maxDays", .integer(maxDays))) }
    if let entries = blocked.document { members.append(.init("blocked", entries)) }
    return members + [.init("allowBlockedInside", .bool(allowBlockedInside))]
  }

  /// Whether the list or what can be picked in it is another one every day.
  var dependsOnToday: Bool {
    from.dependsOnToday || through.dependsOnToday || min?.dependsOnToday ?? false
      || max?.dependsOnToday ?? false
  }

  func grid(of month: CivilMonth) -> MonthGrid {
    MonthGrid(month: month, firstWeekday: firstWeekday, weeks: weeks)
  }
}

extension CalendarKind {
  /// - Throws: What would be a problem of a definition made today.
  func bounds(today: CivilDate) throws(DefinitionProblem) -> CalendarBounds {
    let found = find(today: today)
    if let problem = found.problems.first { throw problem }
    return found.bounds!
  }

  /// The bounds on a day and what is wrong with them; with no day, what is wrong on every day.
  private func find(
    today: CivilDate?
  ) -> (bounds: CalendarBounds?, problems: [DefinitionProblem]) {
    var problems: [DefinitionProblem] = []
    let first = month(from, "from", today, &problems)
    let last = month(through, "through", today, &problems)
    if let first, let last, first > last {
      let problem = DefinitionProblem("the months begin with \(first), after their end, \(last)")
      problems.append(areMonthsGiven ? problem.under("from").under("months") : problem)
    } else if let first, let last, last.index - first.index >= monthsMax {
      let detail = "\(first) to \(last) is more than \(monthsMax) months"
      problems.append(DefinitionProblem(detail).under("months"))
    }
    let given = (low: date(min, "min", today, &problems), high: date(max, "max", today, &problems))
    let low = given.low ?? (min == nil ? first?.first : nil)
    let high = given.high ?? (max == nil ? last?.last : nil)
    if let low, let high, low > high, min != nil || max != nil {
      let detail = "min is \(low), after max, which is \(high); it must not be after max"
      problems.append(DefinitionProblem(detail).under(min == nil ? "max" : "min"))
    }
    guard problems.isEmpty, let first, let last, let low, let high else { return (nil, problems) }
    // Outside the list there is no month, so there is no day either.
    let bounds = CalendarBounds(
      months: MonthList(first: first, last: last), min: Swift.max(low, first.first),
      max: Swift.min(high, last.last))
    return (bounds, [])
  }

  private func month(
    _ expression: MonthExpression, _ field: String, _ today: CivilDate?,
    _ problems: inout [DefinitionProblem]
  ) -> CivilMonth? {
    do throws(DefinitionProblem) {
      return try expression.month(today: today)
    } catch {
      problems.append((areMonthsGiven ? error.under(field) : error).under("months"))
      return nil
    }
  }

  private func date(
    _ expression: DateExpression?, _ field: String, _ today: CivilDate?,
    _ problems: inout [DefinitionProblem]
  ) -> CivilDate? {
    do throws(DefinitionProblem) {
      return try expression?.date(today: today)
    } catch {
      problems.append(error.under(field))
      return nil
    }
  }
}
