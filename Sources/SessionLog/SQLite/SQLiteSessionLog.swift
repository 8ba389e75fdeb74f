package import CivilTime
import Foundation
import GRDB
import JSONText
package import PickerHub
import PickerModel
package import PickerSession
import Synchronization

/// What a store tells the hubs' threads.
package enum StoreNotice: Sendable {
  /// Records that are in, per session in the order of their appends.
  case stored([(session: SessionID, count: Int)])
  /// Sessions of which something appended is not in, and will not be.
  case lost([SessionID])
  case loaded(SessionID, LoadedSession?)
  /// Something to be done on the thread of a session's hub.
  case run(SessionID, @Sendable () -> Void)
  /// Something that whoever runs the server wants to know, as a sentence.
  case said(String)
}

/// Keeps the logs of all sessions in an SQLite file.
///
/// A thread of its own writes. What the sessions append in one event-loop iteration, and while it
/// commits, gathers; then all of that is the next transaction: many sessions share one flush of the
/// disk. No loop ever waits. Several hubs, each with its own thread and sessions, may have it.
/// - Source: architecture.md, property 2; sqlite.org/wal.html.
package final class SQLiteSessionLog: SessionLog, @unchecked Sendable {
  let path: String
  /// The file, as a start says it.
  package var location: String { path }
  let pool: DatabasePool
  /// Only on ``readingQueue``, except `make(_:)`, which uses no table.
  let definitions: StoredDefinitions
  /// The writing thread.
  let queue = DispatchQueue(label: "pickerd.store")
  /// Folds sleeping sessions again, one at a time, so that it does not take all cores from the
  /// loop.
  let readingQueue = DispatchQueue(label: "pickerd.store.reading")
  /// Folds whole logs again, a page at a time, so that no sleeping session waits for that.
  let historyQueue = DispatchQueue(label: "pickerd.store.history", qos: .utility)
  /// Encodes snapshots, so that no batch waits for that.
  let encodingQueue = DispatchQueue(label: "pickerd.store.encoding")
  let lock: StoreLock
  /// The file and its journal, as they were opened.
  let files: [FileIdentity]
  let limits: SessionLimits
  let versions: FoldVersions
  let digest: @Sendable ([UInt8]) -> [UInt8]
  /// Whether the time of the batches is not noted: the clock has leapt since the last one of the
  /// process before, and this process has not run for long.
  let clockDoubt: ClockDoubt
  let state = Mutex(State())
  let notify: @Sendable (StoreNotice) -> Void
  private let turn: Turn
  /// Only on ``queue``.
  var writer: SQLiteBatchWriter
  /// Sessions that were in the file when it was opened.
  package let restored: [DormantSession]
  /// Whether accepted history was missing then, so that every session has a new epoch.
  package let hasLostHistory: Bool

  /// Does something when the turn of a session's hub is over.
  package typealias Turn = @Sendable (SessionID, _ work: @escaping @Sendable () -> Void) -> Void
  /// Records that may be pending; more are not taken.
  static let recordCountMax = 200_000
  /// Bytes of pending records, and those of snapshots that are to be encoded; more are not taken.
  package static let pendingByteCountMax = 67_108_864
  let pendingByteCountMax: Int

  struct State {
    var records: [SQLiteBatchWriter.Record] = []
    /// Bytes of the records.
    var byteCount = 0
    /// Bytes of the snapshots that are to be encoded.
    var encodingByteCount = 0
    /// Sessions whose logs have reached their maximum of bytes.
    var full: Set<SessionID> = []
    /// Sessions whose logs have grown to twice that.
    var exhausted: Set<SessionID> = []
    /// Whether the rows of ended sessions are being deleted.
    var isDeleting = false
    var loads: [(session: SessionID, limits: SessionLimits, hub: Int)] = []
    var isTurnQueued = false
    /// Why nothing can be stored now.
    var failure: String?
    /// When the first of the records was appended.
    var firstRecordAt: ContinuousClock.Instant?
    var figures = StoreFigures()
    /// Batches committed by this process.
    var batchCount = 0
  }

  /// Opens a store, or makes it.
  ///
  /// - Parameters:
  ///   - path: The file; its folder must exist.
  ///   - limits: What new sessions are created under.
  ///   - zone: Zone rules by IANA name; called on any thread.
  ///   - digest: A one-way hash; called on any thread.
  ///   - versions: What sessions are folded with by this process.
  ///   - pendingByteCountMax: Bytes of pending records.
  ///   - turn: Called on the thread of the session's hub. Default: every turn is over at once.
  ///   - notify: Called on the store's threads.
  /// - Throws: ``StoreProblem`` if another process serves it, it is damaged, it was written by a
  ///   newer pickerd, or it cannot be opened.
  package init(
    path: String, limits: SessionLimits = SessionLimits(),
    zone: @escaping @Sendable (String) -> ZoneRules?,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8],
    versions: FoldVersions = FoldVersions(tzdata: nil),
    pendingByteCountMax: Int = SQLiteSessionLog.pendingByteCountMax,
    turn: @escaping Turn = { $1() },
    notify: @escaping @Sendable (StoreNotice) -> Void
  ) throws(StoreProblem) {
    self.path = path
    self.limits = limits
    self.versions = versions
    self.pendingByteCountMax = pendingByteCountMax
    definitions = StoredDefinitions(zone: zone, digest: digest)
    self.turn = turn
    self.notify = notify
    self.digest = digest
    writer = SQLiteBatchWriter(limits, versions, digest: digest)
    lock = try StoreLock(path: path)
    let opened = try SQLiteOpening.open(path, lock)
    pool = opened.pool
    restored = opened.sessions
    hasLostHistory = opened.hasLostHistory
    clockDoubt = opened.clockDoubt
    files = [path, path + "-wal"].compactMap(FileIdentity.init(_:))
    guard files.count == 2 else { throw StoreProblem("\(path) went away while it was opened") }
    if opened.hasEnded { deleteEndedLater() }
  }

  package var canLoad: Bool { true }

  /// Why nothing can be stored now; `nil` while all is well.
  package var failure: String? { state.withLock { $0.failure } }

  /// How many batches have been committed since the start.
  package var batchCount: Int { state.withLock { $0.batchCount } }

  /// How long batches waited and took.
  package var figures: StoreFigures { state.withLock { $0.figures } }

  package func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    add(.log(record, session), needsBudget: record.needsBudget)
  }

  package func keep(_ snapshot: LogSnapshot, of session: SessionID) -> Bool {
    let byteCount = snapshot.byteCount
    let isTaken = state.withLock { state in
      if state.encodingByteCount + byteCount > pendingByteCountMax { return false }
      state.encodingByteCount += byteCount
      return true
    }
    guard isTaken else { return false }
    encodingQueue.async {
      defer { self.state.withLock { $0.encodingByteCount -= byteCount } }
      let encoded = EncodedSnapshot(snapshot, digest: self.digest)
      let outcome = self.add(.snapshot(encoded, session), needsBudget: false)
      if outcome == .failed { self.notify(.lost([session])) }
    }
    return true
  }

  private func add(_ record: SQLiteBatchWriter.Record, needsBudget: Bool) -> AppendOutcome {
    let byteCount = record.byteCount
    let outcome = state.withLock { state -> (AppendOutcome, isFirst: Bool) in
      if state.failure != nil || state.records.count >= SQLiteSessionLog.recordCountMax
        || state.byteCount + byteCount > pendingByteCountMax
      {
        return (.failed, false)
      }
      if case .log(.entry, let session) = record, state.exhausted.contains(session) {
        return (.exhausted, false)
      }
      if needsBudget && state.full.contains(record.session) { return (.full, false) }
      state.records.append(record)
      state.byteCount += byteCount
      if state.firstRecordAt == nil { state.firstRecordAt = .now }
      defer { state.isTurnQueued = true }
      return (.pending, !state.isTurnQueued)
    }
    if outcome.isFirst { queueTurn(of: record.session) }
    return outcome.0
  }

  private func queueTurn(of session: SessionID) {
    turn(session) { self.queue.async { self.writeAndRead() } }
  }

  package func load(_ session: SessionID, limits: SessionLimits, hub: Int) {
    let isFirst = state.withLock { state in
      state.loads.append((session, limits, hub))
      defer { state.isTurnQueued = true }
      return !state.isTurnQueued
    }
    if isFirst { queueTurn(of: session) }
  }

  /// Writes everything that has gathered, in one transaction; then has loaded what was asked for. A
  /// session is loaded when everything appended for it is in, or lost, and the hub told so.
  private func writeAndRead() {
    let (records, loads, appendedAt) = state.withLock { state in
      state.isTurnQueued = false
      defer {
        state.records = []
        state.byteCount = 0
        state.loads = []
        state.firstRecordAt = nil
      }
      return (state.records, state.loads, state.firstRecordAt)
    }
    if !records.isEmpty { commit(records, appendedAt: appendedAt ?? .now) }
    for load in loads {
      readingQueue.async { self.read(load.session, load.limits, hub: load.hub) }
    }
  }

  private func commit(
    _ records: [SQLiteBatchWriter.Record], appendedAt: ContinuousClock.Instant
  ) {
    let begin = ContinuousClock.now
    do {
      let result = try pool.writeWithoutTransaction { database in
        try writer.commit(records, isClockPlausible: clockDoubt.isOver, database)
      }
      try checkPlace()
      lock.note(result.batch)
      let end = ContinuousClock.now
      state.withLock { state in
        state.batchCount += 1
        state.figures.commitSeconds.record((end - begin) / .seconds(1))
        state.figures.waitSeconds.record((end - appendedAt) / .seconds(1))
        state.figures.batchRecords.record(Double(records.count))
        for (session, byteCount) in result.byteCounts {
          state.note(byteCount, of: session, max: limits.logBytes)
        }
      }
      notify(.stored(SQLiteBatchWriter.counts(of: records)))
      if result.hasEnded { deleteEndedLater() }
    } catch {
      fail(records, error)
    }
  }

  private func read(_ session: SessionID, _ limits: SessionLimits, hub: Int) {
    do {
      let outcome = try pool.read { database in
        try SQLiteReading.load(session, limits: limits, versions, database) { origin in
          try definitions.definition(of: origin, hub: hub)
        } make: { document in
          self.definitions.definition(document: document, hub: hub)
        }
      }
      switch outcome {
      case nil: notify(.loaded(session, nil))
      case .diverged(let divergence):
        queue.async {
          self.renew(session, divergence) { self.read(session, limits, hub: hub) }
        }
      case .loaded(let loaded, let byteCount):
        state.withLock { $0.note(byteCount, of: session, max: self.limits.logBytes) }
        notify(.loaded(session, loaded))
      }
    } catch {
      notify(.said("session \(session) cannot be read from \(path): \(error.storeText)"))
      notify(.loaded(session, nil))
    }
  }

  /// Waits until everything appended so far is in, or failed, and moves the journal into the file.
  package func flush() {
    encodingQueue.sync {}
    queue.sync {
      writeAndRead()
      let journal = try? pool.writeWithoutTransaction { database in
        try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
      guard let journal, journal[0] == 0, (try? checkPlace()) != nil else { return }
      lock.settle(lock.batch)
    }
  }
}

extension Error {
  /// SQLite's own words.
  var storeText: String {
    guard let error = self as? DatabaseError else { return "\(self)" }
    return error.message ?? error.resultCode.description
  }
}
