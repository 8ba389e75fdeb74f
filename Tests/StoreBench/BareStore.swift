import Foundation
import GRDB

/// The bare rate: sequential transactions of one small INSERT, with WAL and synchronous=FULL.
enum BareStore {
  static func measure(_ settings: BenchSettings) throws -> Measured {
    let path = settings.newStore()
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: "CREATE TABLE entry (body BLOB NOT NULL)") }
    let body = Data(repeating: 0x20, count: 160)

    let own = processorSeconds()
    let begun = secondsNow()
    var latencies: [Double] = []
    var before = begun
    try pool.writeWithoutTransaction { database in
      // GRDB sets NORMAL for WAL, which does not flush commits.
      try database.execute(sql: "PRAGMA synchronous = FULL")
      let insert = try database.cachedStatement(sql: "INSERT INTO entry (body) VALUES (?)")
      while before - begun < settings.seconds {
        try insert.execute(arguments: [body])
        let now = secondsNow()
        latencies.append((now - before) * 1000)
        before = now
      }
    }
    let seconds = before - begun
    try pool.close()
    return Measured(
      count: latencies.count, seconds: seconds, latencies: latencies.sorted(),
      ownSeconds: processorSeconds() - own)
  }
}
