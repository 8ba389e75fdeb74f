import JSONText

/// Who changes what the columns show.
private enum ColumnsHand {
  /// A member selected `key` in `column`.
  case select(column: Int, key: String)
  case tick
  case undo
}

extension Picker {
  /// Selects a row.
  ///
  /// - Returns: What changed: all reloads in ascending column order, then all moved rows; nothing
  ///   if the row was selected already.
  /// - Throws: ``Refusal`` with `wrongKind`, `noSuchColumn` or `noSuchRow`. The picker is
  ///   unchanged.
  /// - Source: rules.md, "What every column picker does".
  package mutating func select(row: Int, column: Int) throws(Refusal) -> [PickerChange] {
    guard let rules = definition.columnRules(within: bounds, today: today) else {
      throw Refusal(.wrongKind, "a calendar has no columns to select in; tap a date")
    }
    guard columns.indices.contains(column) else {
      throw Refusal(
        .noSuchColumn, "there is no column \(column); columns are 0 to \(columns.count - 1)")
    }
    let state = columns[column]
    guard row >= 0, row < state.rows.count else {
      let rows = state.rows.count == 0 ? "none" : "0 to \(state.rows.count - 1)"
      throw Refusal(.noSuchRow, "there is no row \(row) in column \(column); its rows are \(rows)")
    }
    if row == state.selected { return [] }
    let kept = rules.selecting(row: row, column: column, showing: value.keys, in: columns)
    return show(kept, rules, by: .select(column: column, key: state.rows.key(at: row)))
  }

  /// The row that has `key`.
  ///
  /// - Returns: `nil` if there is no such column, or no such row in it.
  package func row(ofKey key: String, column: Int) -> Int? {
    columns.indices.contains(column) ? columns[column].rows.row(ofKey: key) : nil
  }

  /// Keeps what is selected within bounds that have become others.
  mutating func keepColumns(_ rules: any ColumnRules) -> [PickerChange] {
    show(rules.keeping(value.keys), rules, by: .tick)
  }

  /// Puts keys back that were selected before.
  mutating func restoreColumns(_ keys: [String], _ rules: any ColumnRules) -> [PickerChange] {
    show(rules.keeping(keys), rules, by: .undo)
  }

  /// Shows other keys, and compares the columns before and after.
  private mutating func show(
    _ kept: Kept, _ rules: any ColumnRules, by hand: ColumnsHand
  ) -> [PickerChange] {
    var reloads: [PickerChange] = []
    var moves: [PickerChange] = []
    rules.show(kept.keys) { index, rows, selected in
      let isReloaded = columns[index].rows != rows
      if !isReloaded, columns[index].selected == selected {
        // Rows that read the same may be other nodes, with other children.
        columns[index].rows = rows
        return
      }
      let heldKey = columns[index].selectedKey
      columns[index].selected = selected
      columns[index].rows = rows
      if isReloaded {
        columns[index].generation += 1
        reloads.append(.reload(column: index, columns[index]))
      }
      guard let key = columns[index].selectedKey, let selected,
        heldKey.map(key.isExactly) != true
      else { return }
      let wanted = Wanted(held: heldKey, column: index, hand: hand)
      moves.append(
        .row(column: index, wanted.move(to: key, row: selected, rows: rows, kept.reason)))
    }
    value = .keys(kept.keys)
    if reloads.isEmpty { return moves }
    reloads.append(contentsOf: moves)
    return reloads
  }
}

/// What was asked of a column that moves, and by whom.
private struct Wanted {
  let held: String?
  let column: Int
  let hand: ColumnsHand

  func move(to key: String, row: Int, rows: ColumnRows, _ reason: ClampReason?) -> RowMove {
    func moved(_ cause: MoveCause, _ reason: ClampReason? = nil, wanted: String? = nil) -> RowMove {
      RowMove(rows: rows, row: row, key: key, cause: cause, reason: reason, wanted: wanted)
    }
    switch hand {
    case .undo: return moved(.undo)
    case .tick:
      return moved(.clamp, reason == .noSuchTime ? .noSuchTime : .elapsed, wanted: held)
    case .select(column, key): return moved(.select)
    case .select(let touched, let selected):
      guard let reason else { return moved(.reset) }
      return moved(.clamp, reason, wanted: touched == column ? selected : held)
    }
  }
}
