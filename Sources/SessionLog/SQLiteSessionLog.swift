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
/// A thread of its own writes. What the sessions append in one turn of the loop, and while it
/// commits, gathers; then all of that is the next transaction: many sessions share one flush of the
/// disk. No loop ever waits. Several hubs, each with its own thread and sessions, may have it.
/// - Source: architecture.md, property 2; sqlite.org/wal.html.
package final class SQLiteSessionLog: SessionLog, @unchecked Sendable {
  let path: String
  /// The file, as a start says it.
  package var location: String { path }
  let pool: DatabasePool
  /// Only on ``readingQueue``.
  private let definitions: StoredDefinitions
  /// The writing thread.
  let queue = DispatchQueue(label: "pickerd.store")
  /// Folds logs again, one at a time, so that it does not take all cores from the loop.
  let readingQueue = DispatchQueue(label: "pickerd.store.reading")
  let lock: StoreLock
  /// The file and its journal, as they were opened.
  let files: [FileIdentity]
  let limits: SessionLimits
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
  /// Records that may wait for the disk; more are not taken.
  static let recordCountMax = 200_000

  struct State {
    var records: [SQLiteBatchWriter.Record] = []
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
  ///   - turn: Called on the thread of the session's hub. Default: every turn is over at once.
  ///   - notify: Called on the store's threads.
  /// - Throws: ``StoreProblem`` if another process serves it, it is damaged, it was written by a
  ///   newer pickerd, or it cannot be opened.
  package init(
    path: String, limits: SessionLimits = SessionLimits(),
    zone: @escaping @Sendable (String) -> ZoneRules?,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8], turn: @escaping Turn = { $1() },
    notify: @escaping @Sendable (StoreNotice) -> Void
  ) throws(StoreProblem) {
    self.path = path
    self.limits = limits
    definitions = StoredDefinitions(zone: zone, digest: digest)
    self.turn = turn
    self.notify = notify
    writer = SQLiteBatchWriter(limits)
    lock = try StoreLock(path: path)
    let opened = try SQLiteOpening.open(path, lock)
    pool = opened.pool
    restored = opened.sessions
    hasLostHistory = opened.hasLostHistory
    files = [path, path + "-wal"].compactMap(FileIdentity.init(_:))
    guard files.count == 2 else { throw StoreProblem("\(path) went away while it was opened") }
  }

  package var canLoad: Bool { true }

  /// Why nothing can be stored now; `nil` while all is well.
  package var failure: String? { state.withLock { $0.failure } }

  /// How many batches have been committed since the start.
  package var batchCount: Int { state.withLock { $0.batchCount } }

  /// How long batches waited and took.
  package var figures: StoreFigures { state.withLock { $0.figures } }

  package func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    add(.log(record, session), of: session) ? .pending : .failed
  }

  package func keep(_ snapshot: LogSnapshot, of session: SessionID) {
    _ = add(.snapshot(snapshot, session), of: session)
  }

  /// - Returns: False while nothing can be stored.
  private func add(_ record: SQLiteBatchWriter.Record, of session: SessionID) -> Bool {
    let outcome = state.withLock { state -> (isTaken: Bool, isFirst: Bool) in
      if state.failure != nil || state.records.count >= SQLiteSessionLog.recordCountMax {
        return (false, false)
      }
      state.records.append(record)
      if state.firstRecordAt == nil { state.firstRecordAt = .now }
      defer { state.isTurnQueued = true }
      return (true, !state.isTurnQueued)
    }
    if outcome.isFirst { queueTurn(of: session) }
    return outcome.isTaken
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
      let batch = try pool.writeWithoutTransaction { database in
        try writer.commit(records, database)
      }
      try checkPlace()
      lock.note(batch)
      let end = ContinuousClock.now
      state.withLock { state in
        state.batchCount += 1
        state.figures.commitSeconds.record((end - begin) / .seconds(1))
        state.figures.waitSeconds.record((end - appendedAt) / .seconds(1))
        state.figures.batchRecords.record(Double(records.count))
      }
      notify(.stored(SQLiteBatchWriter.counts(of: records)))
    } catch {
      fail(records, error)
    }
  }

  private func read(_ session: SessionID, _ limits: SessionLimits, hub: Int) {
    do {
      let loaded = try pool.read { database in
        try SQLiteReading.load(session, limits: limits, database) { origin in
          try definitions.definition(of: origin, hub: hub)
        } make: { document in
          definitions.definition(document: document, hub: hub)
        }
      }
      notify(.loaded(session, loaded))
    } catch {
      notify(.said("session \(session) cannot be read from \(path): \(error.storeText)"))
      notify(.loaded(session, nil))
    }
  }

  package func history(
    of origin: SessionOrigin, after: Int, through: Int, limits: SessionLimits,
    completion: @escaping @Sendable ([Delta]?) -> Void
  ) {
    readingQueue.async {
      let deltas = try? self.pool.read { database in
        foldedDeltas(
          origin,
          try SQLiteReading.entries(of: origin, database, make: self.definitions.make(_:)),
          after: after, through: through, limits: limits)
      }
      self.notify(.run(origin.id) { completion(deltas ?? nil) })
    }
  }

  /// Waits until everything appended so far is in, or failed, and moves the journal into the file.
  package func flush() {
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
