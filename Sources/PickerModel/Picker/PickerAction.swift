/// What a member, or the host, does to a picker. A session carries it from the message to the
/// picker and into the log, and opens none.
package enum PickerAction: Hashable, Sendable {
  case columns(ColumnsAction)
  case calendar(CalendarAction)
  indirect case availability(AvailabilityAction)
  /// Chooses a whole value.
  indirect case set(ResultFields)
  /// Removes the value, or the member's part of it.
  case clear
}

/// The facts that do not depend on the picker's state.
extension PickerAction {
  /// The name on the wire.
  package var type: String {
    switch self {
    case .columns(let action): action.type
    case .calendar(let action): action.type
    case .availability(let action): action.type
    case .set: "set"
    case .clear: "clear"
    }
  }

  /// Whether it is given by the host only.
  package var isHosts: Bool {
    if case .availability(let action) = self { action.isHosts } else { false }
  }

  /// Whether the host may send it as a command of its own.
  package var isForHosts: Bool {
    switch self {
    case .columns, .calendar, .set, .clear: true
    case .availability: false
    }
  }

  /// The member for whom the host gives it; `nil` if it is its author's.
  package var subject: MemberID? {
    if case .availability(let action) = self { action.subject } else { nil }
  }

  /// The memory of its texts and lists in bytes, an estimate.
  package var byteCount: Int {
    switch self {
    case .columns(let action): action.byteCount
    case .availability(let action): action.byteCount
    case .set(let fields): fields.byteCount
    // Not by name, which would take a tap out of the action.
    default: 0
    }
  }

  /// The action without what it says only in case that the picker has changed.
  package var brief: PickerAction {
    if case .columns(let action) = self { .columns(action.brief) } else { self }
  }

  var isTap: Bool { if case .calendar(.tap) = self { true } else { false } }

  /// Checks that pickers with `definition` have such an action.
  ///
  /// - Throws: ``Refusal`` with `wrongKind`.
  package func check(_ definition: Definition) throws(Refusal) {
    let shape = definition.kind.shape
    let fits =
      switch self {
      case .columns: shape == .columns
      case .calendar: shape == .calendar
      case .availability: shape == .availability
      case .set(let fields): fields.fit(definition)
      case .clear: shape != .columns
      }
    if fits { return }
    if case .set = self, shape != .availability {
      throw Refusal(wrongResultFor: definition.kind)
    }
    throw Refusal(unsupported: type, definition.kind)
  }
}

extension Refusal {
  /// A command that pickers of a kind do not have.
  package init(unsupported type: String, _ kind: PickerKind) {
    let pickers = kind == .calendar ? "calendars" : "\(kind) pickers"
    self.init(.wrongKind, "\(type) is not supported for \(pickers)")
  }
}

/// English words for `pickerd replay`.
extension PickerAction {
  package var words: String {
    switch self {
    case .columns(let action): action.words
    case .calendar(let action): action.words
    case .availability(let action): action.words
    case .set(let fields): "set \(String(decoding: fields.tree.serialized(), as: UTF8.self))"
    case .clear: type
    }
  }
}
