import JSONText

extension Picker {
  /// Checks the invariants of a picker, for tests and the simulator.
  ///
  /// - Returns: The first invariant that does not hold, as a sentence; `nil` if all hold.
  package func _checkInvariants() -> String? {
    guard state.fits(definition) else { return "the state is of the definition's kind" }
    if let calendar { return checkCalendar(calendar) }
    if case .availability(let kind) = definition.rules { return checkAvailability(kind) }
    let rules = definition.columnRules(
      within: bounds, today: today, goalDay: nil, knowing: nil)!
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

  private func checkCalendar(_ calendar: CalendarRules) -> String? {
    guard columns.isEmpty else { return "a calendar has no columns" }
    guard let range else { return nil }
    guard range.start <= range.end else { return "a range's start is not after its end" }
    guard range.hits >= 1 else { return "a range has hits" }
    guard calendar.keeping(range) == range else { return "a range is within the bounds" }
    if isRangeOpen || calendar.kind.selection == .single {
      guard range.start == range.end else { return "an open range and a single date is one day" }
    }
    guard isRangeOpen == (reach != nil) else { return "an open range has a reach" }
    if let reach, !reach.contains(range.start) { return "a reach has its start" }
    return nil
  }
}
