import PickerSession
import PickerWire

/// Reading the recent deltas of a session that was reloaded without them.
///
/// A session without members is reloaded from its last snapshot, mostly for a tick or a GET. Those
/// need no deltas, and folding the last 1,000 takes milliseconds, so the deltas are read from the
/// log only when a client resumes.
extension Hub {
  /// Whether a member resumes from a revision whose deltas must first be read from the log.
  func needsHistory(_ resume: ClientMessage.Resume?, in hosted: HostedSession) -> Bool {
    guard hosted.isHistoryPartial, let resume else { return false }
    let fold = hosted.session.fold
    guard resume.epoch == fold.origin.epoch,
      let member = fold.knownMember(MemberID(resume.member)),
      identities.hash(resume.secret).matches(member.secret)
    else { return false }
    return fold.mayHaveForgotten(after: resume.revision)
  }

  /// Whether an event stream resumes from a revision whose deltas must first be read from the log.
  func needsHistory(_ request: WatchRequest, in hosted: HostedSession) -> Bool {
    guard hosted.isHistoryPartial, let seen = request.seen, !seen.epochMark.isEmpty else {
      return false
    }
    let fold = hosted.session.fold
    return fold.origin.epoch.hasPrefix(seen.epochMark)
      && fold.mayHaveForgotten(after: seen.revision)
  }

  /// Reads the session's recent deltas from its log into its history. Concurrent calls share one
  /// read.
  ///
  /// - Parameter body: Called with true when the deltas are there, with false if the log cannot be
  ///   read.
  func readHistory(of hosted: HostedSession, then body: @escaping (Bool) -> Void) {
    hosted.historyWaiters.append(body)
    guard hosted.historyWaiters.count == 1 else { return }
    let fold = hosted.session.fold
    let position = HistoryPosition(
      of: fold.origin, after: max(0, fold.revision - fold.limits.history),
      through: fold.revision - fold.history.count, limits: fold.limits)
    guard let position else { return restore(nil, in: hosted) }
    readHistory(from: position, after: [], in: hosted)
  }

  private func readHistory(
    from position: HistoryPosition, after deltas: [Delta], in hosted: HostedSession
  ) {
    // Captured on the log's thread, used on the hub's only.
    nonisolated(unsafe) let (hub, hosted) = (self, hosted)
    log.history(from: position) { page in
      guard let page else { return hub.restore(nil, in: hosted) }
      let deltas = deltas + page.deltas
      guard let next = page.next else { return hub.restore(deltas, in: hosted) }
      hub.readHistory(from: next, after: deltas, in: hosted)
    }
  }

  private func restore(_ deltas: [Delta]?, in hosted: HostedSession) {
    if let deltas {
      hosted.session.restoreHistory(deltas)
      hosted.isHistoryPartial = false
    }
    let waiters = hosted.historyWaiters
    hosted.historyWaiters = []
    for body in waiters { body(deltas != nil) }
  }
}

extension SessionFold {
  /// Whether a client can resume from a revision, but its deltas are not all in memory.
  fileprivate func mayHaveForgotten(after seen: Int) -> Bool {
    let first = revision - history.count
    return seen >= max(0, revision - limits.history) && seen < first
  }
}
