import Foundation
import Synchronization

/// The feed of an SQLite store, read on a queue of its own.
package final class SQLiteFeed: EventFeed {
  package let epoch: String
  package let signal = FeedSignal()
  private let pool: SQLitePool
  private let queue = DispatchQueue(label: "pickerd.store.feed", qos: .utility)

  /// The positions of the stored cursors; changed only on ``queue``.
  private let positions: Mutex<[String: Int]>

  init(_ pool: SQLitePool) throws {
    self.pool = pool
    let cursors = try pool.read { database in
      try database.rows("SELECT name, position FROM feedCursor") { row in
        (try row[0] as String, try row[1] as Int)
      }
    }
    epoch = try pool.read { database in
      try database.value("SELECT epoch FROM feed", as: String.self) ?? ""
    }
    positions = Mutex(Dictionary(uniqueKeysWithValues: cursors))
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
    _ body: (SQLiteConnection) throws -> Value
  ) -> Result<Value, FeedProblem> {
    do {
      return .success(try pool.read(body))
    } catch {
      return .failure(error as? FeedProblem ?? .unavailable)
    }
  }

  private static func page(_ request: FeedRequest, _ database: SQLiteConnection) throws -> FeedPage
  {
    let newest = try StoredFeed(database).newest
    let oldest = try database.value("SELECT min(position) FROM event", as: Int.self)
    try FeedBounds(oldest: oldest ?? newest + 1, newest: newest).check(request.after)
    let types = request.types ?? []
    let marks = types.map { _ in "?" }.joined(separator: ", ")
    let condition = request.types == nil ? "" : " AND type IN (\(marks))"
    var (lines, byteCount, isEnd): ([FeedLine], Int, Bool) = ([], 0, true)
    try database.forEach(
      "SELECT position, type, id, body FROM event WHERE position > ?\(condition) "
        + "ORDER BY position LIMIT ?",
      [request.after] + types + [request.countMax]
    ) { row in
      let line = FeedLine(
        position: try row[0], type: try row[1], id: try row[2], body: [UInt8](try row[3] as Data))
      lines.append(line)
      byteCount += line.byteCount
      isEnd = lines.count < request.countMax && byteCount < FeedRequest.byteCountMax
      return isEnd
    }
    return FeedPage(lines: lines, position: isEnd ? newest : lines.last?.position ?? newest)
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

  private static func write(_ name: String, _ position: Int?, _ database: SQLiteConnection) throws {
    guard let position else {
      return try database.run("DELETE FROM feedCursor WHERE name = ?", [name])
    }
    try database.run(
      "INSERT OR REPLACE INTO feedCursor (name, position) VALUES (?, ?)", [name, position])
  }
}
