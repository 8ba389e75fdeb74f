import CivilTime
import Foundation
import GRDB
import JSONText
import PickerHub
import PickerSession

/// Writes batches of records; knows where each session's log ends. Belongs to the store's thread.
struct SQLiteBatchWriter {
  enum Record: Sendable {
    case log(LogRecord, SessionID)
    case snapshot(LogSnapshot, SessionID)
  }

  /// A session's row, and how many entries it has.
  private struct Place {
    let number: Int64
    var entryCount: Int
  }

  private var places: [SessionID: Place] = [:]
  /// Sessions whose rows do not know of their new entries yet.
  private var grown: Set<SessionID> = []
  private let limits: SessionLimits

  /// - Parameter limits: What new sessions are created under.
  init(_ limits: SessionLimits) { self.limits = limits }

  /// How many records the hub waits for, per session.
  static func counts(of records: [Record]) -> [(session: SessionID, count: Int)] {
    var order: [SessionID] = []
    var counts: [SessionID: Int] = [:]
    for case .log(_, let session) in records {
      if counts[session] == nil { order.append(session) }
      counts[session, default: 0] += 1
    }
    return order.map { ($0, counts[$0] ?? 0) }
  }

  /// Commits a batch.
  ///
  /// - Returns: Its number.
  /// - Throws: SQLite's error. Nothing of the batch is in then, and this writer must not be used
  ///   again.
  mutating func commit(_ records: [Record], _ database: Database) throws -> Int {
    try database.execute(sql: "BEGIN IMMEDIATE")
    do {
      let now = Int64(Date.now.timeIntervalSince1970 * 1000)
      for record in records {
        switch record {
        case .log(.created(let origin), let session):
          try create(session, origin, now, database)
        case .log(.entry(let entry), let session): try add(entry, session, database)
        case .log(.ended, let session): try end(session, database)
        case .snapshot(let snapshot, let session):
          try keep(snapshot, session, now, database)
        }
      }
      for session in grown { try noteGrowth(of: session, now, database) }
      grown.removeAll(keepingCapacity: true)
      try execute(database, "UPDATE store SET batch = batch + 1", [])
      let batch = try Int.fetchOne(database, sql: "SELECT batch FROM store") ?? 0
      try database.execute(sql: "COMMIT")
      return batch
    } catch {
      if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
      throw error
    }
  }

  private func execute(
    _ database: Database, _ sql: String, _ arguments: StatementArguments
  ) throws {
    try database.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  private mutating func create(
    _ session: SessionID, _ origin: SessionOrigin, _ now: Int64, _ database: Database
  ) throws {
    try execute(
      database,
      """
      INSERT INTO session (id, epoch, origin, ttlSeconds, hasMembers, activeAt)
      VALUES (?, ?, ?, ?, 1, ?)
      """,
      [
        session.text, origin.epoch, Data(origin.tree(under: limits).serialized()),
        origin.ttlSeconds, now,
      ])
    places[session] = Place(number: database.lastInsertedRowID, entryCount: 0)
  }

  private mutating func add(
    _ entry: LogEntry, _ session: SessionID, _ database: Database
  ) throws {
    guard var place = try place(of: session, database) else { return }
    place.entryCount += 1
    try execute(
      database, "INSERT INTO entry (session, place, body) VALUES (?, ?, ?)",
      [place.number, place.entryCount, Data(entry.tree.serialized())])
    places[session] = place
    grown.insert(session)
  }

  /// Once a session and batch, however many entries there were.
  private func noteGrowth(of session: SessionID, _ now: Int64, _ database: Database) throws {
    guard let place = places[session] else { return }
    try execute(
      database, "UPDATE session SET entryCount = ?, hasMembers = 1, activeAt = ? WHERE number = ?",
      [place.entryCount, now, place.number])
  }

  private mutating func end(_ session: SessionID, _ database: Database) throws {
    try execute(database, "DELETE FROM session WHERE id = ?", [session.text])
    places[session] = nil
    grown.remove(session)
  }

  private mutating func keep(
    _ snapshot: LogSnapshot, _ session: SessionID, _ now: Int64, _ database: Database
  ) throws {
    guard let place = try place(of: session, database) else { return }
    if grown.remove(session) != nil { try noteGrowth(of: session, now, database) }
    try execute(
      database,
      """
      INSERT OR REPLACE INTO snapshot (session, place, revision, isIdle, body)
      VALUES (?, ?, ?, ?, ?)
      """,
      [
        place.number, snapshot.entryCount, snapshot.kept.revision, snapshot.isIdle,
        Data(snapshot.kept.tree.serialized()),
      ])
    if snapshot.isIdle && place.entryCount == snapshot.entryCount {
      try execute(
        database,
        "UPDATE session SET hasMembers = 0, nextTick = ?, activeAt = ? WHERE number = ?",
        [
          snapshot.nextTick?.milliseconds, now - snapshot.idleMilliseconds, place.number,
        ])
      places[session] = nil
    }
    try prune(place.number, revision: snapshot.kept.revision, isIdle: snapshot.isIdle, database)
  }

  /// Leaves the newest snapshot, and those from which the last 1,000 deltas can be folded.
  private func prune(
    _ number: Int64, revision: Int, isIdle: Bool, _ database: Database
  ) throws {
    let needed = isIdle ? revision : revision - SQLiteReading.historyCountMin
    try execute(
      database,
      """
      DELETE FROM snapshot WHERE session = ?1 AND revision < (
        SELECT max(revision) FROM snapshot WHERE session = ?1 AND revision <= ?2)
      """, [number, needed])
  }

  private mutating func place(of session: SessionID, _ database: Database) throws -> Place? {
    if let place = places[session] { return place }
    let statement = try database.cachedStatement(
      sql: "SELECT number, entryCount FROM session WHERE id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [session.text]) else { return nil }
    return Place(number: row[0], entryCount: row[1])
  }
}
