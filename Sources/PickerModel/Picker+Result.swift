package import JSONText

extension Picker {
  /// What has been picked: `{"date":…}`, `{"local":…,"instant":…}`, `{"keys":…}` or
  /// `{"start":…,"end":…,"days":…}`; `null` while nothing is, or while a range is open.
  package var result: JSONTree {
    switch (definition.rules, bounds) {
    case (.date, _):
      return .object([.init("date", .string(value.keys.joined(separator: "-")))])
    case (.slot(let kind), .slots(let earliest)):
      let rules = SlotRules(
        kind: kind, zone: definition.zone, earliest: earliest, today: today,
        knowing: shownSlotDays)
      return rules.result(of: value.keys)
    case (.slot, _): preconditionFailure("bounds of another kind")
    case (.cascade, _), (.columns, _):
      return .object([.init("keys", .array(value.keys.map(JSONTree.string)))])
    case (.calendar(let kind), _):
      guard let range, !isRangeOpen else { return .null }
      switch kind.selection {
      case .single: return .object([.init("date", .string(range.start.iso))])
      case .range:
        return .object([
          .init("start", .string(range.start.iso)), .init("end", .string(range.end.iso)),
          .init("days", .integer(range.dayCount)),
        ])
      }
    }
  }

  /// Whether there is a result.
  package var isComplete: Bool { result != .null }
}
