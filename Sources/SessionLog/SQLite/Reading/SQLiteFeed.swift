import Foundation
import GRDB
import Synchronization

/// The feed of an SQLite store, read on a queue of its own.
package final class SQLiteFeed: EventFeed {
  package let epoch: String
  package let signal = FeedSignal()
  private let pool: DatabasePool
  private let queue = DispatchQueue(label: "pickerd.store.feed", qos: .utility)

  /// The positions of the stored cursors; changed only on ``queue``.
  private let positions: Mutex<[String: Int]>

  init(_ pool: DatabasePool) throws {
    self.pool = pool
    let rows = try pool.read { database in
      try Row.fetchAll(database, sql: "SELECT name, position FROM feedCursor")
    }
    epoch = try pool.read { database in
      try String.fetchOne(database, sql: "SELECT epoch FROM feed") ?? ""
    }
    positions = Mutex(
      Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as String, $0[1] as Int) }))
    signal.advance(to: try pool.read { try StoredFeed($0).newest })
  }

  package func read(
    _ request: FeedRequest, completion: @escaping @Sendable (Result<FeedPage, FeedProblem>) -> Void
  ) {
    queue.async {
      completion(self.attempt { try SQLiteFeed.page(request, $0) })
    }
  }

  private func attempt<Value>(
    _ body: (Database) throws -> Value
  ) -> Result<Value, FeedProblem> {
    do {
      return .success(try pool.read(body))
    } catch {
      return .failure(error as? FeedProblem ?? .unavailable)
    }
  }

  private static func page(_ request: FeedRequest, _ database: Database) throws -> FeedPage {
    let newest = try StoredFeed(database).newest
    let oldest = try Int.fetchOne(database, sql: "SELECT min(position) FROM event")
    try FeedBounds(oldest: oldest ?? newest + 1, newest: newest).check(request.after)
    let types = request.types ?? []
    let marks = types.map { _ in "?" }.joined(separator: ", ")
    let condition = request.types == nil ? "" : " AND type IN (\(marks))"
    let rows = try Row.fetchCursor(
      database,
      sql: "SELECT position, type, id, body FROM event WHERE position > ?\(condition) "
        + "ORDER BY position LIMIT ?",
      arguments: StatementArguments([request.after]) + StatementArguments(types)
        + [request.countMax])
    var (lines, byteCount): ([FeedLine], Int) = ([], 0)
    while let row = try rows.next() {
      let line = FeedLine(
        position: row[0], type: row[1], id: row[2], body: [UInt8](row[3] as Data))
      lines.append(line)
      byteCount += line.byteCount
      if lines.count >= request.countMax || byteCount >= FeedRequest.byteCountMax {
        return FeedPage(lines: lines, position: line.position)
      }
    }
    return FeedPage(lines: lines, position: newest)
  }

  package var cursors: [String: Int] { positions.withLock { $0 } }

  package func setCursor(
    _ name: String, to position: Int?,
    completion: @escaping @Sendable (Result<Void, FeedProblem>) -> Void
  ) {
    queue.async {
      let cursors = self.cursors
      guard position == nil || cursors[name] != nil || cursors.count < FeedLimits.cursorCountMax
      else { return completion(.failure(.tooManyCursors)) }
      do {
        try self.pool.write { try SQLiteFeed.write(name, position, $0) }
        self.positions.withLock { $0[name] = position }
        completion(.success(()))
      } catch {
        completion(.failure(.unavailable))
      }
    }
  }

  private static func write(_ name: String, _ position: Int?, _ database: Database) throws {
    guard let position else {
      return try database.execute(sql: "DELETE FROM feedCursor WHERE name = ?", arguments: [name])
    }
    try database.execute(
      sql: "INSERT OR REPLACE INTO feedCursor (name, position) VALUES (?, ?)",
      arguments: [name, position])
  }
}
