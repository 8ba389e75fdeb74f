import JSONText
import PickerHub
import PickerModel
import PickerSession
import SessionLog

/// A log in memory that confirms records immediately or later in batches, and can be made to fail.
///
/// Confirmed records survive a crash. The checkers replay them.
final class SimulatedLog: SessionLog {
  /// The records of one session.
  struct StoredEntries {
    let origin: SessionOrigin
    /// The confirmed entries in order.
    var entries: [LogEntry] = []
    /// The records that were appended but not confirmed.
    var pending: [LogRecord] = []
    var snapshots: [LogSnapshot] = []
    /// The snapshot of the session without members; `nil` if a record was confirmed after it.
    var idle: LogSnapshot?
    /// The time of the last activity, in machine milliseconds: the last confirmation, or as
    /// reported by an idle snapshot.
    var activeAt: Int64 = 0
    var hasEnded = false
    /// Handed over, and not in the feed yet.
    var pendingEvents: [FeedRecord] = []
    /// The last entry whose events are in the feed.
    var eventSequence = FeedRecord.nothing
  }

  var sessions: [SessionID: StoredEntries] = [:]
  /// The newest version of each shared definition.
  var shared: [String: SharedDefinition] = [:]
  /// Whether it returns ``AppendOutcome/pending`` and confirms later.
  let isLate: Bool
  /// Whether sessions are evicted to it and reloaded from it.
  let canLoad: Bool
  /// Whether appending and loading fail at the moment.
  var isFailing = false
  var failureCount = 0
  /// Sessions that are being loaded.
  private(set) var loading: Set<SessionID> = []
  /// The events of all sessions that survive a crash.
  var feed: [FeedEvent] = []
  /// The machine's time, in milliseconds.
  var now: () -> Int64 = { 0 }
  /// Called when the first record of a session becomes pending.
  var pends: (SessionID) -> Void = { _ in }
  /// The pages of histories that were read but not yet passed to the hub.
  private(set) var readings: [() -> Void] = []
  /// Called when a page is added to ``readings``.
  var reads: () -> Void = {}
  /// Called when the hub requests a session.
  var loads: (SessionID) -> Void = { _ in }

  init(isLate: Bool, canLoad: Bool) {
    self.isLate = isLate
    self.canLoad = canLoad
  }

  func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    if isFailing {
      failureCount += 1
      return .failed
    }
    if case .created(let origin, _, _) = record {
      sessions[session] = StoredEntries(origin: origin)
    }
    guard isLate || sessions[session]?.pending.isEmpty == false else {
      store(record, of: session)
      return .stored
    }
    sessions[session]?.pending.append(record)
    if sessions[session]?.pending.count == 1 { pends(session) }
    return .pending
  }

  /// Confirms the first `count` pending records of a session.
  func confirm(_ count: Int, of session: SessionID) {
    if count > 0 { storeEvents(of: session) }
    for _ in 0..<count {
      guard let record = sessions[session]?.pending.removeFirst() else { return }
      store(record, of: session)
    }
  }

  func pendingCount(of session: SessionID) -> Int { sessions[session]?.pending.count ?? 0 }

  func noteVisit(of session: SessionID) { sessions[session]?.activeAt = now() }

  private func store(_ record: LogRecord, of session: SessionID) {
    sessions[session]?.activeAt = now()
    sessions[session]?.idle = nil
    switch record {
    case .created(_, let event, _):
      if let event { feed.append(event) }
      sessions[session]?.eventSequence = 0
    case .entry(let entry): sessions[session]?.entries.append(entry)
    case .ended(let event):
      sessions[session]?.hasEnded = true
      if let event { feed.append(event) }
    }
  }

  /// Drops all pending records.
  ///
  /// - Returns: The sessions that lost records, sorted.
  func loseAll() -> [SessionID] {
    let lost = sessions.filter { !$0.value.pending.isEmpty || !$0.value.pendingEvents.isEmpty }.keys
      .sorted { $0.text < $1.text }
    for session in lost {
      sessions[session]?.pendingEvents = []
      if case .created? = sessions[session]?.pending.first {
        sessions[session] = nil
      } else {
        sessions[session]?.pending = []
      }
    }
    failureCount += lost.count
    return lost
  }
}

/// Snapshots, loading and histories.
extension SimulatedLog {
  func store(_ snapshot: LogSnapshot, of session: SessionID) -> Bool {
    guard canLoad else { return true }
    storeEvents(of: session)
    sessions[session]?.snapshots.append(snapshot)
    guard snapshot.isIdle else { return true }
    sessions[session]?.idle = snapshot
    sessions[session]?.activeAt = now() - snapshot.idleMilliseconds
    return true
  }

  func load(_ session: SessionID, limits: SessionLimits, hub: Int) {
    precondition(canLoad, "a log without eviction has no sessions to load")
    precondition(loading.insert(session).inserted, "a session is loaded once at a time")
    loads(session)
  }

  /// Restores a session from a snapshot that is old enough to rebuild the history, and applies the
  /// entries after it.
  ///
  /// - Returns: `nil` if the log is failing or has no such session.
  func finishLoading(_ session: SessionID, limits: SessionLimits) -> LoadedSession? {
    loading.remove(session)
    if isFailing {
      failureCount += 1
      return nil
    }
    guard let stored = sessions[session], !stored.hasEnded else { return nil }
    guard var fold = try? SessionFold(stored.origin, limits: limits) else { return nil }
    var firstIndex = 0
    if let start = start(of: stored, limits) {
      fold = SessionFold(stored.origin, limits: limits, state: start.state)
      firstIndex = start.entryCount
    }
    let missed = missedEvents(&fold, stored.entries[firstIndex...], after: stored.eventSequence)
    var loaded = LoadedSession(
      fold: fold, entryCount: stored.entries.count, idleMilliseconds: now() - stored.activeAt,
      isSnapshotted: stored.snapshots.last.map {
        $0.isIdle && $0.entryCount == stored.entries.count
      } ?? false, eventSequence: stored.eventSequence, missed: missed)
    loaded.step = step(of: fold)
    return loaded
  }

  private func step(of fold: SessionFold) -> SharedStep? {
    guard let state = fold.shared, let newest = fold.origin.uses.flatMap({ shared[$0.name] }),
      newest.version > state.version
    else { return nil }
    return SharedStep(to: newest, from: fold.definition, fold.notes, state) {
      tree throws(DefinitionProblem) in
      try Definition.make(from: tree) { SimulatedZones().rules(named: $0) }
    }
  }

  func shared(
    _ name: String, hub: Int,
    completion: @escaping @Sendable (LogLookup<SharedDefinition>) -> Void
  ) { completion(shared[name].map { .found($0) } ?? .absent) }

  private func start(of stored: StoredEntries, _ limits: SessionLimits) -> LogSnapshot? {
    guard let newest = stored.snapshots.last else { return nil }
    if newest.isIdle { return newest }
    let revision = newest.state.facts.revision - limits.history
    return stored.snapshots.last { $0.state.facts.revision <= revision }
  }

  /// The sessions that a restarted process finds.
  var dormant: [DormantSession] {
    sessions.values.filter { !$0.hasEnded }.sorted { $0.origin.id.text < $1.origin.id.text }.map {
      DormantSession(
        id: $0.origin.id, ttlSeconds: $0.origin.ttlSeconds,
        idleMilliseconds: now() - $0.activeAt, nextTick: $0.idle?.nextTick,
        hasMembers: $0.idle == nil, status: $0.idle?.state.facts.status)
    }
  }

  /// Drops the requests of a process that was killed.
  func forgetLoading() { (loading, readings) = ([], []) }

  func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void
  ) {
    // Short pages, so that a history has several.
    let entries = sessions[position.origin.id]?.entries ?? []
    let page = HistoryPage.read(from: position, entries, deltaCountMax: 3)
    readings.append { completion(page) }
    reads()
  }

  /// Passes the oldest page to the hub; nothing if there is none.
  func finishReading() {
    if !readings.isEmpty { readings.removeFirst()() }
  }
}

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
