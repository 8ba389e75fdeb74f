import PickerHub
import PickerSession

/// A record that is pending for a store's next batch.
enum StoreRecord: Sendable {
  case log(LogRecord, SessionID)
  case snapshot(EncodedSnapshot, SessionID)
  case feed(FeedRecord, SessionID)

  /// The memory that it takes while it is pending, in bytes, an estimate.
  var byteCount: Int {
    switch self {
    case .log(let record, _): 64 + record.byteCount
    case .snapshot(let snapshot, _): snapshot.byteCount
    case .feed(let record, _): record.byteCount
    }
  }

  var session: SessionID {
    switch self {
    case .log(_, let session), .snapshot(_, let session), .feed(_, let session): session
    }
  }
}

extension [StoreRecord] {
  /// The number of log records per session, in the order of the sessions' first records.
  ///
  /// - Parameter outcomes: Those of undecided entries.
  func committed(
    _ outcomes: [SessionID: [InventoryOutcome]]
  ) -> [(session: SessionID, count: Int, outcomes: [InventoryOutcome])] {
    var parts: [(session: SessionID, count: Int, outcomes: [InventoryOutcome])] = []
    var places: [SessionID: Int] = [:]
    for case .log(_, let session) in self {
      if let place = places[session] {
        parts[place].count += 1
      } else {
        places[session] = parts.count
        parts.append((session, 1, outcomes.isEmpty ? [] : outcomes[session] ?? []))
      }
    }
    return parts
  }

  /// The sessions of the records, each once.
  var sessions: [SessionID] {
    var known: Set<SessionID> = []
    return compactMap { known.insert($0.session).inserted ? $0.session : nil }
  }
}
