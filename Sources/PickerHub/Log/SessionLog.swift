package import CivilTime
package import PickerModel
package import PickerSession

/// One record of a session's log.
package enum LogRecord: Sendable {
  /// The first: the session exists.
  case created(SessionOrigin)
  case entry(LogEntry)
  /// The last: nothing of the session is done any more.
  case ended
}

extension LogRecord {
  /// Whether a log that has reached its maximum of bytes refuses the record. Time, leaving and the
  /// end of a session are always stored: they are small, and a session needs them to end.
  package var needsBudget: Bool {
    guard case .entry(let entry) = self else { return false }
    switch entry.body {
    case .command, .define, .note, .joined, .roleChanged, .returned: return true
    case .left, .tick: return false
    }
  }

  /// Bytes that the record takes while it is pending. A definition counts for nothing: its session
  /// holds the same one.
  package var byteCount: Int {
    switch self {
    case .created(let origin): 1024 + (origin.title?.utf8.count ?? 0)
    case .entry(let entry): entry.byteCount
    case .ended: 64
    }
  }
}

/// What became of a record that was appended.
package enum AppendOutcome: Sendable {
  /// It is stored, as firmly as this log stores anything.
  case stored
  /// The log answers later, by ``Hub/stored(_:of:at:)`` or ``Hub/lost(_:at:)``, in the order of the
  /// appends of a session.
  case pending
  /// It is not stored, because the session's log has reached its maximum of bytes.
  case full
  /// It is not stored, and will not be.
  case failed
  /// It is not stored: the log has grown to twice that, by time and leaving members alone. Nothing
  /// but the session's end can be appended.
  case exhausted
}

/// A session's state at a position of its log, so that folding it again need not begin at the
/// start.
package struct LogSnapshot: Sendable {
  /// How many entries are folded in it.
  package let entryCount: Int
  package let kept: SessionFold.StoredState
  /// Shows what members see in this state; `nil` where no checksum of it is wanted.
  package let picker: Picker?
  /// Nobody is in it: the session is evicted. It is reloaded without its history, which the hub
  /// reads when somebody resumes.
  package let isIdle: Bool
  /// The next instant at which the session may look different.
  package let nextTick: Instant?
  /// How long ago the last revision or join was.
  package let idleMilliseconds: Int64
  /// Entries since the snapshot before that need not be stored any more.
  package let spent: SpentEntries

  package init(
    entryCount: Int, kept: SessionFold.StoredState, picker: Picker? = nil, isIdle: Bool,
    nextTick: Instant?, idleMilliseconds: Int64, spent: SpentEntries = SpentEntries()
  ) {
    self.entryCount = entryCount
    self.kept = kept
    self.picker = picker
    self.isIdle = isIdle
    self.nextTick = nextTick
    self.idleMilliseconds = idleMilliseconds
    self.spent = spent
  }

  /// About the bytes that it takes while it is pending.
  package var byteCount: Int {
    let members = kept.members.reduce(0) { $0 + 256 + 64 * $1.refs.entries.count }
    return 1024 + members + 8 * (spent.dropped.count + spent.ticks.count)
  }
}

/// A session as it is reloaded from its log.
package struct LoadedSession: Sendable {
  package let fold: SessionFold
  /// How many entries are folded in it, compacted ones included.
  package let entryCount: Int
  /// How many of them the newest stored snapshot covers.
  package let snapshotEntryCount: Int
  /// Entries after that snapshot that the next one makes superfluous.
  package let spent: SpentEntries
  /// How long ago the last revision or join was.
  package let idleMilliseconds: Int64
  /// Whether the log has an idle snapshot after the last entry: as long as nothing is appended,
  /// another one would say the same.
  package let isSnapshotted: Bool

  package init(
    fold: SessionFold, entryCount: Int, snapshotEntryCount: Int = 0,
    spent: SpentEntries = SpentEntries(), idleMilliseconds: Int64, isSnapshotted: Bool = false
  ) {
    self.fold = fold
    self.entryCount = entryCount
    self.snapshotEntryCount = snapshotEntryCount
    self.spent = spent
    self.idleMilliseconds = idleMilliseconds
    self.isSnapshotted = isSnapshotted
  }
}

/// The one order in which the commands of a session happened, and where it is kept.
///
/// A command is appended; when the log says that it is in, it is applied, and only then does
/// anybody hear of it. So no member ever sees what a crash could take back.
/// - Source: architecture.md, property 2.
package protocol SessionLog: AnyObject {
  /// Whether a session can leave memory and be loaded again.
  var canLoad: Bool { get }
  func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome
  /// Stores a snapshot, and deletes the entries that it makes superfluous. A log that cannot store
  /// it after all reports the session as lost.
  ///
  /// - Returns: False if too many snapshots are pending already; another one may be tried later.
  func keep(_ snapshot: LogSnapshot, of session: SessionID) -> Bool
  /// Folds a session again; ``Hub/loaded(_:_:at:)`` follows.
  ///
  /// - Parameter hub: The number of the hub that asks: what it has loaded with the same definition
  ///   has one, and no other hub's sessions have that.
  func load(_ session: SessionID, limits: SessionLimits, hub: Int)
  /// Folds a session's log again for its deltas, and answers a page of them.
  ///
  /// - Parameter completion: Called on the hub's thread; `nil` when the log cannot be read.
  func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void)
}
