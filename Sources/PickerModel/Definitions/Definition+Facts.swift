import CivilTime

extension Definition {
  /// The first day of a calendar's weeks, 1 = Sunday … 7 = Saturday; `nil` for the other kinds.
  package var firstWeekday: Int? {
    if case .calendar(let kind) = rules { kind.firstWeekday } else { nil }
  }

  /// How long a booking of a slot takes; `nil` for the other kinds.
  package var bookingMinutes: Int? {
    if case .slot(let kind) = rules { kind.minutes } else { nil }
  }

  /// Whether each tap of a calendar chooses a single day.
  package var isSingleDay: Bool {
    if case .calendar(let kind) = rules { kind.selection == .single } else { false }
  }

  /// Its rows, or its entries of `taken`: what it needs in memory.
  package var weight: Int {
    switch rules {
    case .date: 1
    case .slot(let kind): 1 + kind.taken.count
    case .cascade(let kind): kind.table.texts.count
    case .columns(let kind): kind.table.texts.count
    case .calendar(let kind): 1 + kind.blocked.takenCount
    }
  }
}

extension PickerValue {
  /// The value, as made under a definition: what was stored before ranges knew their selection.
  package func made(under definition: Definition) -> PickerValue {
    guard case .range(var range?) = self else { return self }
    range.isSingle = definition.isSingleDay
    return .range(range)
  }
}
