import PickerSession
import PickerWire

/// Whether a resuming client needs deltas of a session that was reloaded without them: see
/// ``HistoryReading``. While there is no memory for them, it gets a snapshot instead.
extension Hub {
  /// Whether a member resumes from a revision whose deltas must first be read from the log.
  func needsHistory(
    _ resume: ClientMessage.Resume?, _ token: MemberToken?, in hosted: HostedSession
  ) -> Bool {
    guard hosted.history.isPartial, !directory.isFull, let resume else { return false }
    guard case .known(_, secret: _, let seen?) = identify(resume, token, in: hosted) else {
      return false
    }
    return hosted.session.fold.mayHaveForgotten(after: seen)
  }

  /// Reads a session's recent deltas from the log; see ``HostedSession/readHistory(from:_:then:)``.
  func readHistory(of hosted: HostedSession, then body: @escaping (_ isRead: Bool) -> Void) {
    hosted.readHistory(from: log) { [unowned self] isRead in
      directory.recount(hosted)
      body(isRead)
    }
  }

  /// Whether an event stream resumes from a revision whose deltas must first be read from the log.
  func needsHistory(_ request: WatchRequest, in hosted: HostedSession) -> Bool {
    guard hosted.history.isPartial, !directory.isFull, let seen = request.seen,
      !seen.epochMark.isEmpty
    else { return false }
    let fold = hosted.session.fold
    return fold.origin.epoch.hasPrefix(seen.epochMark)
      && fold.mayHaveForgotten(after: seen.revision)
  }
}

extension SessionFold {
  /// Whether a client can resume from a revision, but later deltas are not all in memory.
  fileprivate func mayHaveForgotten(after seen: Int) -> Bool {
    let first = revision - history.count
    return seen >= max(0, revision - limits.history) && seen < first
  }
}
