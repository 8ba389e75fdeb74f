import PickerHub
import PickerSession
import SessionLog

/// A log that passes everything to another one.
class ForwardingLog: SessionLog {
  let log: any SessionLog

  init(_ log: any SessionLog) { self.log = log }

  func append(_ record: consuming LogRecord, of session: SessionID) -> AppendOutcome {
    log.append(record, of: session)
  }

  var canLoad: Bool { log.canLoad }
  var isClustered: Bool { log.isClustered }
  var clusterCount: ClusterCount? { log.clusterCount }
  func feed(_ record: FeedRecord, of session: SessionID) -> Bool { log.feed(record, of: session) }
  func store(_ snapshot: LogSnapshot, of session: SessionID) -> Bool {
    log.store(snapshot, of: session)
  }
  func load(_ session: SessionID, limits: SessionLimits, hub: Int) {
    log.load(session, limits: limits, hub: hub)
  }
  func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void
  ) { log.history(from: position, completion: completion) }
  func shared(
    _ name: String, hub: Int,
    completion: @escaping @Sendable (LogLookup<SharedDefinition>) -> Void
  ) { log.shared(name, hub: hub, completion: completion) }
  func inventory(
    _ name: String, since number: Int?, places: Int?, of sessions: [SessionID], hub: Int,
    completion: @escaping @Sendable (LogLookup<InventoryChange>) -> Void
  ) {
    log.inventory(
      name, since: number, places: places, of: sessions, hub: hub, completion: completion)
  }
  func noteVisit(of session: SessionID) { log.noteVisit(of: session) }
  func find(
    _ session: SessionID, completion: @escaping @Sendable (LogLookup<DormantSession>) -> Void
  ) { log.find(session, completion: completion) }
  func find(
    _ names: SessionIndex.Names, hub: Int,
    completion: @escaping @Sendable (LogLookup<NameOwner>) -> Void
  ) { log.find(names, hub: hub, completion: completion) }
  func released(_ session: SessionID) { log.released(session) }
  func list(
    _ query: SessionListQuery, hub: Int,
    completion: @escaping @Sendable (LogLookup<SessionListPage>) -> Void
  ) { log.list(query, hub: hub, completion: completion) }
}

/// A log that takes an entry for stored as soon as it is appended.
final class EagerLog: ForwardingLog {
  override func append(
    _ record: consuming LogRecord, of session: SessionID
  ) -> AppendOutcome {
    let isEntry = if case .entry = record { true } else { false }
    let outcome = super.append(record, of: session)
    return isEntry && outcome == .pending ? .stored : outcome
  }
}

/// What a log in memory was given, for the checkers: it deletes what makes no deltas.
final class MemoryJournal {
  struct Stored {
    let origin: SessionOrigin
    var entries: [LogEntry] = []
    var events: [FeedEvent] = []
    var hasEnded = false
  }

  var sessions: [SessionID: Stored] = [:]
  /// Called when something was appended for a session.
  var appended: (SessionID) -> Void = { _ in }
}

/// A log in memory with a journal.
final class JournaledLog: ForwardingLog {
  private let journal: MemoryJournal

  init(_ log: MemorySessionLog, _ journal: MemoryJournal) {
    self.journal = journal
    super.init(log)
  }

  override func append(_ record: consuming LogRecord, of session: SessionID) -> AppendOutcome {
    let copy = copy record
    let outcome = super.append(record, of: session)
    switch outcome {
    case .stored, .decided: break
    case .pending, .full, .storeFull, .failed, .exhausted: return outcome
    }
    switch copy {
    case .created(let origin, let event, _):
      journal.sessions[session] = MemoryJournal.Stored(origin: origin)
      if let event { journal.sessions[session]?.events.append(event) }
    case .entry(var entry):
      if case .decided(let outcome) = outcome { entry = entry.decided(outcome) }
      journal.sessions[session]?.entries.append(entry)
    case .ended(let event, _):
      journal.sessions[session]?.hasEnded = true
      if let event { journal.sessions[session]?.events.append(event) }
    }
    journal.appended(session)
    return outcome
  }

  override func feed(_ record: FeedRecord, of session: SessionID) -> Bool {
    journal.sessions[session]?.events += record.events
    return super.feed(record, of: session)
  }
}
