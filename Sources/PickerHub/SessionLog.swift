package import CivilTime
package import PickerSession

/// One record of a session's log.
package enum LogRecord: Sendable {
  /// The first: the session exists.
  case created(SessionOrigin)
  case entry(LogEntry)
  /// The last: nothing of the session is done any more.
  case ended
}

/// What becomes of a record that is appended.
package enum AppendOutcome: Sendable {
  /// It is in, as firmly as this log keeps anything.
  case stored
  /// The log says later, by ``Hub/stored(_:of:at:)`` or ``Hub/lost(_:at:)``, in the order of the
  /// appends of a session.
  case pending
  /// It is not in, and will not be. Later records may be.
  case failed
  /// It is not in: the log of this session has its maximum. Nothing but its end can be appended.
  case full
}

/// A session's state at a place of its log, so that folding it again need not begin at the start.
package struct LogSnapshot: Sendable {
  /// How many entries are folded in it.
  package let entryCount: Int
  package let kept: SessionFold.Kept
  /// Nobody is in it: the session leaves memory, and needs no history when it comes back.
  package let isIdle: Bool
  /// The next instant at which the session may look different.
  package let nextTick: Instant?
  /// How long ago the last revision or join was.
  package let idleMilliseconds: Int64

  package init(
    entryCount: Int, kept: SessionFold.Kept, isIdle: Bool, nextTick: Instant?,
    idleMilliseconds: Int64
  ) {
    self.entryCount = entryCount
    self.kept = kept
    self.isIdle = isIdle
    self.nextTick = nextTick
    self.idleMilliseconds = idleMilliseconds
  }
}

/// A session as it comes back from its log.
package struct LoadedSession: Sendable {
  package let fold: SessionFold
  /// How many entries are folded in it.
  package let entryCount: Int
  /// How long ago the last revision or join was.
  package let idleMilliseconds: Int64
  /// Whether the log has an idle snapshot after the last entry: as long as nothing is appended,
  /// another one would say the same.
  package let isSnapshotted: Bool

  package init(
    fold: SessionFold, entryCount: Int, idleMilliseconds: Int64, isSnapshotted: Bool = false
  ) {
    self.fold = fold
    self.entryCount = entryCount
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
  /// Keeps a snapshot, when it can; nothing is said about it.
  func keep(_ snapshot: LogSnapshot, of session: SessionID)
  /// Folds a session again; ``Hub/loaded(_:_:at:)`` follows.
  ///
  /// - Parameter hub: The number of the hub that asks: what it has loaded with the same definition
  ///   has one, and no other hub's sessions have that.
  func load(_ session: SessionID, limits: SessionLimits, hub: Int)
  /// Folds a session's whole log again for its deltas after a revision, up to another one.
  ///
  /// - Parameter completion: Called on the hub's thread; `nil` when the log cannot be read.
  func history(
    of origin: SessionOrigin, after: Int, through: Int, limits: SessionLimits,
    completion: @escaping @Sendable ([Delta]?) -> Void)
}
