/// The feed: the hub passes the events of an entry to the log after it has applied the entry.
extension Hub {
  /// Passes the events of the last applied entry to the log.
  ///
  /// - Returns: Whether the log has accepted them. If not, the session was unloaded, and its reload
  ///   derives the events again.
  func feed(_ hosted: HostedSession) -> Bool {
    feed(
      FeedRecord(
        events: hosted.session.takeEvents(), sequence: hosted.log.entryCount,
        previous: hosted.log.eventSequence, status: hosted.session.status),
      of: hosted)
  }

  /// Passes events to the log.
  func feed(_ record: FeedRecord, of hosted: HostedSession) -> Bool {
    if log.feed(record, of: hosted) { return true }
    fail(hosted)
    return false
  }
}
