import CivilTime
import JSONText

/// Why the columns change; decides the `cause` and the `reason` of each ``RowMove``.
enum ColumnsChangeOrigin {
  /// A member selected `key` in `column`.
  case select(column: Int, key: String)
  /// Time passed; with the reason of a clamp.
  case tick(ClampReason)
  case undo
  /// The host changed the definition; with the reason of a clamp.
  case define(ClampReason)
}

extension Picker {
  /// The rules of the kind within the current bounds; `nil` for a calendar.
  var columnRules: (any ColumnRules)? {
    definition.columnRules(
      within: bounds, today: today, goalDay: value.goalDay, knowing: shownSlotDays)
  }

  /// The days of a slot's day column and the earliest slot for which they were computed, so that
  /// they need not be computed again.
  var shownSlotDays: (earliest: Instant, days: SlotDays)? {
    guard case .slots(let earliest) = bounds, case .slotDays(let days)? = columns.first?.rows
    else { return nil }
    return (earliest, days)
  }

  /// Selects a row.
  ///
  /// - Returns: All reloads in ascending column order, then all moved rows; empty if the row was
  ///   selected already.
  /// - Throws: ``Refusal`` with `wrongKind`, `noSuchColumn` or `noSuchRow`. The picker is
  ///   unchanged.
  package mutating func select(row: Int, column: Int) throws(Refusal) -> [PickerChange] {
    guard let rules = columnRules else {
      throw Refusal(.wrongKind, "select is not supported for calendars")
    }
    guard columns.indices.contains(column) else {
      throw .noSuchColumn(column, of: columns.count)
    }
    let state = columns[column]
    guard row >= 0, row < state.rows.count else {
      let count = state.rows.count
      let rows = count == 0 ? "it has no rows" : "its rows are 0 to \(count - 1)"
      throw Refusal(
        .noSuchRow, "row \(row) does not exist in column \(column); \(rows)",
        ["count": .integer(count)])
    }
    if row == state.selected { return [] }
    let retained = rules.selecting(row: row, column: column, showing: value.keys, in: columns)
    let key = state.rows.key(at: row)
    return show(retained, rules, goalDay: retained.goalDay, by: .select(column: column, key: key))
  }

  /// The row with `key` in `column`; `nil` if there is no such column or row.
  package func row(ofKey key: String, column: Int) -> Int? {
    columns.indices.contains(column) ? columns[column].rows.row(ofKey: key) : nil
  }

  /// Restores an earlier selection as far as it is valid. If no column changes, the value stays as
  /// it was.
  mutating func restoreColumns(
    _ value: PickerValue, _ rules: any ColumnRules
  ) -> [PickerChange] {
    let before = self.value
    let changes = show(
      rules.keeping(value.keys), rules, goalDay: definition.goalDay(keeping: value), by: .undo)
    if changes.isEmpty { self.value = before }
    return changes
  }

  /// Selects `retained`, and returns the differences to the columns before: all reloads and
  /// removals in ascending column order, then all moved rows.
  mutating func show(
    _ retained: RetainedSelection, _ rules: any ColumnRules, goalDay: Int?,
    by origin: ColumnsChangeOrigin
  ) -> [PickerChange] {
    var reloads: [PickerChange] = []
    var moves: [PickerChange] = []
    var count = 0
    rules.show(retained.keys) { index, rows, selected in
      count += 1
      let isNew = index == columns.count
      if isNew { columns.append(ColumnState(generation: 0, rows: .empty, selected: nil)) }
      let isReloaded = isNew || columns[index].rows != rows
      if !isReloaded, columns[index].selected == selected {
        // Equal rows can be different nodes of the tree, with different children.
        columns[index].rows = rows
        return
      }
      let heldKey = columns[index].selectedKey
      columns[index].selected = selected
      columns[index].rows = rows
      if isNew, !removedGenerations.isEmpty {
        columns[index].generation = removedGenerations.removeFirst()
      }
      if isReloaded {
        columns[index].generation += 1
        reloads.append(.reload(column: index, columns[index]))
      }
      guard let key = columns[index].selectedKey, let selected,
        heldKey.map(key.isExactly) != true
      else { return }
      let wanted = Wanted(
        held: heldKey, aimedDay: index == 2 ? retained.aimedDay : nil, column: index,
        origin: origin,
        isAfterMoved: rules.areColumnsLinked && !moves.isEmpty)
      moves.append(
        .row(column: index, wanted.move(to: key, row: selected, rows: rows, retained.reason)))
    }
    reloads.append(contentsOf: removeColumns(from: count))
    value = .keys(retained.keys, goalDay: goalDay)
    if reloads.isEmpty { return moves }
    reloads.append(contentsOf: moves)
    return reloads
  }

  /// Removes the columns from index `count` on, and stores their generations: if a later definition
  /// has these columns again, their generations must continue.
  private mutating func removeColumns(from count: Int) -> [PickerChange] {
    if columns.count == count { return [] }
    let generations = columns[count...].map { $0.generation + 1 }
    columns.removeSubrange(count...)
    removedGenerations = generations + removedGenerations
    return generations.enumerated().map { index, generation in
      .removal(column: count + index, generation: generation)
    }
  }
}

/// What a column had selected and what was requested, to find the cause of its move.
private struct Wanted {
  let held: String?
  /// In the day column of a date with `rememberDay`: the key of the day to return to.
  let aimedDay: String?
  let column: Int
  let origin: ColumnsChangeOrigin
  /// Whether an earlier column moved on which this one's rows depend.
  let isAfterMoved: Bool

  func move(to key: String, row: Int, rows: ColumnRows, _ reason: ClampReason?) -> RowMove {
    func moved(_ cause: MoveCause, _ reason: ClampReason? = nil, wanted: String? = nil) -> RowMove {
      RowMove(rows: rows, row: row, key: key, cause: cause, reason: reason, wanted: wanted)
    }
    switch origin {
    case .undo: return moved(.undo)
    case .tick(let reason), .define(let reason):
      if held == nil || isAfterMoved { return moved(.reset) }
      return moved(.clamp, reason, wanted: held)
    case .select(column, key): return moved(.select)
    case .select(let touched, let selected):
      if key == aimedDay { return moved(.select) }
      guard let reason else { return moved(.reset) }
      return moved(.clamp, reason, wanted: touched == column ? selected : aimedDay ?? held)
    }
  }
}

extension Refusal {
  package static func noSuchColumn(_ column: Int, of count: Int) -> Refusal {
    Refusal(
      .noSuchColumn, "column \(column) does not exist; the columns are 0 to \(count - 1)",
      ["count": .integer(count)])
  }
}
