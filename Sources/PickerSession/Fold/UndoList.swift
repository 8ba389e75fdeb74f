package import CivilTime
package import DequeModule
package import PickerModel

/// A value of the picker and, for a range, the tap that made it.
package struct UndoValue: Hashable, Sendable {
  package let value: PickerSelection
  /// The member of the last accepted tap.
  package let by: MemberID?
  /// The time of that tap.
  package let tappedAt: Instant?

  package init(value: PickerSelection, by: MemberID?, tappedAt: Instant?) {
    self.value = value
    self.by = by
    self.tappedAt = tappedAt
  }
}

/// The values that undo and redo restore; one list for all members.
package struct UndoList: Hashable, Sendable {
  /// The values before the current one; undo restores the last one. At most ``SessionLimits/undo``.
  package private(set) var past: Deque<UndoValue>
  /// The undone values; redo restores the last one. Cleared by each select, tap and clear.
  package private(set) var future: [UndoValue]

  package init(past: some Sequence<UndoValue> = [], future: [UndoValue] = []) {
    self.past = Deque(past)
    self.future = future
  }

  /// The number of values in both lists.
  var count: Int { past.count + future.count }

  /// Adds the value that a select, tap or clear has replaced.
  mutating func push(_ value: consuming UndoValue, countMax: Int) {
    past.append(value)
    if past.count > countMax { past.removeFirst() }
    future.removeAll()
  }

  mutating func popPast() -> UndoValue? { past.popLast() }

  mutating func popFuture() -> UndoValue? { future.popLast() }

  mutating func pushFuture(_ value: UndoValue) { future.append(value) }

  mutating func pushPast(_ value: UndoValue) { past.append(value) }
}
