package import DequeModule
package import JSONText
package import PickerModel

/// A value that undo or redo restores.
package struct UndoValue: Hashable, Sendable {
  package let selection: PickerSelection
  /// The units of each key; `nil` without inventory.
  package let units: Int?

  package init(_ selection: consuming PickerSelection, units: Int? = nil) {
    self.selection = selection
    self.units = units
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

/// The stored form: that of the selection, with `units` if there are some.
extension UndoValue {
  package var tree: JSONTree {
    guard let units, case .object(let members) = selection.tree else { return selection.tree }
    return .object(members + [.init("units", .integer(units))])
  }

  package init?(tree: JSONTree) {
    guard let selection = PickerSelection(tree: tree) else { return nil }
    self.init(selection, units: tree["units"]?.integer)
  }
}
