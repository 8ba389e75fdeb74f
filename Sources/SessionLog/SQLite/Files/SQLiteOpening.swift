import CSQLite
import CivilTime
import Foundation
import PickerHub
import PickerSession

/// Opens a store file: checks it, migrates it and lists its sessions.
enum SQLiteOpening {
  /// An open store.
  struct Opened {
    let pool: SQLitePool
    let feed: SQLiteFeed
    let sessions: [DormantSession]
    let names: StoredNames
    /// Whether stored history was missing or the file is a backup, so that all sessions have a new
    /// epoch.
    let hasLostHistory: Bool
    let clockDoubt: ClockDoubt
    /// See ``DurableStore/ticketKey``.
    let ticketKey: [UInt8]
    /// The bytes in use.
    let byteCount: Int
    /// Whether rows of ended sessions remain to be deleted.
    let hasEnded: Bool
  }

  /// - Throws: ``StoreProblem`` for a file that is not a store, damaged, or of a pickerd with
  ///   another schema that this one cannot migrate. The file is unchanged.
  static func open(_ path: String, _ lock: StoreLock) throws(StoreProblem) -> Opened {
    do {
      let isJournalMissing = try examine(path, lock)
      let pool = try SQLitePool(path)
      try pool.write { database in
        // Flushes each commit.
        try database.run("PRAGMA synchronous = FULL")
        // The default is 1,000 pages. A batch of 1,000 sessions changes as many pages, so that it
        // would be written twice, to the journal and to the file. 10,000 pages are 40 MB.
        try database.run("PRAGMA wal_autocheckpoint = 10000")
        // Debian's default is to overwrite deleted pages: then the deletion of 40 MB would write
        // 40 MB to the journal, and copy them to the file while taps wait.
        try database.run("PRAGMA secure_delete = OFF")
        let level = try database.value("PRAGMA synchronous", as: Int.self)
        guard level == 2 else { throw StoreProblem("SQLite does not flush commits to disk") }
      }
      let hasLost = try pool.write { database in
        try SQLiteSchema.migrate(database, path)
        return try database.transaction {
          try renewEpochs(database, lock, isJournalMissing: isJournalMissing)
        }
      }
      let feed = try SQLiteFeed(pool)
      return try pool.read { database in
        lock.note(try batch(database))
        let doubt = ClockDoubt(
          lastWritten: try database.value("SELECT writtenAt FROM store", as: Int64.self))
        let hasEnded = try database.value(
          "SELECT EXISTS (SELECT * FROM session WHERE isEnded)", as: Bool.self)
        return Opened(
          pool: pool, feed: feed, sessions: try sessions(database, doubt),
          names: try StoredNames(database, doubt), hasLostHistory: hasLost, clockDoubt: doubt,
          ticketKey: [UInt8](
            try database.value("SELECT ticketKey FROM store", as: Data.self) ?? Data()),
          byteCount: try database.usedByteCount, hasEnded: hasEnded ?? false)
      }
    } catch {
      throw problem(path, error)
    }
  }

  /// Checks a store before anything is written to it, and checkpoints its journal.
  ///
  /// - Returns: Whether the journal lacks committed batches: it is empty, although the last server
  ///   did not shut down properly.
  private static func examine(_ path: String, _ lock: StoreLock) throws -> Bool {
    let bytes = size(of: path)
    guard let bytes, bytes > 0 else {
      // SQLite would create a new database here, and remove the journal.
      if size(of: path + "-wal") ?? 0 > 0 {
        throw damaged(path, "it is \(bytes == nil ? "missing" : "empty"), but its journal is not")
      }
      if bytes != nil && lock.batch > 0 { throw damaged(path, "it is empty") }
      return false
    }
    let database = try SQLiteConnection(path)
    try checkKind(path, database)
    let problem = try database.value("PRAGMA quick_check(1)", as: String.self)
    guard problem == "ok" else { throw damaged(path, problem ?? "unknown damage") }
    return try settle(database, lock)
  }

  /// Checkpoints the journal, and notes the batch up to which it is not needed any more.
  ///
  /// - Returns: As ``examine(_:_:)``.
  private static func settle(_ database: SQLiteConnection, _ lock: StoreLock) throws -> Bool {
    guard let checkpoint = try SQLiteCheckpoint(.passive, database), try database.hasTable("store")
    else { return false }
    let isJournalMissing = checkpoint.frameCount <= 0 && lock.batch > lock.settledBatch
    let batch = try batch(database)
    // Everything is in the file itself: a missing journal is no problem from now on.
    if !isJournalMissing, batch >= lock.batch, checkpoint.isComplete {
      lock.settle(batch)
    }
    return isJournalMissing
  }

  private static func batch(_ database: SQLiteConnection) throws -> Int {
    try database.value("SELECT batch FROM store", as: Int.self) ?? 0
  }

  private static func checkKind(_ path: String, _ database: SQLiteConnection) throws {
    let found = try SQLiteSchema.found(database)
    if let problem = found.problem(of: path, newest: SQLiteSchema.steps.count) { throw problem }
    // An interrupted first start may have created the file only.
    let tableCount = try database.value("SELECT count(*) FROM sqlite_master", as: Int.self)
    guard found == .none, tableCount != 0 else { return }
    if let problem = FoundSchema.foreign.problem(of: path, newest: 0) { throw problem }
  }

  private static func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Gives all sessions and the feed a new epoch if stored history is missing or the file is a
  /// backup.
  private static func renewEpochs(
    _ database: SQLiteConnection, _ lock: StoreLock, isJournalMissing: Bool
  ) throws -> Bool {
    let isBackup = try database.value("SELECT isBackup FROM store", as: Bool.self) ?? false
    let isOlder = try batch(database) < lock.batch
    guard isOlder || isJournalMissing || isBackup else { return false }
    try database.run("UPDATE session SET epoch = lower(hex(randomblob(16)))")
    try database.run("UPDATE feed SET epoch = lower(hex(randomblob(16)))")
    try database.run("UPDATE store SET isBackup = 0, batch = max(batch, ?)", [lock.batch])
    return true
  }

  private static func sessions(
    _ database: SQLiteConnection, _ doubt: ClockDoubt
  ) throws -> [DormantSession] {
    let now = Int64(Date.now.timeIntervalSince1970 * 1000)
    return try database.rows(
      """
      SELECT id, ttlSeconds, hasMembers OR eventSequence < entryCount, nextTick, activeAt,
        CASE WHEN hasMembers THEN NULL ELSE status END
      FROM session WHERE isEnded = 0
      """
    ) { row in
      let ttlSeconds: Int = try row[1]
      let idle = max(0, now - (try row[4] as Int64))
      let (nextTick, status): (Int64?, String?) = (row[3], row[5])
      return DormantSession(
        id: SessionID(try row[0]), ttlSeconds: ttlSeconds,
        idleMilliseconds: doubt.idleMilliseconds(idle, ttlSeconds: ttlSeconds),
        nextTick: nextTick.map { Instant(milliseconds: $0) }, hasMembers: try row[2],
        status: status.flatMap(SessionStatus.init(rawValue:)))
    }
  }

  private static func problem(_ path: String, _ error: any Error) -> StoreProblem {
    if let problem = error as? StoreProblem { return problem }
    guard let error = error as? SQLiteError else {
      return StoreProblem("cannot open the store \(path): \(error)")
    }
    switch error.code {
    case SQLITE_CORRUPT, SQLITE_NOTADB: return damaged(path, error.description)
    case SQLITE_BUSY:
      return StoreProblem(
        "another program has locked \(path). End that one (sqlite3? a copy under way?) and start "
          + "pickerd again")
    default: return StoreProblem("cannot open the store \(path): \(error)")
    }
  }

  private static func damaged(_ path: String, _ problem: String) -> StoreProblem {
    StoreProblem(
      "\(path) is damaged (\(problem)). pickerd does not repair it: replace it with a backup "
        + "(made by pickerd backup), or move it away together with \(path)-wal and \(path).lock to "
        + "begin with an empty store")
  }
}
