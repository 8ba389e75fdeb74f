import BackgroundWork
package import CivilTime
import Foundation
import JSONText
package import PickerHub
import PickerModel
package import PickerSession
import Synchronization

/// The logs of all sessions in an SQLite file.
///
/// A queue of its own writes. Records that are appended during an event-loop iteration, or while a
/// transaction commits, are pending; the next transaction stores all of them, so that many sessions
/// share one flush of the disk. Appending never blocks. Several hubs may use one log, each from its
/// own thread and for its own sessions.
/// - Source: ARCHITECTURE.md, invariant 2; sqlite.org/wal.html.
package final class SQLiteSessionLog: SessionLog, @unchecked Sendable {
  let path: String
  /// The file, for the start-up message.
  package var location: String { path }
  let pool: SQLitePool
  /// Used on ``readingQueue`` only, except `make(_:)`, which uses no table.
  let definitions: StoredDefinitions
  /// The queue of all writing transactions.
  let queue = DispatchQueue(label: "pickerd.store")
  /// Reloads sessions, one at a time, so that reloading does not take all cores from the event
  /// loops.
  let readingQueue = DispatchQueue(label: "pickerd.store.reading")
  /// Reads pages of the history, so that they do not delay reloads.
  let historyQueue = BackgroundQueue(name: "store history")
  /// Encodes snapshots, so that this does not delay batches.
  let encodingQueue = BackgroundQueue(name: "store encoding")
  let lock: StoreLock
  /// The identities of the file and its journal when they were opened.
  let files: [FileIdentity]
  let limits: SessionLimits
  let feedLimits: FeedLimits
  /// The events of all sessions.
  package let feed: SQLiteFeed
  let versions: FoldVersions
  let digest: @Sendable ([UInt8]) -> [UInt8]
  /// Whether the wall clock is in doubt: then the time of the batches is not stored.
  let clockDoubt: ClockDoubt
  let state: Mutex<PendingRecords>
  let notify: @Sendable (StoreNotice) -> Void
  /// Sessions that members have joined since the last batch.
  private let visited = Mutex<Set<SessionID>>([])
  private let afterIteration: AfterIteration
  /// Used on ``queue`` only.
  var writer: SQLiteBatchWriter
  /// Sessions that were in the file when it was opened.
  package let restored: [DormantSession]
  /// Their names, and the idempotency keys, in the file when it was opened.
  package let restoredNames: StoredNames
  /// Whether stored history was missing when the file was opened, so that every session has a new
  /// epoch.
  package let hasLostHistory: Bool
  package let ticketKey: [UInt8]

  /// The maximum of bytes of pending records, and of snapshots that are not encoded yet; further
  /// appends fail.
  package static let pendingByteCountMax = 67_108_864

  /// Calls `reply` on the store's thread after the work that was queued before.
  package func answer(_ reply: @escaping @Sendable () -> Void) { queue.async(execute: reply) }

  package func afterWriting(_ reply: @escaping @Sendable () -> Void) { queue.async(execute: reply) }

  /// Opens or creates a store.
  ///
  /// - Parameters:
  ///   - path: The file; its folder must exist.
  ///   - limits: The limits of new sessions.
  ///   - feedLimits: How much the feed retains.
  ///   - zone: Zone rules by IANA name; called on any thread.
  ///   - digest: A one-way hash; called on any thread.
  ///   - versions: The versions of the rules and the zone database of this process.
  ///   - pendingByteCountMax: The maximum size of pending records.
  ///   - storeByteCountMax: The maximum of bytes in use in the file.
  ///   - afterIteration: Called on the thread of the session's hub. Default: runs the work at once.
  ///   - notify: Called on the store's threads.
  /// - Throws: ``StoreProblem`` if another process serves it, it is damaged, it was written by a
  ///   newer pickerd, or it cannot be opened.
  package init(
    path: String, limits: SessionLimits = SessionLimits(), feedLimits: FeedLimits = FeedLimits(),
    zone: @escaping @Sendable (String) -> ZoneRules?,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8],
    versions: FoldVersions = FoldVersions(tzdata: nil),
    pendingByteCountMax: Int = SQLiteSessionLog.pendingByteCountMax,
    storeByteCountMax: Int = .max, afterIteration: @escaping AfterIteration = { $1() },
    notify: @escaping @Sendable (StoreNotice) -> Void
  ) throws(StoreProblem) {
    self.path = path
    self.limits = limits
    self.feedLimits = feedLimits
    self.versions = versions
    state = Mutex(
      PendingRecords(
        byteCountMax: pendingByteCountMax, logByteCountMax: limits.logBytes,
        storeByteCountMax: storeByteCountMax))
    definitions = StoredDefinitions(zone: zone, digest: digest)
    self.afterIteration = afterIteration
    self.notify = notify
    self.digest = digest
    writer = SQLiteBatchWriter(limits, feedLimits, versions, digest: digest)
    lock = try StoreLock(path: path)
    let opened = try SQLiteOpening.open(path, lock)
    pool = opened.pool
    feed = opened.feed
    restored = opened.sessions
    restoredNames = opened.names
    hasLostHistory = opened.hasLostHistory
    clockDoubt = opened.clockDoubt
    ticketKey = opened.ticketKey
    files = [path, path + "-wal"].compactMap(FileIdentity.init(_:))
    guard files.count == 2 else { throw StoreProblem("\(path) was removed while it was opened") }
    state.withLock { $0.noteStoreSize(opened.byteCount) }
    if opened.hasEnded { deleteEndedLater() }
  }

  package var canLoad: Bool { true }

  /// The reason why the store is not writable; `nil` while it is.
  package var failure: String? { state.withLock { $0.failure } }

  /// The number of batches committed since the start.
  package var batchCount: Int { state.withLock { $0.batchCount } }

  /// The durations and sizes of the batches since the start.
  package var figures: StoreFigures { state.withLock { $0.figures } }

  package func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    add(.log(record, session), needsBudget: record.needsBudget)
  }

  package func store(_ snapshot: LogSnapshot, of session: SessionID) -> Bool {
    let byteCount = snapshot.byteCount
    guard state.withLock({ $0.beginEncoding(byteCount) }) else { return false }
    encodingQueue.async {
      defer { self.state.withLock { $0.endEncoding(byteCount) } }
      let encoded = EncodedSnapshot(snapshot, digest: self.digest)
      let outcome = self.add(.snapshot(encoded, session), needsBudget: false)
      if outcome == .failed { self.notify(.lost([session])) }
    }
    return true
  }

  package func feed(_ record: FeedRecord, of session: SessionID) -> Bool {
    add(.feed(record, session), needsBudget: false) == .pending
  }

  package func noteVisit(of session: SessionID) {
    visited.withLock { _ = $0.insert(session) }
    if state.withLock({ $0.requestBatch() }) { queueBatch(of: session) }
  }

  private func add(_ record: StoreRecord, needsBudget: Bool) -> AppendOutcome {
    let (outcome, startsBatch) = state.withLock { $0.add(record, needsBudget: needsBudget) }
    if startsBatch { queueBatch(of: record.session) }
    return outcome
  }

  func queueBatch(of session: SessionID) {
    afterIteration(session) { self.queue.async { self.writeAndRead() } }
  }

  /// Writes all pending records in one transaction, then starts the pending loads. So a session is
  /// loaded when every record appended for it is stored or lost, and its hub was notified of that.
  private func writeAndRead() {
    let batch = state.withLock { $0.takeBatch() }
    let visited = visited.withLock { visited in
      defer { visited = [] }
      return visited
    }
    if !batch.records.isEmpty || !visited.isEmpty { commit(batch, visited) }
    for load in batch.loads { readingQueue.async { self.read(load) } }
  }

  private func commit(_ batch: PendingRecords.Batch, _ visited: Set<SessionID>) {
    let begin = ContinuousClock.now
    do {
      let result = try pool.write { database in
        try writer.commit(batch.records, visited, isClockPlausible: clockDoubt.isOver, database)
      }
      try checkFiles()
      lock.note(result.batch)
      state.withLock { state in
        state.committed(batch, begin: begin)
        state.noteStoreSize(result.storeByteCount)
        for (session, byteCount) in result.byteCounts { state.note(byteCount, of: session) }
      }
      notify(.committed(batch.records.committed))
      if !result.refused.isEmpty { notify(.lost(result.refused)) }
      if let position = result.feedPosition { feed.signal.advance(to: position) }
      if result.hasEnded { deleteEndedLater() }
    } catch {
      self.visited.withLock { $0.formUnion(visited) }
      fail(batch.records, error)
    }
  }

  /// Waits until all records appended so far are stored or lost, and checkpoints the journal.
  package func flush() {
    encodingQueue.drain()
    queue.sync {
      writeAndRead()
      let checkpoint = try? pool.write { try SQLiteCheckpoint(.truncate, $0) }
      guard let checkpoint, !checkpoint.isBlocked, (try? checkFiles()) != nil else { return }
      lock.settle(lock.batch)
    }
  }
}
