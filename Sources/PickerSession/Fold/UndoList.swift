package import CivilTime
package import DequeModule
package import PickerModel

/// A value that stood, with whose tap it came from.
package struct StandingValue: Hashable, Sendable {
  package let value: PickerValue
  /// The member of the last accepted tap.
  package let by: MemberID?
  /// When that tap was given.
  package let tappedAt: Instant?

  package init(value: PickerValue, by: MemberID?, tappedAt: Instant?) {
    self.value = value
    self.by = by
    self.tappedAt = tappedAt
  }
}

/// The values that undo and redo put back; one list for all members.
/// - Source: rules.md, "Undo".
package struct UndoList: Hashable, Sendable {
  package private(set) var past: Deque<StandingValue>
  package private(set) var future: [StandingValue]

  package init(past: some Sequence<StandingValue> = [], future: [StandingValue] = []) {
    self.past = Deque(past)
    self.future = future
  }

  /// The list with its values as made under a definition.
  func made(under definition: Definition) -> UndoList {
    func made(_ value: StandingValue) -> StandingValue {
      StandingValue(
        value: value.value.made(under: definition), by: value.by, tappedAt: value.tappedAt)
    }
    return UndoList(past: past.map(made), future: future.map(made))
  }

  /// How many values both lists contain.
  var count: Int { past.count + future.count }

  /// A new select, tap or clear took the place of `value`.
  mutating func push(_ value: StandingValue, countMax: Int) {
    past.append(value)
    if past.count > countMax { past.removeFirst() }
    future.removeAll()
  }

  mutating func popPast() -> StandingValue? { past.popLast() }

  mutating func popFuture() -> StandingValue? { future.popLast() }

  mutating func pushFuture(_ value: StandingValue) { future.append(value) }

  mutating func pushPast(_ value: StandingValue) { past.append(value) }
}
