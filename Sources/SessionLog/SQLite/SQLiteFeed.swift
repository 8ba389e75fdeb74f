import Foundation
import GRDB

/// The feed in a file, read on a thread of its own.
package final class SQLiteFeed: EventFeed {
  package let signal = FeedSignal()
  private let pool: DatabasePool
  private let queue = DispatchQueue(label: "pickerd.store.feed", qos: .utility)

  init(_ pool: DatabasePool) throws {
    self.pool = pool
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

  package func cursor(
    _ name: String, completion: @escaping @Sendable (Result<Int?, FeedProblem>) -> Void
  ) {
    queue.async {
      completion(
        self.attempt {
          try Int.fetchOne(
            $0, sql: "SELECT position FROM feedCursor WHERE name = ?", arguments: [name])
        })
    }
  }

  package func setCursor(
    _ name: String, to position: Int,
    completion: @escaping @Sendable (Result<Void, FeedProblem>) -> Void
  ) {
    queue.async {
      completion(
        Result { try self.pool.write { try SQLiteFeed.write(name, position, $0) } }
          .mapError { $0 as? FeedProblem ?? .unavailable })
    }
  }

  private static func write(_ name: String, _ position: Int, _ database: Database) throws {
    try database.execute(
      sql: "UPDATE feedCursor SET position = ? WHERE name = ?", arguments: [position, name])
    if database.changesCount > 0 { return }
    let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM feedCursor") ?? 0
    guard count < FeedLimits.cursorCountMax else { throw FeedProblem.tooManyCursors }
    try database.execute(
      sql: "INSERT INTO feedCursor (name, position) VALUES (?, ?)", arguments: [name, position])
  }
}
