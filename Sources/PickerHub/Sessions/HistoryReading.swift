import PickerSession

/// Whether a session has all of its recent deltas in memory, and who waits for the missing ones.
///
/// A session without members is reloaded from its last snapshot, mostly for a tick or a GET. Those
/// need no deltas, and folding the last 1,000 takes milliseconds, so the deltas are read from the
/// log only when a client resumes. Concurrent requests share one read.
struct HistoryReading {
  /// Whether the log may have recent deltas that ``SessionFold/history`` does not have.
  private(set) var isPartial: Bool
  /// The completions of the running read.
  private var waiters: [(_ isRead: Bool) -> Void] = []

  init(isPartial: Bool = false) { self.isPartial = isPartial }

  var isRunning: Bool { !waiters.isEmpty }

  /// The deltas in memory are dropped.
  fileprivate mutating func drop() { isPartial = true }

  /// - Returns: Whether the caller starts a read; `false` while one is running.
  fileprivate mutating func wait(_ body: @escaping (_ isRead: Bool) -> Void) -> Bool {
    waiters.append(body)
    return waiters.count == 1
  }

  /// The read has ended.
  ///
  /// - Returns: The completions, which the caller runs.
  fileprivate mutating func end(isRead: Bool) -> [(_ isRead: Bool) -> Void] {
    if isRead { isPartial = false }
    defer { waiters = [] }
    return waiters
  }
}

extension HostedSession {
  /// Drops the history, unless it is being read.
  func dropHistory() -> Bool {
    guard !history.isRunning else { return false }
    session.dropHistory()
    history.drop()
    return true
  }

  /// Reads the session's recent deltas from its log into its history.
  ///
  /// - Parameter body: Called with true when the deltas are there, with false if the log cannot be
  ///   read.
  func readHistory(
    from log: any SessionLog, then body: @escaping (_ isRead: Bool) -> Void
  ) {
    guard history.wait(body) else { return }
    let fold = session.fold
    let position = HistoryPosition(
      of: fold.origin, after: max(0, fold.revision - fold.limits.history),
      through: fold.revision - fold.history.count, limits: fold.limits)
    guard let position else { return restoreHistory(nil) }
    readHistory(from: position, of: log, after: [])
  }

  private func readHistory(
    from position: HistoryPosition, of log: any SessionLog, after deltas: [Delta]
  ) {
    // Captured on the log's thread, used on the hub's only.
    nonisolated(unsafe) let (hosted, log) = (self, log)
    log.history(from: position) { page in
      guard let page else { return hosted.restoreHistory(nil) }
      let deltas = deltas + page.deltas
      guard let next = page.next else { return hosted.restoreHistory(deltas) }
      hosted.readHistory(from: next, of: log, after: deltas)
    }
  }

  private func restoreHistory(_ deltas: [Delta]?) {
    if let deltas { session.restoreHistory(deltas) }
    for body in history.end(isRead: deltas != nil) { body(deltas != nil) }
  }
}
