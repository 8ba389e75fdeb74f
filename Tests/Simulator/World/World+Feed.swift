import PickerHub
import PickerSession

/// What is checked of the feed: it has every event of the logs once, in order.
extension World {
  /// Called when everything has come to rest, and again when every session has ended.
  func checkFeed() {
    for record in records { log.storeEvents(of: record.id) }
    let events = Dictionary(grouping: log.feed, by: \.session)
    if Set(log.feed.map(\.identity)).count != log.feed.count {
      breach("no event is in the feed twice")
    }
    for record in records {
      guard let stored = log.sessions[record.id] else { continue }
      check(events[record.id] ?? [], of: stored)
    }
  }

  private func check(_ events: [FeedEvent], of stored: SimulatedLog.StoredEntries) {
    guard var fold = try? SessionFold(stored.origin, limits: profile.limits.session) else { return }
    var expected = [fold.creationEvent]
    for entry in stored.entries {
      let now = fold.time(of: entry)
      expected += fold.apply(entry).compactMap { fold.event(of: $0, at: now) }
    }
    guard stored.hasEnded else {
      if events != expected {
        breach("the feed has \(events.map(\.type)) of \(expected.map(\.type))")
      }
      return
    }
    // Entries that waited for the log when the end was accepted are not done any more.
    if events.last?.type != .ended || events.filter({ $0.type == .ended }).count != 1
      || !expected.starts(with: events.dropLast())
    {
      breach("the feed has \(events.map(\.type)) of \(expected.map(\.type)) and the end")
    }
  }
}
