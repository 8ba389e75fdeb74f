import PickerHub
import PickerSession

/// A log in memory that stores immediately or deferred and fails, as the input decides.
final class FuzzLog: SessionLog {
  struct Stored {
    let origin: SessionOrigin
    var entries: [LogEntry] = []
    var snapshot: LogSnapshot?
    var hasEnded = false
  }

  var stored: [SessionID: Stored] = [:]
  private(set) var pending: [SessionID: [LogRecord]] = [:]
  /// Sessions that are being loaded.
  private(set) var loads: [SessionID] = []
  /// Whether records are stored deferred.
  let isLate: Bool
  let canLoad: Bool
  /// Whether all operations fail.
  var isFailing = false

  init(isLate: Bool, canLoad: Bool) {
    self.isLate = isLate
    self.canLoad = canLoad
  }

  func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    if isFailing { return .failed }
    guard isLate else {
      store(record, of: session)
      return .stored
    }
    pending[session, default: []].append(record)
    return .pending
  }

  private func store(_ record: LogRecord, of session: SessionID) {
    switch record {
    case .created(let origin, _, _): stored[session] = Stored(origin: origin)
    case .entry(let entry): stored[session]?.entries.append(entry)
    case .ended: stored[session]?.hasEnded = true
    }
  }

  /// Sessions with pending records, in a deterministic order.
  var late: [SessionID] { pending.keys.sorted { $0.text < $1.text } }

  /// Stores the first pending records.
  ///
  /// - Returns: Their number.
  func confirm(_ count: Int, of session: SessionID) -> Int {
    let records = pending[session, default: []]
    for record in records.prefix(count) { store(record, of: session) }
    let left = Array(records.dropFirst(count))
    pending[session] = left.isEmpty ? nil : left
    return min(count, records.count)
  }

  /// Drops all pending records.
  func lose() -> [SessionID] {
    defer { pending = [:] }
    return late
  }

  func feed(_ record: FeedRecord, of session: SessionID) -> Bool { !isFailing }

  func store(_ snapshot: LogSnapshot, of session: SessionID) -> Bool {
    if snapshot.isIdle { stored[session]?.snapshot = snapshot }
    return true
  }

  func load(_ session: SessionID, limits: SessionLimits, hub: Int) { loads.append(session) }

  /// The result of the first pending load.
  func finishLoad(_ limits: SessionLimits) -> (session: SessionID, loaded: LoadedSession?)? {
    guard !loads.isEmpty else { return nil }
    let session = loads.removeFirst()
    guard !isFailing, let log = stored[session], !log.hasEnded,
      var fold = try? SessionFold(log.origin, limits: limits)
    else { return (session, nil) }
    var firstIndex = 0
    if let snapshot = log.snapshot {
      fold = SessionFold(log.origin, limits: limits, state: snapshot.state)
      firstIndex = snapshot.entryCount
    }
    for entry in log.entries[firstIndex...] { _ = fold.apply(entry) }
    return (
      session, LoadedSession(fold: fold, entryCount: log.entries.count, idleMilliseconds: 0)
    )
  }

  func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void
  ) {
    guard !isFailing else { return completion(nil) }
    var fold = position.fold
    var deltas: [Delta] = []
    for entry in (stored[position.origin.id]?.entries ?? []).dropFirst(position.sequence) {
      for case .delta(let delta) in fold.apply(entry)
      where delta.revision > position.after && delta.revision <= position.through {
        deltas.append(delta)
      }
    }
    completion(HistoryPage(deltas: deltas, next: nil))
  }
}
