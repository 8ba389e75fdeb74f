import CivilTime
import Foundation
import GRDB
import PickerHub
import PickerSession

/// Opens a store file: checks, migrates and lists its sessions.
enum SQLiteOpening {
  /// An open store.
  struct Opened {
    let pool: DatabasePool
    let feed: SQLiteFeed
    let sessions: [DormantSession]
    let names: StoredNames
    /// Whether stored history was missing or the file is a backup, so that all sessions have a new
    /// epoch.
    let hasLostHistory: Bool
    let clockDoubt: ClockDoubt
    /// Whether rows of ended sessions remain to be deleted.
    let hasEnded: Bool
  }

  /// - Throws: ``StoreProblem`` for a file that is not a store, damaged, or of a newer pickerd. The
  ///   file is unchanged.
  static func open(_ path: String, _ lock: StoreLock) throws(StoreProblem) -> Opened {
    do {
      let isJournalMissing = try examine(path, lock)
      let pool = try DatabasePool(path: path, configuration: configuration)
      try pool.writeWithoutTransaction { database in
        // GRDB sets NORMAL for WAL mode, which does not flush commits.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        // The default is 1,000 pages. A batch of 1,000 sessions changes as many pages, so that it
        // would be written twice, to the journal and to the file. 10,000 pages are 40 MB.
        try database.execute(sql: "PRAGMA wal_autocheckpoint = 10000")
        let level = try Int.fetchOne(database, sql: "PRAGMA synchronous")
        guard level == 2 else { throw StoreProblem("SQLite does not flush what it commits") }
      }
      try SQLiteSchema.migrator.migrate(pool)
      let hasLost = try pool.write { database in
        try renewEpochs(database, lock, isJournalMissing: isJournalMissing)
      }
      let feed = try SQLiteFeed(pool)
      return try pool.write { database in
        lock.note(try batch(database))
        let doubt = ClockDoubt(
          lastWritten: try Int64.fetchOne(database, sql: "SELECT writtenAt FROM store"))
        let hasEnded = try Bool.fetchOne(
          database, sql: "SELECT EXISTS (SELECT * FROM session WHERE isEnded)")
        return Opened(
          pool: pool, feed: feed, sessions: try sessions(database, doubt),
          names: try StoredNames(database), hasLostHistory: hasLost, clockDoubt: doubt,
          hasEnded: hasEnded ?? false)
      }
    } catch {
      throw problem(path, error)
    }
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "pickerd"
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .timeout(5)
    return configuration
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
    let file = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? file.close() }
    return try file.inDatabase { database in
      try checkKind(path, database)
      let problem = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
      guard problem == "ok" else { throw damaged(path, problem ?? "unknown damage") }
      return try settle(database, lock)
    }
  }

  /// Checkpoints the journal, and notes the batch up to which it is not needed any more.
  ///
  /// - Returns: As ``examine(_:_:)``.
  private static func settle(_ database: Database, _ lock: StoreLock) throws -> Bool {
    guard let journal = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(PASSIVE)"),
      try database.tableExists("store")
    else { return false }
    let frameCount: Int = journal[1]
    let isJournalMissing = frameCount <= 0 && lock.batch > lock.settledBatch
    let batch = try batch(database)
    // Everything is in the file itself: a missing journal is no problem from now on.
    if !isJournalMissing, batch >= lock.batch, journal[0] == 0, frameCount == journal[2] {
      lock.settle(batch)
    }
    return isJournalMissing
  }

  private static func batch(_ database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT batch FROM store") ?? 0
  }

  private static func checkKind(_ path: String, _ database: Database) throws {
    if try SQLiteSchema.migrator.hasBeenSuperseded(database) {
      throw StoreProblem(
        "\(path) was written by a newer pickerd. Serve it with that version, or give another "
          + "--store")
    }
    let tableCount = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
    // An interrupted first start may have created the migrator's table only.
    let isStore = try database.tableExists("store") || database.tableExists("grdb_migrations")
    guard tableCount == 0 || isStore else {
      throw StoreProblem(
        "\(path) is a database of another program. Give --store a file of pickerd's own")
    }
  }

  private static func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Gives all sessions and the feed a new epoch if stored history is missing or the file is a
  /// backup.
  private static func renewEpochs(
    _ database: Database, _ lock: StoreLock, isJournalMissing: Bool
  ) throws -> Bool {
    let isBackup = try Bool.fetchOne(database, sql: "SELECT isBackup FROM store") ?? false
    let isOlder = try batch(database) < lock.batch
    guard isOlder || isJournalMissing || isBackup else { return false }
    try database.execute(
      sql: """
        UPDATE session SET epoch = lower(hex(randomblob(16)));
        UPDATE feed SET epoch = lower(hex(randomblob(16)));
        UPDATE store SET isBackup = 0, batch = max(batch, ?)
        """, arguments: [lock.batch])
    return true
  }

  private static func sessions(
    _ database: Database, _ doubt: ClockDoubt
  ) throws -> [DormantSession] {
    let now = Int64(Date.now.timeIntervalSince1970 * 1000)
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT id, ttlSeconds, hasMembers OR eventSequence < entryCount, nextTick, activeAt,
          CASE WHEN hasMembers THEN NULL ELSE status END
        FROM session WHERE isEnded = 0
        """)
    var sessions: [DormantSession] = []
    while let row = try rows.next() {
      let nextTick: Int64? = row[3]
      let idle = max(0, now - (row[4] as Int64))
      sessions.append(
        DormantSession(
          id: SessionID(row[0]), ttlSeconds: row[1],
          idleMilliseconds: doubt.idleMilliseconds(idle, ttlSeconds: row[1]),
          nextTick: nextTick.map { Instant(milliseconds: $0) }, hasMembers: row[2],
          status: (row[5] as String?).flatMap(SessionStatus.init(rawValue:))))
    }
    return sessions
  }

  private static func problem(_ path: String, _ error: any Error) -> StoreProblem {
    if let problem = error as? StoreProblem { return problem }
    guard let error = error as? DatabaseError else {
      return StoreProblem("cannot open the store \(path): \(error.storeText)")
    }
    switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: return damaged(path, error.storeText)
    case .SQLITE_BUSY:
      return StoreProblem(
        "another program has locked \(path). End that one (sqlite3? a copy under way?) and start "
          + "pickerd again")
    default: return StoreProblem("cannot open the store \(path): \(error.storeText)")
    }
  }

  private static func damaged(_ path: String, _ problem: String) -> StoreProblem {
    StoreProblem(
      "\(path) is damaged (\(problem)). pickerd does not repair it: replace it with a backup "
        + "(made by pickerd backup), or move it away together with \(path)-wal and \(path).lock to "
        + "begin with an empty store")
  }
}
