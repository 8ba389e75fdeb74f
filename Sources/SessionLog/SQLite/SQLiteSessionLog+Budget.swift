import PickerSession

extension SQLiteSessionLog.State {
  /// Updates the sets of full logs by the size of a session's log; `nil`: the session has ended.
  mutating func note(_ byteCount: Int?, of session: SessionID, max: Int) {
    if let byteCount, byteCount >= max {
      full.insert(session)
      if byteCount >= 2 * max { exhausted.insert(session) }
    } else {
      full.remove(session)
      exhausted.remove(session)
    }
  }
}
