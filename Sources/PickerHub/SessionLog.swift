package import CivilTime
import JSONText
package import PickerModel
package import PickerSession

/// A record of a session's log: `created` first, then entries, `ended` last.
package enum LogRecord: Sendable {
  /// The log writes the event in the transaction that creates the session. With several nodes it
  /// belongs to none then; one claims it at `nextTick`, if nobody asks for it before.
  ///
  /// Indirect, because an origin is four times as large as an entry.
  indirect case created(SessionOrigin, event: FeedEvent? = nil, nextTick: Instant? = nil)
  case entry(LogEntry)
  /// The log writes the event in the transaction that removes the session; `nil` for a session that
  /// could not be read.
  case ended(FeedEvent?)
}

extension LogRecord {
  /// Whether a log or a store that has reached its maximum size refuses the record, see
  /// ``LogEntry/Facts/needsBudget``.
  package var needsBudget: Bool {
    switch self {
    case .created: true
    case .entry(let entry): entry.facts.needsBudget
    case .ended: false
    }
  }

  /// The memory that the record takes while it is pending, in bytes, an estimate. A definition is
  /// not counted, because the session shares it.
  package var byteCount: Int {
    switch self {
    case .created(let origin, let event, _):
      1024 + (origin.title?.tree.serialized().count ?? 0) + origin.notes.byteCount
        + (event?.byteCount ?? 0)
    case .entry(let entry): entry.facts.byteCount
    case .ended(let event): 64 + (event?.byteCount ?? 0)
    }
  }
}

/// The outcome of appending a record.
package enum AppendOutcome: Sendable {
  /// Stored, as durably as this log stores anything. A log whose earlier record of the session is
  /// still pending answers ``pending``: a step behind others waits for a report.
  case stored
  /// The outcome follows by ``Hub/committed(_:of:at:)``, ``Hub/refused(_:at:)``,
  /// ``Hub/lost(_:at:)`` or ``Hub/taken(_:at:)``. The log reports the records of a session in the
  /// order of their appends.
  case pending
  /// Not stored: the session's log has reached its maximum size.
  case full
  /// Not stored: the store of all sessions has reached its maximum size.
  case storeFull
  /// Not stored: the log is unavailable.
  case failed
  /// Not stored: the session's log has reached twice its maximum size, by ticks and leaving
  /// members. Only the session's end can still be appended.
  case exhausted
}

/// A session's state after some entries of its log. A reload starts from it instead of the first
/// entry.
package struct LogSnapshot: Sendable {
  /// The epoch of the session.
  package let epoch: String
  /// The number of entries that it covers.
  package let entryCount: Int
  package let state: SessionFold.StoredState
  /// The picker in this state, for a checksum of what members see.
  package let picker: Picker
  /// Whether the session is about to be evicted. Such a session is reloaded without its history;
  /// the hub reads that when a client resumes.
  package let isIdle: Bool
  /// The next instant at which time changes the picker.
  package let nextTick: Instant?
  /// The time since the last revision or join.
  package let idleMilliseconds: Int64
  /// Entries since the previous snapshot that this one makes superfluous.
  package let spent: SpentEntries
  /// The last of the covered entries that has events. The snapshot must not be stored before them:
  /// they could not be derived again.
  package let eventSequence: Int

  package init(
    epoch: String, entryCount: Int, state: SessionFold.StoredState, picker: Picker,
    isIdle: Bool, nextTick: Instant?, idleMilliseconds: Int64,
    spent: SpentEntries = SpentEntries(), eventSequence: Int = FeedRecord.nothing
  ) {
    self.epoch = epoch
    self.entryCount = entryCount
    self.state = state
    self.picker = picker
    self.isIdle = isIdle
    self.nextTick = nextTick
    self.idleMilliseconds = idleMilliseconds
    self.spent = spent
    self.eventSequence = eventSequence
  }

  /// The memory that it takes while it is pending, in bytes, an estimate.
  package var byteCount: Int {
    let members = state.facts.members.values.reduce(0) {
      $0 + 256 + 64 * $1.refs.entries.count
    }
    return 1024 + members + 8 * (spent.dropped.count + spent.ticks.count)
  }
}

/// A session that was reloaded from its log.
package struct LoadedSession: Sendable {
  package let fold: SessionFold
  /// The number of entries of its log, compacted ones included.
  package let entryCount: Int
  /// The number of entries that the newest stored snapshot covers.
  package let snapshotEntryCount: Int
  /// Entries after that snapshot that the next one makes superfluous.
  package let spent: SpentEntries
  /// The time since the last revision or join.
  package let idleMilliseconds: Int64
  /// Whether the log has an idle snapshot after the last entry: until the next append, another one
  /// would be identical.
  package let isSnapshotted: Bool
  /// The last entry whose events the feed has.
  package let eventSequence: Int
  /// The events of later entries, one record per entry that has some.
  package let missed: [FeedRecord]
  /// What changes because its shared definition has a version that the session has not got.
  package var step: SharedStep?

  package init(
    fold: SessionFold, entryCount: Int, snapshotEntryCount: Int = 0,
    spent: SpentEntries = SpentEntries(), idleMilliseconds: Int64, isSnapshotted: Bool = false,
    eventSequence: Int = FeedRecord.nothing, missed: [FeedRecord] = [], step: SharedStep? = nil
  ) {
    self.fold = fold
    self.entryCount = entryCount
    self.snapshotEntryCount = snapshotEntryCount
    self.spent = spent
    self.idleMilliseconds = idleMilliseconds
    self.isSnapshotted = isSnapshotted
    self.eventSequence = eventSequence
    self.missed = missed
    self.step = step
  }
}

/// The storage of all sessions' logs. The log of a session defines the order of its commands.
///
/// The hub applies an entry, and broadcasts its delta, only when the log has stored it. So a crash
/// cannot undo anything that a member has seen. Every function is called on the hub's thread.
/// - Source: ARCHITECTURE.md, invariant 2.
package protocol SessionLog: AnyObject {
  /// Whether ``load(_:limits:hub:)`` works: only then sessions are evicted from memory.
  var canLoad: Bool { get }
  /// Appends a record.
  func append(_ record: consuming LogRecord, of session: SessionID) -> AppendOutcome
  /// Adds events to the feed, after everything that was appended and added before. If storing fails
  /// later, the log reports the session as lost; loading it derives the events again.
  ///
  /// - Returns: `false` if nothing can be stored now.
  func feed(_ record: FeedRecord, of session: SessionID) -> Bool
  /// Stores a snapshot, and deletes the entries that it makes superfluous. If storing fails later,
  /// the log reports the session as lost.
  ///
  /// - Returns: `false` if too many snapshots are pending; the hub may try again later.
  func store(_ snapshot: LogSnapshot, of session: SessionID) -> Bool
  /// Reloads a session; ``Hub/loaded(_:_:at:)`` follows. In a shared log this node owns the session
  /// from then on, until ``released(_:)`` or ``Hub/taken(_:at:)``, unless another node does.
  ///
  /// - Parameter hub: The index of the calling hub. Sessions of one hub share equal definitions;
  ///   sessions of different hubs, which have different threads, do not.
  func load(_ session: SessionID, limits: SessionLimits, hub: Int)
  /// Reads a page of a session's deltas by applying its entries again.
  ///
  /// - Parameter completion: Called on the hub's thread; `nil` if the log cannot be read.
  func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void)
  /// Reads the newest version of a shared definition.
  ///
  /// - Parameters:
  ///   - hub: The index of the calling hub.
  ///   - completion: Called on the hub's thread. Default: there is none.
  func shared(
    _ name: String, hub: Int,
    completion: @escaping @Sendable (LogLookup<SharedDefinition>) -> Void)
  /// Stores the current time, soon, as that of the session's last join. An entry does so, too, but
  /// a member that resumes has none. Default: stores nothing.
  func noteVisit(of session: SessionID)

  /// Whether other nodes own sessions of the same log. Only then the hub calls the functions below;
  /// otherwise it knows all sessions.
  var isShared: Bool { get }
  /// What all nodes have in the log, as far as this one knows. Can be called on any thread. `nil`:
  /// the hubs know all sessions and keys.
  var sharedCount: SharedCount? { get }
  /// Whether no other node can have become the owner of a session of this one. If it may have, a
  /// session in memory may be out of date: then the hub calls ``confirm(_:completion:)`` before it
  /// reads it.
  var isCertain: Bool { get }
  /// Waits for a commit, which shows whether this node still owns its sessions;
  /// ``Hub/taken(_:at:)`` comes before the completion.
  ///
  /// - Parameter completion: Called on the hub's thread.
  func confirm(
    _ session: SessionID, completion: @escaping @Sendable (_ isConfirmed: Bool) -> Void)
  /// Looks up a session that the hub does not know.
  func find(
    _ session: SessionID, completion: @escaping @Sendable (LogLookup<DormantSession>) -> Void)
  /// Looks up the session that has the external id or the idempotency key of a creation.
  ///
  /// - Parameter hub: The index of the calling hub.
  func find(
    _ names: SessionIndex.Names, hub: Int,
    completion: @escaping @Sendable (LogLookup<NameOwner>) -> Void)
  /// Reads a page of the list of sessions; ``LogLookup/absent`` is not used.
  ///
  /// - Parameter hub: The index of the calling hub.
  func list(
    _ query: SessionListQuery, hub: Int,
    completion: @escaping @Sendable (LogLookup<SessionListPage>) -> Void)
  /// Reads a session that another node owns.
  ///
  /// - Parameters:
  ///   - hub: The index of the calling hub.
  ///   - completion: Called on the hub's thread; `nil` if it cannot be read.
  func describe(
    _ session: SessionID, limits: SessionLimits, hub: Int,
    completion: @escaping @Sendable (SessionFold?) -> Void)
  /// The hub has removed the session from memory: any node may own it.
  func released(_ session: SessionID)
}

/// The defaults are those of a log that a single process uses.
extension SessionLog {
  package func noteVisit(of session: SessionID) {}

  package func shared(
    _ name: String, hub: Int,
    completion: @escaping @Sendable (LogLookup<SharedDefinition>) -> Void
  ) { completion(.absent) }

  package var isShared: Bool { false }
  package var sharedCount: SharedCount? { nil }
  package var isCertain: Bool { true }

  package func confirm(
    _ session: SessionID, completion: @escaping @Sendable (_ isConfirmed: Bool) -> Void
  ) { completion(true) }

  package func describe(
    _ session: SessionID, limits: SessionLimits, hub: Int,
    completion: @escaping @Sendable (SessionFold?) -> Void
  ) { completion(nil) }

  package func find(
    _ session: SessionID, completion: @escaping @Sendable (LogLookup<DormantSession>) -> Void
  ) { completion(.absent) }

  package func find(
    _ names: SessionIndex.Names, hub: Int,
    completion: @escaping @Sendable (LogLookup<NameOwner>) -> Void
  ) { completion(.absent) }

  package func list(
    _ query: SessionListQuery, hub: Int,
    completion: @escaping @Sendable (LogLookup<SessionListPage>) -> Void
  ) { completion(.absent) }

  package func released(_ session: SessionID) {}
}

/// What several nodes have created in a log.
package struct SharedCount: Hashable, Sendable {
  /// Sessions that have not ended.
  package var sessions: Int
  /// Idempotency keys.
  package var keys: Int

  package init(sessions: Int = 0, keys: Int = 0) {
    self.sessions = sessions
    self.keys = keys
  }

  package static func += (one: inout SharedCount, other: SharedCount) { one = one + other }

  package static func -= (one: inout SharedCount, other: SharedCount) {
    one.sessions -= other.sessions
    one.keys -= other.keys
  }

  package static func + (one: SharedCount, other: SharedCount) -> SharedCount {
    SharedCount(sessions: one.sessions + other.sessions, keys: one.keys + other.keys)
  }
}

/// The outcome of looking something up in a log.
package enum LogLookup<Found: Sendable>: Sendable {
  case found(Found)
  /// It does not exist, or has ended.
  case absent
  /// Another node owns the session, and is alive.
  case elsewhere
  /// The log cannot be read now.
  case unavailable
  /// What is stored cannot be read.
  case unreadable

  /// What was found, if anything.
  package var value: Found? { if case .found(let value) = self { value } else { nil } }
}

/// The owner of a name of a creation.
package enum NameOwner: Sendable {
  /// A living session has the external id.
  case session(SessionID)
  /// A session was created with the idempotency key.
  case key(CreationKey)
}

/// A request for a page of the list of sessions.
package struct SessionListQuery: Hashable, Sendable {
  /// Only the session with this external id, if any.
  package let external: String?
  /// Only sessions with this status, if any.
  package let status: SessionStatus?
  /// Only sessions of this namespace, if any.
  package let namespace: String?
  /// Only sessions that use this shared definition, if any.
  package let uses: String?
  /// Only sessions with a greater ordinal; 0: from the first one.
  package let after: Int64
  /// The maximum number of sessions.
  package let limit: Int

  package init(
    external: String?, status: SessionStatus?, namespace: String? = nil, uses: String? = nil,
    after: Int64, limit: Int
  ) {
    self.external = external
    self.namespace = namespace
    self.uses = uses
    self.status = status
    self.after = after
    self.limit = limit
  }
}

/// A page of the list of sessions, in the order of their ordinals.
package struct SessionListPage: Sendable {
  package let sessions: [SessionIndex.Entry]
  /// The cursor of the next page; `nil` after the last one.
  package let next: Int64?

  package init(sessions: [SessionIndex.Entry], next: Int64?) {
    self.sessions = sessions
    self.next = next
  }
}

/// The events of one entry of a session's log.
///
/// A session has a mark: the last entry whose events are in the feed. The store adds the events and
/// advances the mark in one transaction, so that a crash neither loses nor duplicates events.
package struct FeedRecord: Sendable {
  package let events: [FeedEvent]
  /// The sequence number of the entry; 0 for the creation. The mark advances to it.
  package let sequence: Int
  /// The mark that the record needs, or a later one: that of the record before it. If that record
  /// was lost, this one must not be stored either.
  package let previous: Int
  /// The status after the entry, for the list of sessions of a shared log. Each change of the
  /// status has an event.
  package let status: SessionStatus?

  /// The mark of a session whose creation the feed does not have.
  package static let nothing = -1

  package init(
    events: [FeedEvent], sequence: Int, previous: Int, status: SessionStatus? = nil
  ) {
    self.events = events
    self.sequence = sequence
    self.previous = previous
    self.status = status
  }

  /// The memory that it takes while it is pending, in bytes, an estimate.
  package var byteCount: Int { events.reduce(64) { $0 + $1.byteCount } }

  /// The records of the entries of a session that are not in the feed.
  package struct Missed {
    package private(set) var records: [FeedRecord] = []
    private var previous: Int

    /// - Parameter previous: The mark of the session.
    package init(after previous: Int) { self.previous = previous }

    /// Adds the record of an entry, if it has events and the feed lacks them.
    package mutating func add(_ events: [FeedEvent], sequence: Int, status: SessionStatus) {
      guard sequence > previous, !events.isEmpty else { return }
      records.append(
        FeedRecord(events: events, sequence: sequence, previous: previous, status: status))
      previous = sequence
    }
  }
}
