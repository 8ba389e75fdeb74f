package import CivilTime

/// The state of one picker: its columns or range, at a time.
///
/// A value type without clock and I/O. Each mutating function returns the changes it made. Before
/// ``select(row:column:)``, ``tap(_:mayClose:)`` or ``redefine(_:definedAt:)`` the caller must call
/// ``tick(_:)`` with the current time, because these functions apply the bounds of the last tick.
package struct Picker: Sendable {
  package internal(set) var definition: Definition
  /// The calendar that determines the grids of the months, if it is not that of ``definition``.
  var layout: CalendarKind?
  /// The selected keys, or the range.
  package internal(set) var value: PickerValue
  /// The columns with their rows and selection; empty for a calendar.
  package internal(set) var columns: [ColumnState]
  /// The state of an `availability`, alone; empty for the other kinds. An array, because it is
  /// copied only when it is changed, and takes little room in the other kinds.
  var availabilities: [Availability] = []
  /// The last generations of columns that a definition change removed, the one with the lowest
  /// index first.
  var removedGenerations: [Int] = []
  /// The instant of the last tick.
  package internal(set) var asOf: Instant
  /// The bounds at the last tick at which the definition had any.
  var bounds: PickerBounds
  /// The date of ``asOf`` in the definition's zone.
  var today: CivilDate
  /// The next instant after ``asOf`` at which a tick can return a change; `nil` if there is none.
  /// The owner of the picker sets its timer to it.
  package internal(set) var nextTick: Instant?
  /// The bounds and the date do not change from ``asOf`` until just before this instant.
  var stillUntil: Instant

  /// Makes a picker with the initial selection of its definition.
  ///
  /// - Throws: ``DefinitionProblem`` if the definition has no bounds at `now`: `min` is after
  ///   `max`, a list of months ends before it starts, or a date is outside the years 0001…9999.
  package init(_ definition: Definition, now: Instant) throws(DefinitionProblem) {
    let today = definition.zone.localDate(at: now)
    let bounds = try definition.bounds(at: now)
    self.definition = definition
    self.asOf = now
    self.bounds = bounds
    self.today = today
    columns = []
    value = .range(nil)
    stillUntil = now
    if case .availability(let kind) = definition.rules {
      availabilities = [
        Availability(kind, cells: kind.cells(within: bounds), generation: 1, at: now, today: today)
      ]
    }
    findNextTick()
    guard let rules = columnRules else { return }
    var keys = rules.firstKeys
    if case .date(let kind) = definition.rules, case .dates(let bounds) = bounds {
      keys = try kind.initialKeys(in: bounds, today: today)
    }
    value = .keys(keys, goalDay: definition.goalDay(keeping: .keys(keys)))
    columns = rules.columns(showing: keys).map {
      ColumnState(generation: 1, rows: $0.rows, selected: $0.selected)
    }
  }

  /// Restores a picker from its stored state. With the same definition it equals the picker from
  /// which the state was taken.
  ///
  /// Keys that the definition does not have are clamped as a tick would clamp them.
  /// - Precondition: ``PickerState/fits(_:)`` is `true` for the definition.
  package init(_ definition: Definition, state: PickerState) {
    self.definition = definition
    asOf = state.asOf
    bounds = state.bounds
    today = definition.zone.localDate(at: state.asOf)
    columns = []
    value = state.value
    stillUntil = asOf
    if case .availability(let kind) = definition.rules {
      let cells = kind.cells(within: bounds)
      availabilities = [Availability(kind, cells, state.marks, at: asOf, today: today)]
    }
    findNextTick()
    guard let rules = columnRules else { return }
    let keys = rules.keeping(state.value.keys).keys
    value = .keys(keys, goalDay: definition.goalDay(keeping: state.value))
    for (index, view) in rules.columns(showing: keys).enumerated() {
      let generation = index < state.generations.count ? state.generations[index] : 1
      columns.append(
        ColumnState(generation: generation, rows: view.rows, selected: view.selected))
    }
    removedGenerations = Array(state.generations.dropFirst(columns.count))
  }

  /// The state to store; with the definition it is enough to restore the picker.
  package var state: PickerState {
    PickerState(
      value: value, asOf: asOf, bounds: bounds,
      generations: columns.map(\.generation) + removedGenerations, marks: storedMarks)
  }
}

extension Picker: Hashable {
  package static func == (left: Picker, right: Picker) -> Bool {
    left.definition == right.definition && left.state == right.state
      && left.columns == right.columns
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(definition)
    hasher.combine(value)
    hasher.combine(asOf)
  }
}

extension PickerValue {
  /// The selected keys; empty for a range.
  var keys: [String] { if case .keys(let keys, _) = self { keys } else { [] } }
  /// The goal day of a `date` with `rememberDay`.
  var goalDay: Int? { if case .keys(_, let goalDay) = self { goalDay } else { nil } }
  /// The range; `nil` for keys.
  var range: DateRange? { if case .range(let range) = self { range } else { nil } }
}
