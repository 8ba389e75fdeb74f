package import CivilTime
import JSONText

/// A picker of columns, each with a selected row.
package struct ColumnsPicker: PickerShape {
  package private(set) var definition: Definition
  var time: PickerTime
  /// Of `date` and `slot`: the bounds at the last tick at which the definition had any.
  private(set) var bounds: PickerBounds
  /// The selected keys.
  package private(set) var value: PickerSelection
  /// The columns with their rows and selection.
  package private(set) var columns: [ColumnState] = []
  /// The last generations of columns that a definition change removed, the one with the lowest
  /// index first.
  private var removedGenerations: [Int] = []
  /// `nil` without inventory.
  private(set) var levels: KeyLevels?

  init(
    _ definition: Definition, _ bounds: PickerBounds, now: Instant
  ) throws(DefinitionProblem) {
    self.definition = definition
    self.bounds = bounds
    time = PickerTime(now, in: definition.zone)
    value = .keys([])
    findNextTick()
    let rules = self.rules
    var keys = rules.firstKeys
    if case .date(let kind) = definition.rules, case .dates(let bounds) = bounds {
      keys = try kind.initialKeys(in: bounds, today: time.today)
    }
    value = .keys(keys, goalDay: definition.goalDay(keeping: .keys(keys)))
    columns = rules.columns(showing: keys).map {
      ColumnState(generation: 1, rows: $0.rows, selected: $0.selected)
    }
  }

  init(_ definition: Definition, state: StoredPicker, seeing levels: KeyLevels?) {
    self.definition = definition
    self.levels = levels
    bounds = state.bounds
    time = PickerTime(state.asOf, in: definition.zone)
    value = state.value
    findNextTick()
    let rules = self.rules
    let keys = rules.keeping(state.value.keys).keys
    value = .keys(keys, goalDay: definition.goalDay(keeping: state.value))
    for (index, view) in rules.columns(showing: keys).enumerated() {
      let generation = index < state.generations.count ? state.generations[index] : 1
      columns.append(
        ColumnState(generation: generation, rows: view.rows, selected: view.selected))
      columns[index].levels = rowLevels(of: view.rows, column: index, showing: keys, rules)
    }
    removedGenerations = Array(state.generations.dropFirst(columns.count))
  }

  package var state: StoredPicker {
    StoredPicker(
      value: value, asOf: time.asOf, bounds: bounds,
      generations: columns.map(\.generation) + removedGenerations)
  }

  /// The rules of the kind within the current bounds.
  private var rules: any ColumnRules {
    definition.columnRules(
      within: bounds, today: time.today, goalDay: value.goalDay, knowing: shownSlotDays,
      seeing: levels)
  }

  private func rowLevels(
    of rows: ColumnRows, column: Int, showing keys: [String], _ rules: any ColumnRules
  ) -> [Int: KeyLevel] {
    guard let levels else { return [:] }
    return rules.levels(of: rows, column: column, showing: keys, in: levels)
  }

  /// The days of a slot's day column and the earliest slot for which they were computed, so that
  /// they need not be computed again.
  private var shownSlotDays: (earliest: Instant, days: SlotDays)? {
    guard case .slots(let earliest) = bounds, case .slotDays(let days)? = columns.first?.rows
    else { return nil }
    return (earliest, days)
  }

  package var result: PickerResult {
    switch (definition.rules, bounds) {
    case (.date, _): .date(value.keys)
    case (.slot(let kind), .slots(let earliest)):
      SlotRules(
        kind: kind, zone: definition.zone, earliest: earliest, today: time.today,
        knowing: shownSlotDays, seeing: levels
      ).result(of: value.keys)
    case (.cascade, _), (.columns, _): .keys(value.keys)
    case (.slot, _), (.calendar, _), (.availability, _): preconditionFailure("of another kind")
    }
  }

  /// A new picker's columns have their first rows, whatever its first value is.
  mutating func countGenerationsFromOne() {
    for column in columns.indices { columns[column].generation = 1 }
  }
}

extension ColumnsPicker {
  package static func == (left: ColumnsPicker, right: ColumnsPicker) -> Bool {
    left.definition == right.definition && left.state == right.state
      && left.columns == right.columns
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(definition)
    hasher.combine(value)
    hasher.combine(time.asOf)
  }
}

/// Time and definitions.
extension ColumnsPicker {
  var instantOfNextTick: Instant? {
    let zone = definition.zone
    switch definition.rules {
    case .date(let kind): return kind.dependsOnToday ? zone.nextDateChange(after: time.asOf) : nil
    case .slot(let kind):
      let midnight = zone.nextDateChange(after: time.asOf)
      guard let earliest = try? kind.earliest(at: time.asOf, in: zone) else { return midnight }
      let move = kind.nextMove(after: time.asOf, earliest: earliest)
      return midnight.map { min($0, move) } ?? move
    case .cascade, .columns: return nil
    case .calendar, .availability: preconditionFailure("of another kind")
    }
  }

  mutating func tick(_ now: Instant) -> TickAnswer {
    let before = self
    advance(to: now)
    if let bounds = try? definition.bounds(at: now) { self.bounds = bounds }
    findNextTick()
    if bounds == before.bounds, time.today == before.time.today { return TickAnswer() }
    // The days that the columns show are those of the bounds before.
    let rules = definition.columnRules(
      within: bounds, today: time.today, goalDay: value.goalDay, knowing: before.shownSlotDays,
      seeing: levels)
    let retained = rules.keeping(value.keys)
    let changes = show(
      retained, rules, goalDay: value.goalDay, by: .tick(reasonOfTick(retained, before)))
    return TickAnswer(changes: changes, hasOtherValue: value != before.value)
  }

  /// The reason for which a tick clamps: `elapsed`, or `noSuchTime` for a slot that disappeared
  /// because the clock was set back.
  private func reasonOfTick(_ retained: RetainedSelection, _ before: ColumnsPicker) -> ClampReason {
    guard retained.reason != nil, case .slots(let earliest) = bounds,
      let instant = before.selectedInstant
    else { return .elapsed }
    return instant < earliest ? .elapsed : .noSuchTime
  }

  /// The start of the selected slot; `nil` if nothing is selected, and for the other kinds.
  private var selectedInstant: Instant? {
    (rules as? SlotRules)?.instant(of: value.keys)
  }

  mutating func redefine(
    _ new: Definition, _ bounds: PickerBounds, knowing known: ColumnsPicker?
  ) -> TickAnswer {
    let selectedBefore = (keys: value.keys, instant: selectedInstant)
    definition = new
    self.bounds = bounds
    advance(to: time.asOf)
    findNextTick()
    let goalDay = definition.goalDay(keeping: value)
    let rules = definition.columnRules(
      within: bounds, today: time.today, goalDay: goalDay,
      knowing: known?.definition === definition && levels == nil ? known?.shownSlotDays : nil,
      seeing: levels)
    let retained = rules.keeping(value.keys, shownIn: columns)
    let reason: ClampReason = definition.kind == .date ? retained.reason ?? .gone : .gone
    var loss: SlotLoss?
    if !retained.keys.isExactly(selectedBefore.keys), let instant = selectedBefore.instant {
      loss = (rules as? SlotRules)?.times.loss(of: instant)
    }
    let changes = show(retained, rules, goalDay: goalDay, by: .define(reason, loss))
    return TickAnswer(
      changes: changes, hasOtherValue: !value.keys.isExactly(selectedBefore.keys),
      loss: retained.keys.isEmpty ? loss : nil)
  }

  mutating func see(_ levels: KeyLevels?) -> TickAnswer {
    let before = (value: value, keys: value.keys)
    self.levels = levels
    let rules = definition.columnRules(
      within: bounds, today: time.today, goalDay: value.goalDay, knowing: nil, seeing: levels)
    let retained = rules.keeping(value.keys)
    let reason = (rules as? SlotRules)?.reason(without: before.keys) ?? .soldOut
    let changes = show(retained, rules, goalDay: value.goalDay, by: .inventory(reason))
    return TickAnswer(changes: changes, hasOtherValue: value != before.value)
  }

  mutating func take(offered fields: ResultFields) throws(Refusal) -> [PickerChange] {
    let rules = self.rules
    guard let keys = rules.keys(of: fields) else { throw Refusal(wrongResultFor: definition.kind) }
    try rules.check(keys)
    return show(
      RetainedSelection(keys: keys), rules, goalDay: definition.goalDay(keeping: .keys(keys)),
      by: .inventory(.offered))
  }

  /// The bounds of a `date`; `nil` for the other kinds.
  ///
  /// A tick can move them without a change that a member sees, and later ticks may leave them in
  /// force. A slot, whose bounds move every few minutes, has new ones at each tick, except at the
  /// ends of the calendar: in the year 0001, and in the lead time before the end of the year 9999.
  var dateBounds: ClosedRange<CivilDate>? {
    if case .dates(let bounds) = bounds { bounds } else { nil }
  }
}

/// Selecting.
extension ColumnsPicker {
  mutating func perform(
    _ action: PickerAction, by actor: Actor
  ) throws(Refusal) -> [PickerChange] {
    switch action {
    case .columns(.select(let selection)):
      return try select(row: try row(meantBy: selection), column: selection.column)
    case .set(let fields): return try set(fields)
    case .calendar, .availability, .clear:
      throw Refusal(unsupported: action.type, definition.kind)
    }
  }

  /// Selects a row.
  ///
  /// - Returns: All reloads in ascending column order, then all moved rows; empty if the row was
  ///   selected already.
  /// - Throws: ``Refusal`` with `noSuchColumn` or `noSuchRow`. The picker is unchanged.
  private mutating func select(row: Int, column: Int) throws(Refusal) -> [PickerChange] {
    let state = columns[column]
    guard row >= 0, row < state.rows.count else {
      let count = state.rows.count
      let rows = count == 0 ? "it has no rows" : "its rows are 0 to \(count - 1)"
      throw Refusal(
        .noSuchRow, "row \(row) does not exist in column \(column); \(rows)",
        ["count": .integer(count)])
    }
    if row == state.selected { return [] }
    let rules = self.rules
    let retained = rules.selecting(row: row, column: column, showing: value.keys, in: columns)
    let key = state.rows.key(at: row)
    return show(retained, rules, goalDay: retained.goalDay, by: .select(column: column, key: key))
  }

  /// The row that the member selected: its index if the column has the same rows, otherwise the row
  /// with its key.
  private func row(meantBy selection: RowSelection) throws(Refusal) -> Int {
    guard columns.indices.contains(selection.column) else {
      throw .noSuchColumn(selection.column, of: columns.count)
    }
    let column = columns[selection.column]
    if selection.generation == column.generation { return selection.row }
    guard let key = selection.key else {
      throw Refusal(
        .staleColumn,
        "column \(selection.column) has generation \(column.generation), not "
          + "\(selection.generation); send the key of the row as well",
        ["generation": .integer(column.generation)])
    }
    guard let row = column.rows.row(ofKey: key) else {
      throw Refusal(
        .noSuchRow, "no row of column \(selection.column) has the key \(key.quoted) now",
        ["count": .integer(column.rows.count)])
    }
    return row
  }

  /// Whether the key of a select counts, because its column has had other rows since; also if there
  /// is no such column. Otherwise the key is not used, and a client could fill a log with long
  /// keys.
  func readsAll(of action: PickerAction) -> Bool {
    guard case .columns(.select(let selection)) = action, selection.key != nil else { return true }
    return !isCurrent(selection)
  }

  /// See ``Picker/isStale(_:)``.
  func isStale(_ action: PickerAction) -> Bool {
    guard case .columns(.select(let selection)) = action,
      columns.indices.contains(selection.column)
    else { return false }
    return !isCurrent(selection)
  }

  /// Whether the column still has the rows that the member saw. The row's index counts then, not
  /// its key.
  private func isCurrent(_ selection: RowSelection) -> Bool {
    columns.indices.contains(selection.column)
      && columns[selection.column].generation == selection.generation
  }

  func correction(for action: PickerAction, _ code: Rejection) -> PickerCorrection {
    guard case .columns(.select(let selection)) = action,
      columns.indices.contains(selection.column)
    else { return .nothing }
    return .column(selection.column, reloads: code == .staleColumn)
  }

  /// Selects a whole value.
  ///
  /// It is exact: what a select would clamp is refused.
  ///
  /// - Returns: The changes, with the cause `set`; empty if the value stands already.
  /// - Throws: ``Refusal`` with `wrongKind` for fields of another kind of picker, else `noSuchRow`.
  ///   The picker is unchanged.
  /// - Source: web/guide/README.md, "Set".
  private mutating func set(_ fields: ResultFields) throws(Refusal) -> [PickerChange] {
    let rules = self.rules
    guard let keys = rules.keys(of: fields) else { throw Refusal(wrongResultFor: definition.kind) }
    if keys.isExactly(value.keys) { return [] }
    try rules.check(keys)
    return show(
      RetainedSelection(keys: keys), rules, goalDay: definition.goalDay(keeping: .keys(keys)),
      by: .set)
  }

  /// Restores an earlier selection as far as it is valid. If no column changes, the value stays as
  /// it was.
  mutating func restore(_ value: PickerSelection) -> [PickerChange] {
    let before = self.value
    let rules = self.rules
    let changes = show(
      rules.keeping(value.keys), rules, goalDay: definition.goalDay(keeping: value), by: .undo)
    if changes.isEmpty { self.value = before }
    return changes
  }

  /// Selects `retained`, and returns the differences to the columns before: all reloads and
  /// removals in ascending column order, then all moved rows.
  private mutating func show(
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
      let levels = rowLevels(of: rows, column: index, showing: retained.keys, rules)
      if !isReloaded, columns[index].levels != levels {
        // The same rows look different.
        columns[index].levels = levels
        columns[index].rows = rows
        var shown = columns[index]
        shown.selected = selected
        reloads.append(.columns(.reload(column: index, shown)))
      }
      if !isReloaded, columns[index].selected == selected {
        // Equal rows can be different nodes of the tree, with different children.
        columns[index].rows = rows
        return
      }
      let heldKey = columns[index].selectedKey
      columns[index].selected = selected
      columns[index].rows = rows
      columns[index].levels = levels
      if isNew, !removedGenerations.isEmpty {
        columns[index].generation = removedGenerations.removeFirst()
      }
      if isReloaded {
        columns[index].generation += 1
        reloads.append(.columns(.reload(column: index, columns[index])))
      }
      guard let key = columns[index].selectedKey, let selected,
        heldKey.map(key.isExactly) != true
      else { return }
      let wanted = Wanted(
        held: heldKey, aimedDay: index == 2 ? retained.aimedDay : nil, column: index,
        origin: origin,
        isAfterMoved: rules.areColumnsLinked && !moves.isEmpty)
      moves.append(
        .columns(
          .row(column: index, wanted.move(to: key, row: selected, rows: rows, retained.reason))))
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
      .columns(.removal(column: count + index, generation: generation))
    }
  }
}

extension ColumnRules {
  /// Checks that each key is one of a row once the keys before it are selected.
  fileprivate func check(_ keys: [String]) throws(Refusal) {
    for column in 0...keys.count {
      let rows = self.rows(below: keys[..<column])
      if column == keys.count, rows.count == 0 { return }
      if column < keys.count, rows.row(ofKey: keys[column]) != nil { continue }
      let what =
        column < keys.count
        ? "no row of column \(column) has the key \(keys[column].quoted)"
        : "column \(column) has rows, but the result has no key of it"
      throw Refusal(
        .noSuchRow, what, ["count": .integer(rows.count), "column": .integer(column)])
    }
  }
}

extension ColumnsPicker {
  func checkInvariants() -> String? {
    let rules = definition.columnRules(
      within: bounds, today: time.today, goalDay: nil, knowing: nil, seeing: levels)
    let retained = rules.keeping(value.keys)
    guard retained.reason == nil, retained.keys.isExactly(value.keys) else {
      return "the selected keys can be shown"
    }
    let views = rules.columns(showing: value.keys)
    guard views.count == columns.count else { return "the columns are those of the kind" }
    for (state, view) in zip(columns, views) {
      guard state.rows == view.rows, state.selected == view.selected else {
        return "the columns are what the value and the bounds make them"
      }
      guard state.generation >= 1 else { return "generations begin with 1" }
      guard (state.selected == nil) == (state.rows.count == 0) else {
        return "a row is selected where there is one"
      }
      if let selected = state.selected {
        guard state.rows.row(ofKey: state.rows.key(at: selected)) == selected else {
          return "a key names its row"
        }
      }
    }
    guard (value.goalDay == nil) == (definition.goalDay(keeping: value) == nil) else {
      return "a picker has a goal day if its definition remembers it"
    }
    guard columns.compactMap(\.selectedKey).isExactly(value.keys) else {
      return "the selected rows have the selected keys"
    }
    return nil
  }
}

/// For readers of any picker.
extension Picker {
  package var asColumns: ColumnsPicker? {
    if case .columns(let box) = self { box.shape } else { nil }
  }

  /// The columns with their rows and selection; empty for the other shapes.
  package var columns: [ColumnState] {
    if case .columns(let box) = self { box.shape.columns } else { [] }
  }

  /// Bounds that must outlast a tick without effect, because later ticks may leave them in force;
  /// `nil` if there are none. See ``ColumnsPicker/dateBounds``.
  package var dateBounds: ClosedRange<CivilDate>? {
    if case .columns(let box) = self { box.shape.dateBounds } else { nil }
  }
}
