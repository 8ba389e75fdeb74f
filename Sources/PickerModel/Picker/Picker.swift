package import CivilTime

/// One picker: what it shows, and what has been picked.
///
/// A value; every change is a mutating function that answers with what changed. The caller ticks it
/// to the present before it selects or taps.
package struct Picker: Sendable {
  package internal(set) var definition: Definition
  /// The selected keys, or the range.
  package internal(set) var value: PickerValue
  /// The columns as they are shown; none for a calendar.
  package internal(set) var columns: [ColumnState]
  /// The last generations of columns that a definition change removed, the next one first.
  var removedGenerations: [Int] = []
  /// The instant of the last tick.
  package internal(set) var asOf: Instant
  /// What time allowed at the last tick that could move it.
  var bounds: PickerBounds
  /// The date of ``asOf`` in the definition's zone.
  var today: CivilDate
  /// The next instant after ``asOf`` at which a tick could answer anything; `nil` if none will.
  package internal(set) var nextTick: Instant?
  /// From ``asOf`` on, the instants before this one have the same bounds and date.
  var stillUntil: Instant

  /// Makes a picker.
  ///
  /// - Throws: ``DefinitionProblem`` if the definition makes no picker now: `min` lies after `max`,
  ///   a list's months end before they begin, or an expression leaves the years 0001…9999.
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

  /// Puts a picker back that had `state`; it is equal to the one from which the state was taken.
  ///
  /// What the definition cannot show is kept as a tick would keep it.
  /// - Precondition: The state's bounds are of the definition's kind.
  package init(_ definition: Definition, state: PickerState) {
    self.definition = definition
    asOf = state.asOf
    bounds = state.bounds
    today = definition.zone.localDate(at: state.asOf)
    columns = []
    value = state.value
    stillUntil = asOf
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

  /// All that the picker remembers beside its definition.
  package var state: PickerState {
    PickerState(
      value: value, asOf: asOf, bounds: bounds,
      generations: columns.map(\.generation) + removedGenerations)
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
  /// The selected keys; none for a range.
  var keys: [String] { if case .keys(let keys, _) = self { keys } else { [] } }
  /// The goal day of a `date` that remembers the day.
  var goalDay: Int? { if case .keys(_, let goalDay) = self { goalDay } else { nil } }
  /// The range; `nil` for keys.
  var range: DateRange? { if case .range(let range) = self { range } else { nil } }
}
