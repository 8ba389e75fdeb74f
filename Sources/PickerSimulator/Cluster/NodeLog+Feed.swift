import PickerHub
import PickerSession

/// The feed: a node stores the events of its own entries soon, and those of other nodes' entries
/// only if those nodes have not done so for some seconds.
extension NodeLog {
  func feed(_ record: FeedRecord, of session: SessionID) -> Bool {
    waitingEvents[session, default: []].append(record)
    later(record.isOwn ? 1...60 : 5000...8000) { $0.storeEvents(of: session) }
    return true
  }

  /// Stores the events that wait for a session in one transaction, which can fail or have an
  /// unknown outcome.
  private func storeEvents(of session: SessionID) {
    guard let records = waitingEvents.removeValue(forKey: session) else { return }
    let fate = shared.isTroubled ? shared.random.below(30) : 2
    if fate == 0 { return lose(session) }
    var isComplete = true
    for record in records where !shared.feed(record, of: session) { isComplete = false }
    if fate == 1 || !isComplete { lose(session) }
  }

  /// Folds the entries of a session, and derives the events that the feed does not have.
  func missedEvents(_ fold: inout SessionFold, _ stored: SharedLog.Stored) -> [FeedRecord] {
    var missed = FeedRecord.Missed(after: stored.eventSequence)
    missed.add([fold.creationEvent], sequence: 0, status: .open)
    for (index, entry) in stored.entries.enumerated() {
      let events = fold.apply(entry.entry).compactMap { fold.event(of: $0, at: entry.entry.at) }
      missed.add(events, sequence: index + 1, status: fold.status)
    }
    return missed.records
  }
}
