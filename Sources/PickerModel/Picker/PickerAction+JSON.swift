package import JSONText

/// The JSON of an action: the fields of its message besides the type, the ref and the premise.
///
/// - Source: web/client/api/asyncapi.json.
extension PickerAction {
  /// The types of actions that a message can have.
  package enum Name: Sendable { case select, tap, set, clear, mark }

  /// Which field of its message says what its author had seen.
  package enum Premise: Sendable {
    case nothing
    /// The newest revision, `at`.
    case revision
    /// The `hits` of the range.
    case hits
  }

  /// - Parameters:
  ///   - text: The text of the fields.
  ///   - isFromHost: Whether the key of a select is enough.
  /// - Throws: ``BadMessage`` if a field is missing or has the wrong type.
  package init(
    _ name: Name, _ fields: inout MessageFields, _ text: Span<UInt8>, fromHost isFromHost: Bool
  ) throws(BadMessage) {
    switch name {
    case .select: self = .select(try RowSelection(&fields, text, fromHost: isFromHost))
    case .tap: self = .tap(try TapTarget(&fields, text))
    case .set: self = .set(try fields.result(text))
    case .clear: self = .clear
    case .mark: self = .mark(try CellMark(&fields, text))
    }
  }

  /// Reads an action that no message has, because only the host gives it; `nil` for others.
  package init?(ofHost type: String, _ tree: JSONTree) {
    guard let action = AvailabilityAction(ofHost: type, tree) else { return nil }
    self = .availability(action)
  }

  package var premise: Premise {
    switch self {
    case .columns, .availability: .nothing
    case .calendar: .hits
    case .set, .clear: .revision
    }
  }

  /// Whether the message has a `key` that is not a string. It is treated like a missing key, unless
  /// the key is needed.
  package func isKeyBad(_ fields: inout MessageFields) -> Bool {
    guard case .columns = self, let key = fields[.key] else { return false }
    if case .string = key { return false }
    return true
  }
}

extension JSONWriter {
  /// The fields, each after a comma.
  ///
  /// - Parameter seesAll: Whether the reader may see a member's calendar.
  package mutating func action(_ action: PickerAction, seesAll: Bool) {
    switch action {
    case .columns(.select(let selection)): self.selection(selection)
    case .calendar(.tap(let target)): self.target(target)
    case .availability(let action): availabilityAction(action, seesAll: seesAll)
    case .set(let fields):
      literal(",\"result\":", fields.tree)
    case .clear: break
    }
  }
}
