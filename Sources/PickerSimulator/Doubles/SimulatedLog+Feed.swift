import PickerHub
import PickerSession

/// The feed: events are handed over, stored later, and derived again when they are lost.
extension SimulatedLog {
  func feed(_ record: FeedRecord, of session: SessionID) -> Bool {
    // A session that cannot be loaded again could not derive its events again.
    if isFailing && canLoad {
      failureCount += 1
      return false
    }
    sessions[session]?.pendingEvents.append(record)
    if !isLate || !canLoad { storeEvents(of: session) }
    return true
  }

  /// Stores the events that were handed over for a session, each once.
  func storeEvents(of session: SessionID) {
    guard let entries = sessions[session] else { return }
    for record in entries.pendingEvents {
      let eventSequence = sessions[session]?.eventSequence ?? FeedRecord.nothing
      precondition(record.previous <= eventSequence, "events before are stored first")
      guard record.sequence > eventSequence else { continue }
      feed += record.events
      sessions[session]?.eventSequence = record.sequence
    }
    sessions[session]?.pendingEvents = []
  }

  /// Folds entries, and derives the events that the feed does not have.
  func missedEvents(
    _ fold: inout SessionFold, _ entries: ArraySlice<LogEntry>, after eventSequence: Int
  ) -> [FeedRecord] {
    var missed = FeedRecord.Missed(after: eventSequence)
    missed.add(creationEvents(of: fold.origin), sequence: 0, status: .open)
    for (index, entry) in zip(entries.indices, entries) {
      let now = fold.time(of: entry)
      let events = fold.apply(entry).compactMap { fold.event(of: $0, at: now) }
      missed.add(events, sequence: index + 1, status: fold.status)
    }
    return missed.records
  }

  private func creationEvents(of origin: SessionOrigin) -> [FeedEvent] {
    (try? SessionFold(origin)).map { [$0.creationEvent] } ?? []
  }
}
