import CivilTime
import Foundation
import GRDB
import PickerHub
import PickerSession

/// Opens a store file and finds out what is in it.
enum SQLiteOpening {
  /// - Throws: ``StoreProblem`` for a file that is no store, corrupt, or of a newer pickerd.
  static func open(_ path: String) throws(StoreProblem) -> DatabasePool {
    var configuration = Configuration()
    configuration.label = "pickerd"
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA synchronous = FULL")
    }
    do {
      let pool = try DatabasePool(path: path, configuration: configuration)
      let problem = try pool.read { database in
        try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
      }
      guard problem == "ok" else { throw corrupt(path, problem ?? "unknown damage") }
      if try pool.read(SQLiteSchema.migrator.hasBeenSuperseded) {
        throw StoreProblem(
          "\(path) was written by a newer pickerd. Serve it with that one, or give another --store")
      }
      try SQLiteSchema.migrator.migrate(pool)
      return pool
    } catch let problem as StoreProblem {
      throw problem
    } catch let error as DatabaseError
      where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
    {
      throw corrupt(path, error.storeText)
    } catch {
      throw StoreProblem("cannot open the store \(path): \(error.storeText)")
    }
  }

  private static func corrupt(_ path: String, _ problem: String) -> StoreProblem {
    StoreProblem(
      "\(path) is damaged (\(problem)). pickerd does not repair it: put a backup in its place "
        + "(pickerd backup makes them), or move it away to begin with an empty store")
  }

  /// Lists the sessions, giving all a new epoch when accepted history is missing.
  static func takeOver(
    _ pool: DatabasePool, path: String, batchBefore: Int
  ) throws(StoreProblem) -> ([DormantSession], hasLostHistory: Bool) {
    do {
      return try pool.write { database in
        let row = try Row.fetchOne(database, sql: "SELECT batch, isBackup FROM store")
        let hasLost = (row?["isBackup"] ?? false) || (row?["batch"] ?? 0) < batchBefore
        if hasLost {
          try database.execute(
            sql: """
              UPDATE session SET epoch = lower(hex(randomblob(16)));
              UPDATE store SET isBackup = 0, batch = max(batch, ?)
              """, arguments: [batchBefore])
        }
        let now = Int64(Date.now.timeIntervalSince1970 * 1000)
        let sessions = try Row.fetchAll(
          database, sql: "SELECT id, ttlSeconds, hasMembers, nextTick, activeAt FROM session"
        ).map { row in
          let nextTick: Int64? = row["nextTick"]
          return DormantSession(
            id: SessionID(row["id"]), ttlSeconds: row["ttlSeconds"],
            idleMilliseconds: max(0, now - (row["activeAt"] as Int64)),
            nextTick: nextTick.map { Instant(milliseconds: $0) }, hasMembers: row["hasMembers"])
        }
        return (sessions, hasLost)
      }
    } catch {
      throw StoreProblem("cannot read the store \(path): \(error.storeText)")
    }
  }
}
