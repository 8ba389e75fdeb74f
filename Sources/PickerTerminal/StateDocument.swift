import JSONText
import PickerClient

/// Encodes the confirmed state of a picker as JSON, with the field names of the wire protocol.
enum StateDocument {
  /// - Parameter isWhole: Whether to include all loaded rows and months, the user's role and the
  ///   number of unanswered commands.
  static func members(_ state: PickerState, isWhole: Bool = false) -> [JSONTree.Member] {
    var members: [JSONTree.Member] = [
      .init("epoch", .string(state.epoch ?? "")), .init("revision", .integer(state.revision)),
      .init("status", .string(state.status.rawValue)),
      .init("result", result(of: state)),
    ]
    if let until = state.until { members.append(.init("until", .string(until))) }
    if let reason = state.cancelReason { members.append(.init("reason", .string(reason))) }
    if state.isReopenedByHost { members.append(.init("reopen", .string("host"))) }
    if state.isCancelledByHost { members.append(.init("cancel", .string("host"))) }
    members += inventory(state)
    if isWhole {
      members.append(.init("role", .string(state.me?.role.rawValue ?? "")))
      members.append(.init("unanswered", .integer(state.pendingCount)))
    }
    if let cells = state.availability {
      members.append(.init("availability", .object(availability(cells, isWhole: isWhole))))
    } else if let list = state.monthList {
      members.append(.init("calendar", calendar(list, state.range)))
    } else {
      let columns = state.columns.map { column($0, isWhole: isWhole) }
      members.append(.init("columns", .array(columns)))
    }
    if isWhole, state.isCalendar {
      let months = state.months.values.sorted { $0.month < $1.month }
      members.append(.init("months", .array(months.map(month))))
    }
    return members
  }

  private static func result(of state: PickerState) -> JSONTree {
    if let counts = state.resultCounts, case .object(let members) = value(of: state) {
      return .object(members + Self.counts(counts))
    }
    guard let total = state.resultTotal, case .object(let members) = value(of: state) else {
      return value(of: state)
    }
    let currency = total.currency.map { [JSONTree.Member("currency", .string($0))] } ?? []
    let amount = JSONTree.Member("amount", amount(total.amount))
    return .object(members + [.init("total", .object([amount] + currency))])
  }

  private static func counts(_ counts: PickerGradeCounts) -> [JSONTree.Member] {
    [
      .init("yes", .integer(counts.yes)), .init("maybe", .integer(counts.maybe)),
      .init("no", .integer(counts.no)),
    ]
  }

  private static func availability(
    _ cells: PickerAvailability, isWhole: Bool
  ) -> [JSONTree.Member] {
    var members: [JSONTree.Member] = [
      .init("generation", .integer(cells.generation)), .init("count", .integer(cells.count)),
      .init("past", .integer(cells.past)), .init("closed", .bool(cells.isClosed)),
      .init("timeZone", .string(cells.timeZone)),
    ]
    if let count = cells.respondentCount { members.append(.init("respondents", .integer(count))) }
    let marks = cells.respondents.map { respondent in
      JSONTree.object([
        .init("member", .string(respondent.id)), .init("name", .string(respondent.name)),
        .init("color", .string(respondent.color)),
        .init("runs", runs(respondent.grades) { $0.map { [.string($0.rawValue)] } }),
      ])
    }
    members.append(.init("marks", .array(marks)))
    if let heat = cells.heat {
      let tree = runs(heat) { counts in
        let numbers = [counts.yes, counts.maybe, counts.no]
        return numbers == [0, 0, 0] ? nil : numbers.map { .integer($0) }
      }
      members.append(.init("heat", tree))
    }
    if let best = cells.best {
      let windows = best.map { window in
        JSONTree.object(
          [.init("cell", .integer(window.cell)), .init("text", .string(window.text))]
            + counts(window.counts))
      }
      members.append(.init("best", .array(windows)))
    }
    if isWhole {
      let names = (0..<cells.count).map { JSONTree.string(Sentences.cell($0, of: cells)) }
      members.append(.init("cells", .array(names)))
    }
    return members
  }

  /// Runs `[from, until, …]` of cells with equal values, without those that have none.
  private static func runs<Value: Equatable>(
    _ values: [Value], _ fields: (Value) -> [JSONTree]?
  ) -> JSONTree {
    var runs: [JSONTree] = []
    var start = 0
    for cell in values.indices where cell + 1 == values.count || values[cell + 1] != values[cell] {
      if let fields = fields(values[cell]) {
        runs.append(.array([.integer(start), .integer(cell + 1)] + fields))
      }
      start = cell + 1
    }
    return .array(runs)
  }

  private static func amount(_ amount: PickerAmount) -> JSONTree {
    amount.hundredths % 100 == 0
      ? .integer(amount.hundredths / 100) : .number(Double(amount.hundredths) / 100)
  }

  private static func value(of state: PickerState) -> JSONTree {
    switch state.result {
    case nil: .null
    case .day(let day)?: .object([.init("date", .string(day.iso))])
    case .slot(let local)?:
      .object(
        [.init("local", .string(local))]
          + (state.resultInstant.map { [.init("instant", .string($0))] } ?? [])
          + (state.resultUntil.map { [.init("until", .string($0))] } ?? []))
    case .keys(let keys)?: .object([.init("keys", .array(keys.map { .string($0) }))])
    case .days(let start, let end)?:
      .object([
        .init("start", .string(start.iso)), .init("end", .string(end.iso)),
        .init("days", .integer(end.days(since: start) + 1)),
      ])
    case .nights(let start, let end)?:
      .object([
        .init("start", .string(start.iso)), .init("end", .string(end.iso)),
        .init("nights", .integer(end.days(since: start))),
      ])
    }
  }

  private static func column(_ column: PickerColumn, isWhole: Bool) -> JSONTree {
    var members: [JSONTree.Member] = [
      .init("generation", .integer(column.generation)), .init("count", .integer(column.count)),
      .init("row", column.row.map { .integer($0) } ?? .null),
    ]
    if let selected = column.selected {
      members.append(.init("key", .string(selected.key)))
      members.append(.init("text", .string(selected.text)))
    }
    if isWhole {
      let rows = column.rowsKnown.map { index, row in
        JSONTree.object(
          [
            .init("row", .integer(index)), .init("key", .string(row.key)),
            .init("text", .string(row.text)),
          ] + note(row.note) + level(row.level))
      }
      members.append(.init("rows", .array(rows)))
    }
    return .object(members)
  }

  private static func note(_ note: PickerNote?) -> [JSONTree.Member] {
    guard let note else { return [] }
    let tone = note.tone.map { [JSONTree.Member("tone", .string($0))] } ?? []
    let price = note.amount.map { [JSONTree.Member("amount", amount($0))] } ?? []
    return [.init("note", .object([.init("text", .string(note.text))] + tone + price))]
  }

  private static func calendar(_ list: PickerMonths, _ range: PickerRange?) -> JSONTree {
    let months = JSONTree.object([
      .init("first", .string(list.first.iso)), .init("last", .string(list.last.iso)),
      .init("count", .integer(list.count)),
    ])
    return .object([.init("months", months), .init("range", range.map(Self.range) ?? .null)])
  }

  private static func range(_ range: PickerRange) -> JSONTree {
    var members: [JSONTree.Member] = [
      .init("start", .string(range.start.iso)), .init("end", .string(range.end.iso)),
      .init("hits", .integer(range.hits)),
    ]
    if let by = range.by { members.append(.init("by", .string(by))) }
    if let reach = range.reach {
      members.append(
        .init(
          "reach",
          .object([
            .init("from", .string(reach.lowerBound.iso)),
            .init("through", .string(reach.upperBound.iso)),
          ])))
    }
    return .object(members)
  }

  private static func month(_ view: PickerMonthView) -> JSONTree {
    let cells = view.cells.map { cell in
      var members: [JSONTree.Member] = [
        .init("date", .string(cell.day.iso)), .init("text", .string(cell.text)),
      ]
      if cell.isOutside { members.append(.init("outside", .bool(true))) }
      if cell.isDisabled { members.append(.init("disabled", .bool(true))) }
      if cell.isToday { members.append(.init("today", .bool(true))) }
      if let only = cell.only { members.append(.init("only", .string(only.rawValue))) }
      return JSONTree.object(members + note(cell.note) + level(cell.level))
    }
    return .object([.init("month", .string(view.month.iso)), .init("cells", .array(cells))])
  }
}
