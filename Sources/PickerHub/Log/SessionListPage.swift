import PickerSession

/// A page of the list of sessions, in the order of their ordinals.
package struct SessionListPage: Sendable {
  package let sessions: [SessionIndex.Entry]
  /// The cursor of the next page; `nil` after the last one.
  package let next: Int64?

  package init(sessions: [SessionIndex.Entry], next: Int64?) {
    self.sessions = sessions
    self.next = next
  }
}
