/// One change of a picker by an action, tick, undo or change of definition.
///
/// Self-contained: it can be encoded later, in any language, without the picker as it was then.
package enum PickerChange: Hashable, Sendable {
  case columns(ColumnsChange)
  case calendar(CalendarChange)
  case availability(AvailabilityChange)
}

/// What a session asks about a change, which it does not open.
extension PickerChange {
  /// Whether it has times, which depend on the reader's zone.
  package var hasZones: Bool {
    if case .availability(let change) = self { change.hasZones } else { false }
  }

  /// Whether a reader must not see it.
  package func isHidden(from sight: Sight) -> Bool {
    switch self {
    case .columns, .calendar: false
    case .availability(let change): change.isHidden(from: sight)
    }
  }

  /// The member whose part of the value it changes; `nil` if it is one of the whole picker.
  package var respondent: MemberID? {
    if case .availability(let change) = self { change.respondent } else { nil }
  }

  /// Whether what members refer to by number has other numbers, so that all of it is sent again.
  package var isRenumbering: Bool {
    if case .availability(let change) = self { change.isRenumbering } else { false }
  }
}

/// What a delta says about all of its changes.
package struct ChangeFacts: Sendable {
  /// An estimate of their memory without definitions, in units of 128 bytes.
  package fileprivate(set) var weight = 0
  /// Whether a value was replaced by the nearest possible one.
  package fileprivate(set) var isClamped = false
  /// Whether a change has texts, which depend on the language.
  package fileprivate(set) var hasTexts = false

  /// In one pass: asking a change copies it.
  package init(of changes: [PickerChange]) {
    for index in changes.indices { changes[index].add(to: &self) }
  }
}

extension PickerChange {
  fileprivate func add(to facts: inout ChangeFacts) {
    switch self {
    case .columns(let change):
      facts.isClamped = facts.isClamped || change.isClamp
      facts.hasTexts = facts.hasTexts || change.hasTexts
    case .calendar(let change): facts.isClamped = facts.isClamped || change.isClamp
    case .availability(let change):
      facts.weight += change.weight
      facts.hasTexts = facts.hasTexts || change.hasTexts
    }
  }
}

/// Why a requested value was replaced by the nearest possible one.
package enum ClampReason: String, Hashable, Sendable {
  case min, max, monthLength, noSuchTime, elapsed, maxDays, blocked
  case noArrival, noDeparture, maxNights
  // By an inventory.
  case soldOut, held, offered
  // These only after a change of definition.
  case gone, minDays, minNights, selection, unit
}

/// English words for `pickerd replay`.
extension PickerChange {
  package func words(in texts: any RowTexts) -> String {
    switch self {
    case .columns(let change): change.words(in: texts)
    case .calendar(let change): change.words
    case .availability(let change): change.words(in: texts)
    }
  }
}
