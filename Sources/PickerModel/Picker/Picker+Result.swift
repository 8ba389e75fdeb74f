extension Picker {
  /// The result of the current selection; ``PickerResult/null`` while a range is open or nothing is
  /// selected.
  package var result: PickerResult {
    switch (definition.rules, bounds) {
    case (.date, _): return .date(value.keys)
    case (.slot(let kind), .slots(let earliest)):
      let rules = SlotRules(
        kind: kind, zone: definition.zone, earliest: earliest, today: today,
        knowing: shownSlotDays)
      return rules.result(of: value.keys)
    case (.slot, _): preconditionFailure("bounds of another kind")
    case (.availability, _): return availabilityResult
    case (.cascade, _), (.columns, _): return .keys(value.keys)
    case (.calendar(let kind), _):
      guard let range, !isRangeOpen else { return .null }
      switch (kind.unit, kind.selection) {
      case (.days, .single): return .day(range.start)
      case (.days, .range): return .range(start: range.start, end: range.end)
      case (.nights, _): return .stay(start: range.start, end: range.end)
      }
    }
  }

  /// Whether ``result`` is not ``PickerResult/null``. Only a complete picker can be confirmed.
  package var isComplete: Bool { result != .null }
}
