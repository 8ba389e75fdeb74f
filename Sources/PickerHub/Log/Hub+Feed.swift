import PickerSession

/// Events of sessions, handed to the log when the entry that makes them has been applied.
extension Hub {
  /// Hands the session's new events to the log.
  ///
  /// - Returns: Whether the log takes them. If not, the session has been unloaded: loading it
  ///   derives the events again.
  func feed(_ hosted: HostedSession) -> Bool {
    feed(
      FeedRecord(
        events: hosted.session.takeEvents(), sequence: hosted.entryCount,
        previous: hosted.eventSequence), of: hosted)
  }

  /// Hands the event of the creation to the log.
  func feedCreation(of hosted: HostedSession) {
    let event = hosted.session.creationEvent
    _ = feed(FeedRecord(events: [event], sequence: 0, previous: FeedRecord.nothing), of: hosted)
  }

  /// Hands events to the log.
  func feed(_ record: FeedRecord, of hosted: HostedSession) -> Bool {
    guard log.feed(record, of: hosted.id) else {
      fail(hosted)
      return false
    }
    hosted.eventSequence = record.sequence
    return true
  }
}
