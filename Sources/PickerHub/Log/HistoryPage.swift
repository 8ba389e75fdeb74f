package import PickerSession

/// A page of the deltas of a session, oldest first.
package struct HistoryPage: Sendable {
  package let deltas: [Delta]
  /// The position of the next page; `nil` after the last one.
  package let next: HistoryPosition?

  package init(deltas: [Delta], next: HistoryPosition?) {
    self.deltas = deltas
    self.next = next
  }
}
