import CivilTime

extension Definition {
  /// The first day of a calendar's weeks, 1 = Sunday … 7 = Saturday; `nil` for the other kinds.
  package var firstWeekday: Int? {
    if case .calendar(let kind) = rules { kind.firstWeekday } else { nil }
  }

  /// Whether the ranges of a calendar are stays: from the day of arrival to that of departure.
  package var isNights: Bool { rules.stays != nil }

  /// The length of a slot's booking in minutes; `nil` for the other kinds.
  package var bookingMinutes: Int? {
    if case .slot(let kind) = rules { kind.minutes } else { nil }
  }

  /// An estimate of the memory that the definition takes: its number of rows, or the number of
  /// entries of `taken` that are as long as its JSON.
  package var weight: Int { rules.table?.texts.count ?? max(1, json.count / 64) }
}

extension Definition.Rules {
  /// The rows of the definition, if it lists them.
  var table: NodeTable? {
    switch self {
    case .date, .slot, .calendar, .availability: nil
    case .cascade(let kind): kind.table
    case .columns(let kind): kind.table
    }
  }

  /// The rules of a calendar of nights.
  var stays: StayRules? { if case .calendar(let kind) = self { kind.stays } else { nil } }
}
