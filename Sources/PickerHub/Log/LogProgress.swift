import PickerSession

/// The minimum of entries between two snapshots of a session.
private let snapshotInterval = 500

/// The minimum of entries between two snapshots per member: a snapshot contains the refs of all
/// members, and must not cost more than the entries that it covers.
private let snapshotIntervalPerMember = 16

/// The entries after which the minimum of time does not count: a reload replays them.
private let snapshotIntervalMax = 10_000

/// The minimum of time between two snapshots of a session, in milliseconds: a busy session would
/// make several a second, each of which costs as much as hundreds of entries.
private let snapshotMilliseconds: Int64 = 1000

/// How far a session has come in its log: the entries applied, the entries that the last snapshot
/// covers, and the entries whose events the feed has.
///
/// Invariants: ``snapshotEntryCount`` and ``eventSequence`` are at most ``entryCount``; the caller
/// reports each entry when it is applied, in log order. The functions of ``SessionLog`` below are
/// the only code that reports snapshots, events and a full log.
struct LogProgress {
  /// The number of entries of the log that have been applied.
  private(set) var entryCount = 0
  /// The number of entries that the last snapshot covers.
  private(set) var snapshotEntryCount = 0
  /// The ``entryCount`` at which the log has an idle snapshot, if any.
  private var idleSnapshotEntryCount: Int?
  /// The time of the last snapshot that this process has made, in milliseconds of the machine's
  /// clock; `nil` before the first.
  private var snapshotAt: Int64?
  /// Entries after the last snapshot that the next one makes superfluous.
  private(set) var spent = SpentEntries()
  /// The sequence number of the last entry whose events were passed to the log.
  private(set) var eventSequence = 0
  /// Why the log refused the last entry, if it or the store has reached its maximum size.
  var refusal: HubProblem? {
    switch refuser {
    case .nobody: nil
    case .log: .logFull
    case .store: .storeFull
    }
  }
  fileprivate var refuser = Refuser.nobody

  /// What had no room for the last entry.
  fileprivate enum Refuser { case nobody, log, store }

  init() {}

  init(_ loaded: LoadedSession) {
    entryCount = loaded.entryCount
    idleSnapshotEntryCount = loaded.isSnapshotted ? loaded.entryCount : nil
    snapshotEntryCount = loaded.snapshotEntryCount
    spent = loaded.spent
    eventSequence = loaded.eventSequence
  }

  /// Whether a snapshot would cover entries that the last one does not.
  var isAhead: Bool { entryCount > snapshotEntryCount }

  /// Whether the log needs an idle snapshot before the session is evicted; it does not if it has
  /// one after the last entry.
  var needsIdleSnapshot: Bool { idleSnapshotEntryCount != entryCount }

  /// Whether ``isSnapshotDue(memberCount:at:)`` is to be asked.
  var mayNeedSnapshot: Bool { entryCount - snapshotEntryCount >= snapshotInterval }

  func isSnapshotDue(memberCount: Int, at time: HubTime) -> Bool {
    let count = entryCount - snapshotEntryCount
    guard count >= snapshotInterval, count >= memberCount * snapshotIntervalPerMember else {
      return false
    }
    guard count < snapshotIntervalMax, let snapshotAt else { return true }
    return time.machine - snapshotAt >= snapshotMilliseconds
  }

  /// An entry was applied.
  mutating func applied(_ remnant: LogRemnant) {
    entryCount += 1
    spent.note(remnant, sequence: entryCount)
  }

  fileprivate mutating func snapshotted(at time: HubTime) {
    snapshotEntryCount = entryCount
    snapshotAt = time.machine
    spent = SpentEntries()
  }

  mutating func fed(through sequence: Int) { eventSequence = sequence }
}

/// Writing the log of a session in memory.
extension SessionLog {
  /// Appends an entry. When the log has reached its maximum size, it is compacted and the append is
  /// tried once more.
  func append(_ entry: LogEntry, to hosted: HostedSession, at time: HubTime) -> AppendOutcome {
    var outcome = append(.entry(entry), of: hosted.id)
    if case .full = outcome, !hosted.log.spent.isEmpty {
      storeSnapshot(of: hosted, isIdle: false, at: time)
      outcome = append(.entry(entry), of: hosted.id)
    }
    hosted.log.refuser = outcome.refuser
    return outcome
  }

  /// Stores a snapshot of the session: a reload then starts from it.
  func storeSnapshot(of hosted: HostedSession, isIdle: Bool, at time: HubTime) {
    let fold = hosted.session.fold
    let snapshot = LogSnapshot(
      epoch: fold.origin.epoch, entryCount: hosted.log.entryCount, state: fold.state,
      picker: fold.picker, isIdle: isIdle, nextTick: fold.nextTick,
      idleMilliseconds: time.machine - hosted.lastActivity, spent: hosted.log.spent,
      eventSequence: hosted.log.eventSequence)
    if store(snapshot, of: hosted.id) { hosted.log.snapshotted(at: time) }
  }

  /// Adds events of the session to the feed.
  ///
  /// - Returns: Whether the log has accepted them. If not, the caller unloads the session, whose
  ///   reload derives the events again.
  func feed(_ record: FeedRecord, of hosted: HostedSession) -> Bool {
    guard feed(record, of: hosted.id) else { return false }
    hosted.log.fed(through: record.sequence)
    return true
  }
}

extension AppendOutcome {
  fileprivate var refuser: LogProgress.Refuser {
    switch self {
    case .full: .log
    case .storeFull: .store
    case .stored, .decided, .pending, .failed, .exhausted: .nobody
    }
  }
}
