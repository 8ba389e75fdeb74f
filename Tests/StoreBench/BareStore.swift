import Foundation
import SessionLog

/// The bare rate: sequential transactions of one small INSERT, with WAL and synchronous=FULL.
enum BareStore {
  static func measure(_ settings: BenchSettings) throws -> Measured {
    let path = settings.newStore()
    let database = try SQLiteConnection(path)
    try database.run("PRAGMA journal_mode = WAL")
    try database.run("PRAGMA synchronous = FULL")
    try database.run("CREATE TABLE entry (body BLOB NOT NULL)")
    let body = Data(repeating: 0x20, count: 160)

    let own = processorSeconds()
    let begun = secondsNow()
    var latencies: [Double] = []
    var before = begun
    while before - begun < settings.seconds {
      try database.run("INSERT INTO entry (body) VALUES (?)", [body])
      let now = secondsNow()
      latencies.append((now - before) * 1000)
      before = now
    }
    let seconds = before - begun
    return Measured(
      count: latencies.count, seconds: seconds, latencies: latencies.sorted(),
      ownSeconds: processorSeconds() - own)
  }
}
