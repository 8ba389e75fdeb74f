import Foundation
import Synchronization

/// The feed in a database, read over a connection of its own.
package final class PostgresFeed: EventFeed {
  package let signal = FeedSignal()
  private let reader: PostgresReader
  private let queue = DispatchQueue(label: "pickerd.store.feed", qos: .utility)
  private let state: Mutex<(epoch: String, cursors: [String: Int])>
  private let cursorsSet = Mutex<CursorsSet?>(nil)

  private final class CursorsSet: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  init(_ connection: PostgresConnection, _ reader: PostgresReader) throws(PostgresError) {
    self.reader = reader
    state = Mutex(try PostgresFeed.state(connection))
    let newest = try connection.run("SELECT newest FROM feed").int(0, 0) ?? 0
    try connection.waitForStandbys()
    signal.advance(to: newest)
  }

  /// Sets what is called after a cursor was set.
  func afterCursors(_ body: @escaping @Sendable () -> Void) {
    let boxed = CursorsSet(body)
    cursorsSet.withLock { $0 = boxed }
  }

  package var epoch: String { state.withLock { $0.epoch } }

  package var cursors: [String: Int] { state.withLock { $0.cursors } }

  /// Reads the epoch and the cursors again, which other nodes may have changed.
  func readState() {
    queue.async { self.adopt(try? self.reader.read { try PostgresFeed.state($0) }) }
  }

  package func refresh(
    upTo position: Int, completion: @escaping @Sendable (Bool) -> Void
  ) {
    queue.async {
      do {
        self.adopt(try self.reader.read { try PostgresFeed.state($0) })
        if position > self.signal.position {
          // Positions that the standbys do not have yet were not sent by any node.
          self.signal.advance(to: try self.reader.readConfirmed { try PostgresFeed.newest($0) })
        }
        completion(true)
      } catch {
        completion(false)
      }
    }
  }

  private static func newest(_ connection: PostgresConnection) throws(PostgresError) -> Int {
    try connection.run("SELECT newest FROM feed").int(0, 0) ?? 0
  }

  /// Gives the sessions and the feed new epochs if events that this node has shown are missing, as
  /// after a failover that has lost commits: their positions will have other events.
  func findLossLater() { queue.async { try? self.findLoss() } }

  private func findLoss() throws {
    let known = signal.position
    if try reader.read({ try PostgresFeed.newest($0) }) >= known { return }
    try reader.use { connection throws(PostgresError) in
      // Otherwise another node has found it.
      let isFirst = try connection.run("SELECT epoch = $1 FROM feed", [.text(epoch)]).bool(0, 0)
      guard isFirst else { return }
      try connection.run("BEGIN")
      try PostgresSchema.renewEpochs(
        connection, history: try PostgresSchema.history(connection))
      try connection.run("COMMIT")
    }
    adopt(try reader.read { try PostgresFeed.state($0) })
  }

  private func adopt(_ state: (epoch: String, cursors: [String: Int])?) {
    guard let state else { return }
    // After a restore to the past, positions are used again.
    if state.epoch != epoch { signal.restart() }
    self.state.withLock { $0 = state }
  }

  private static func state(
    _ connection: PostgresConnection
  ) throws(PostgresError) -> (epoch: String, cursors: [String: Int]) {
    let rows = try connection.run("SELECT name, position FROM feed_cursor")
    var cursors: [String: Int] = [:]
    for row in 0..<rows.count { cursors[rows.text(row, 0) ?? ""] = rows.int(row, 1) }
    return (try connection.run("SELECT epoch FROM feed").text(0, 0) ?? "", cursors)
  }

  package func read(
    _ request: FeedRequest, completion: @escaping @Sendable (Result<FeedPage, FeedProblem>) -> Void
  ) {
    queue.async {
      do {
        completion(.success(try self.page(request)))
      } catch {
        completion(.failure(error as? FeedProblem ?? .unavailable))
      }
    }
  }

  /// Returns only events that the standbys have.
  private func page(_ request: FeedRequest) throws -> FeedPage {
    let known = signal.position
    let (page, epoch) = try reader.read { try PostgresFeed.page(request, $0) }
    if epoch != self.epoch { adopt(try reader.read { try PostgresFeed.state($0) }) }
    // Otherwise a reader that waits for the known position would read without end.
    if page.lines.isEmpty && page.position < known { try findLoss() }
    if page.position <= signal.position { return page }
    let (confirmed, _) = try reader.readConfirmed { try PostgresFeed.page(request, $0) }
    signal.advance(to: confirmed.position)
    return confirmed
  }

  private static func page(
    _ request: FeedRequest, _ connection: PostgresConnection
  ) throws -> (page: FeedPage, epoch: String) {
    let ends = try connection.run(
      "SELECT newest, (SELECT min(position) FROM event), epoch FROM feed")
    let newest = ends.int(0, 0) ?? 0
    try FeedBounds(oldest: ends.int(0, 1) ?? newest + 1, newest: newest).check(request.after)
    let rows = try connection.run(
      """
      SELECT position, type, id, body FROM (
        SELECT *, sum(length(id) + length(body)) OVER (ORDER BY position) AS total FROM (
          SELECT * FROM event WHERE position > $1 AND ($2 OR type = ANY ($3))
          ORDER BY position LIMIT $4) AS found
      ) AS counted WHERE total - length(id) - length(body) < $5 ORDER BY position
      """,
      [
        .int(request.after), .bool(request.types == nil), .texts(request.types ?? []),
        .int(request.countMax), .int(FeedRequest.byteCountMax),
      ])
    let lines = (0..<rows.count).map { row in
      FeedLine(
        position: rows.int(row, 0) ?? 0, type: rows.text(row, 1) ?? "", id: rows.text(row, 2) ?? "",
        body: [UInt8](rows.data(row, 3) ?? Data()))
    }
    let byteCount = lines.reduce(0) { $0 + $1.byteCount }
    let isPart = lines.count >= request.countMax || byteCount >= FeedRequest.byteCountMax
    let page = FeedPage(lines: lines, position: isPart ? lines.last?.position ?? newest : newest)
    return (page, ends.text(0, 2) ?? "")
  }

  package func setCursor(
    _ name: String, to position: Int?,
    completion: @escaping @Sendable (Result<Void, FeedProblem>) -> Void
  ) {
    queue.async {
      let cursors = self.cursors
      guard position == nil || cursors[name] != nil || cursors.count < FeedLimits.cursorCountMax
      else { return completion(.failure(.tooManyCursors)) }
      do {
        try self.write(name, position)
        self.state.withLock { $0.cursors[name] = position }
        self.cursorsSet.withLock { $0 }?.body()
        completion(.success(()))
      } catch {
        completion(.failure(.unavailable))
      }
    }
  }

  private func write(_ name: String, _ position: Int?) throws(PostgresError) {
    guard let position else {
      try reader.write("DELETE FROM feed_cursor WHERE name = $1", [.text(name)])
      return
    }
    try reader.write(
      """
      INSERT INTO feed_cursor (name, position) VALUES ($1, $2)
      ON CONFLICT (name) DO UPDATE SET position = excluded.position
      """, [.text(name), .int(position)])
  }
}
