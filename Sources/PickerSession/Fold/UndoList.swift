package import DequeModule
package import PickerModel

/// The values that undo and redo restore; one list for all members.
package struct UndoList: Hashable, Sendable {
  /// The values before the current one; undo restores the last one. At most ``SessionLimits/undo``.
  package private(set) var past: Deque<PickerSelection>
  /// The undone values; redo restores the last one. Cleared by each select, tap and clear.
  package private(set) var future: [PickerSelection]

  package init(past: some Sequence<PickerSelection> = [], future: [PickerSelection] = []) {
    self.past = Deque(past)
    self.future = future
  }

  /// The number of values in both lists.
  var count: Int { past.count + future.count }

  /// Adds the value that a select, tap or clear has replaced.
  mutating func push(_ value: consuming PickerSelection, countMax: Int) {
    past.append(value)
    if past.count > countMax { past.removeFirst() }
    future.removeAll()
  }

  mutating func popPast() -> PickerSelection? { past.popLast() }

  mutating func popFuture() -> PickerSelection? { future.popLast() }

  mutating func pushFuture(_ value: PickerSelection) { future.append(value) }

  mutating func pushPast(_ value: PickerSelection) { past.append(value) }
}
