import PickerSession

extension SQLiteSessionLog.State {
  /// Notes the size of a session's log; `nil` for one that has ended.
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
