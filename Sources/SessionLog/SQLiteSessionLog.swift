package import CivilTime
import Foundation
import GRDB
import JSONText
package import PickerHub
import PickerModel
package import PickerSession
import Synchronization

/// What a store tells the hub's thread.
package enum StoreNotice: Sendable {
  /// Records that are in, per session in the order of their appends.
  case stored([(session: SessionID, count: Int)])
  /// Sessions of which something appended is not in, and will not be.
  case lost([SessionID])
  case loaded(SessionID, LoadedSession?)
  /// Something to be done on the hub's thread.
  case run(@Sendable () -> Void)
}

/// Keeps the logs of all sessions in an SQLite file.
///
/// A thread of its own writes. While it commits, what the sessions append gathers; then all of that
/// is the next transaction: many sessions share one flush of the disk. The loop never waits.
/// - Source: architecture.md, property 2; sqlite.org/wal.html.
package final class SQLiteSessionLog: SessionLog, @unchecked Sendable {
  let path: String
  /// The file, as a start says it.
  package var location: String { path }
  let pool: DatabasePool
  let zone: @Sendable (String) -> ZoneRules?
  /// The writing thread.
  let queue = DispatchQueue(label: "pickerd.store")
  /// Folds whole logs again, one at a time, so that it does not take all cores from the loop.
  private let readingQueue = DispatchQueue(label: "pickerd.store.reading")
  private let lock: StoreLock
  private let state = Mutex(State())
  private let notify: @Sendable (StoreNotice) -> Void
  /// Only on ``queue``.
  var writer = SQLiteBatchWriter()
  /// Sessions that were in the file when it was opened.
  package let restored: [DormantSession]
  /// Whether accepted history was missing then, so that every session has a new epoch.
  package let hasLostHistory: Bool

  struct State {
    var records: [SQLiteBatchWriter.Record] = []
    var isCommitQueued = false
    /// Why nothing can be stored now.
    var failure: String?
  }

  /// Opens a store, or makes it.
  ///
  /// - Parameters:
  ///   - path: The file; its folder must exist.
  ///   - zone: Zone rules by IANA name; called on any thread.
  ///   - notify: Called on the store's thread.
  /// - Throws: ``StoreProblem`` if another process serves it, it is corrupt, it was written by a
  ///   newer pickerd, or it cannot be opened.
  package init(
    path: String, zone: @escaping @Sendable (String) -> ZoneRules?,
    notify: @escaping @Sendable (StoreNotice) -> Void
  ) throws(StoreProblem) {
    self.path = path
    self.zone = zone
    self.notify = notify
    lock = try StoreLock(path: path)
    pool = try SQLiteOpening.open(path)
    (restored, hasLostHistory) = try SQLiteOpening.takeOver(
      pool, path: path, batchBefore: lock.batchBefore)
  }

  package var canLoad: Bool { true }

  /// Why nothing can be stored now; `nil` while all is well.
  package var failure: String? { state.withLock { $0.failure } }

  package func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    add(.log(record, session)) ? .pending : .failed
  }

  package func keep(_ snapshot: LogSnapshot, of session: SessionID) {
    _ = add(.snapshot(snapshot, session))
  }

  /// - Returns: False while nothing can be stored.
  private func add(_ record: SQLiteBatchWriter.Record) -> Bool {
    state.withLock { state in
      if state.failure != nil { return false }
      state.records.append(record)
      if !state.isCommitQueued {
        state.isCommitQueued = true
        queue.async { self.commit() }
      }
      return true
    }
  }

  /// Writes everything that has gathered, in one transaction.
  private func commit() {
    let records = state.withLock { state in
      state.isCommitQueued = false
      defer { state.records = [] }
      return state.records
    }
    if records.isEmpty { return }
    do {
      let batch = try pool.writeWithoutTransaction { database in
        try writer.commit(records, database)
      }
      lock.note(batch)
      notify(.stored(SQLiteBatchWriter.counts(of: records)))
    } catch {
      fail(records, error)
    }
  }

  private func fail(_ records: [SQLiteBatchWriter.Record], _ error: any Error) {
    writer = SQLiteBatchWriter()
    let later = state.withLock { state in
      state.failure = "the store \(path) cannot be written: \(error.storeText)"
      defer { state.records = [] }
      return state.records
    }
    notify(.lost(SQLiteBatchWriter.counts(of: records + later).map(\.session)))
    queue.asyncAfter(deadline: .now() + 0.5) { self.probe() }
  }

  /// Tries whether the store can be written again.
  private func probe() {
    do {
      try pool.write { database in
        try database.execute(sql: "UPDATE store SET probe = probe + 1")
      }
      state.withLock { $0.failure = nil }
    } catch {
      state.withLock { $0.failure = "the store \(path) cannot be written: \(error.storeText)" }
      queue.asyncAfter(deadline: .now() + 0.5) { self.probe() }
    }
  }

  package func load(_ session: SessionID, limits: SessionLimits) {
    queue.async {
      self.commit()
      let loaded = try? self.pool.read { database in
        try SQLiteReading.load(session, limits: limits, zone: self.zone, database)
      }
      self.notify(.loaded(session, loaded ?? nil))
    }
  }

  package func history(
    of origin: SessionOrigin, after: Int, through: Int, limits: SessionLimits,
    completion: @escaping @Sendable ([Delta]?) -> Void
  ) {
    readingQueue.async {
      let deltas = try? self.pool.read { database in
        foldedDeltas(
          origin, try SQLiteReading.entries(of: origin.id, database), after: after,
          through: through, limits: limits)
      }
      self.notify(.run { completion(deltas ?? nil) })
    }
  }

  /// Waits until everything appended so far is in, or failed, and moves the log into the file.
  package func flush() {
    queue.sync {
      commit()
      try? pool.writeWithoutTransaction { database in
        _ = try database.checkpoint(.truncate)
      }
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
