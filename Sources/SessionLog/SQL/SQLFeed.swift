import Foundation
import Synchronization

/// The feed of a database, read on a queue of its own.
package final class SQLFeed: EventFeed {
  /// The channel on which a node notifies the others of new events.
  static let channel = "pickerd_feed"

  package let signal = FeedSignal()
  private let engine: any SQLEngine
  private let queue: any WorkQueue
  private let state: Mutex<State>
  private let writing = Mutex<Writing?>(nil)
  /// What ``lookLater(atCursors:)`` has been asked for, and has not read yet.
  private let look = Mutex(Look())

  /// A closure in a box, as in `StoreMailbox`.
  private final class Writing: Sendable {
    let write: @Sendable (StoreChange) -> Void

    init(_ write: @escaping @Sendable (StoreChange) -> Void) { self.write = write }
  }

  /// What other nodes may change.
  private struct State {
    var epoch: String
    var newest: Int
    var cursors: [String: Int]
  }

  private struct Look {
    var isQueued = false
    var wantsCursors = false
  }

  init(_ engine: any SQLEngine, _ queue: any WorkQueue) throws {
    (self.engine, self.queue) = (engine, queue)
    let state = try engine.read { try SQLFeed.state($0) }
    self.state = Mutex(state)
    signal.advance(FeedNews(position: state.newest))
  }

  /// Sets how cursors are stored.
  func write(by write: @escaping @Sendable (StoreChange) -> Void) {
    let boxed = Writing(write)
    writing.withLock { $0 = boxed }
  }

  package var epoch: String { state.withLock { $0.epoch } }
  package var cursors: [String: Int] { state.withLock { $0.cursors } }

  private static func state(_ connection: any SQLConnection) throws -> State {
    State(
      epoch: try epoch(connection),
      newest: try connection.value("SELECT newest FROM feed") ?? 0,
      cursors: try cursors(connection))
  }

  private static func cursors(_ connection: any SQLConnection) throws -> [String: Int] {
    let all = try connection.rows("SELECT name, position FROM feed_cursor") { row in
      (try row[0] as String, try row[1] as Int)
    }
    return Dictionary(uniqueKeysWithValues: all)
  }

  static func epoch(_ connection: any SQLConnection) throws -> String {
    try connection.value("SELECT epoch FROM feed") ?? ""
  }

  private static func ends(_ connection: any SQLConnection) throws -> FeedBounds {
    let newest: Int = try connection.value("SELECT newest FROM feed") ?? 0
    let oldest: Int? = try connection.value("SELECT min(position) FROM event")
    return FeedBounds(oldest: oldest ?? newest + 1, newest: newest)
  }

  /// Reads something together with the epoch to which it belongs, which is ``epoch`` then.
  ///
  /// A primary that is cut off from the others has an older epoch and only older events: if they
  /// differ from what is expected, all replicas must have what is read.
  private func current<Value: Sendable>(
    _ body: (any SQLConnection) throws -> Value
  ) throws -> Value {
    do {
      let (found, value) = try engine.read { (try SQLFeed.epoch($0), try body($0)) }
      if found == epoch { return value }
    } catch FeedProblem.gone where engine.isClustered {}
    let (state, value) = try engine.readConfirmed { connection in
      (try SQLFeed.state(connection), Result { try body(connection) })
    }
    adopt(state)
    return try value.get()
  }

  /// Another node may have added events, or set cursors.
  package func lookLater(atCursors: Bool) {
    guard engine.isClustered else { return }
    let isFirst = look.withLock { look in
      defer { look.isQueued = true }
      look.wantsCursors = look.wantsCursors || atCursors
      return !look.isQueued
    }
    guard isFirst else { return }
    queue.async {
      let wanted = self.look.withLock { look in
        defer { look = Look() }
        return look.wantsCursors
      }
      let known = self.signal.position
      let found = try? self.current {
        (try SQLFeed.news(after: known, $0), wanted ? try SQLFeed.cursors($0) : nil)
      }
      guard let (news, cursors) = found else { return }
      if let cursors { self.state.withLock { $0.cursors = cursors } }
      self.signal.advance(news)
    }
  }

  /// The maximum of new events whose kinds are read.
  private static let newCountMax = 1000

  private static func news(after known: Int, _ connection: any SQLConnection) throws -> FeedNews {
    let newest = try ends(connection).newest
    guard newest - known <= newCountMax else { return FeedNews(position: newest) }
    let kinds = try connection.rows(
      "SELECT DISTINCT type, namespace FROM event WHERE position > $1 AND position <= $2",
      [known, newest]
    ) { row in FeedNews.Kind(type: try row[0], namespace: try row[1]) }
    return FeedNews(position: newest, kinds: Set(kinds))
  }

  private func adopt(_ new: State) {
    // After a restore to the past, positions are used again.
    if new.epoch != epoch { signal.restart() }
    state.withLock { $0 = new }
    signal.advance(FeedNews(position: new.newest))
  }

  package func refresh(completion: @escaping @Sendable (Bool) -> Void) {
    guard engine.isClustered else { return completion(true) }
    queue.async {
      do {
        self.adopt(try self.engine.readConfirmed { try SQLFeed.state($0) })
        completion(true)
      } catch {
        completion(false)
      }
    }
  }

  package func read(
    _ request: FeedRequest, completion: @escaping @Sendable (Result<FeedPage, FeedProblem>) -> Void
  ) {
    queue.async { completion(self.page(request)) }
  }

  private func page(_ request: FeedRequest) -> Result<FeedPage, FeedProblem> {
    do {
      return .success(try current { try SQLFeed.page(request, $0) })
    } catch let problem as FeedProblem {
      return .failure(problem)
    } catch {
      return .failure(.unavailable)
    }
  }

  private static func page(
    _ request: FeedRequest, _ connection: any SQLConnection
  ) throws -> FeedPage {
    let ends = try ends(connection)
    try ends.check(request.after)
    var (filter, values): (String, [(any SQLValue)?]) = ("", [])
    if let types = request.types {
      values.append(SQLList.texts(types))
      filter += " AND \(connection.dialect.isAny("type", 3 + values.count))"
    }
    if let namespace = request.namespace {
      values.append(namespace)
      filter += " AND namespace = $\(3 + values.count)"
    }
    let lines = try connection.rows(
      """
      SELECT position, type, id, body FROM (
        SELECT position, type, id, body,
          sum(length(id) + length(body)) OVER (ORDER BY position) AS total FROM (
            SELECT position, type, id, body FROM event WHERE position > $1\(filter)
            ORDER BY position LIMIT $2) AS found
      ) AS counted WHERE total - length(id) - length(body) < $3 ORDER BY position
      """, [request.after, request.countMax, FeedRequest.byteCountMax] + values
    ) { row in
      FeedLine(
        position: try row[0], type: try row[1], id: try row[2], body: [UInt8](try row[3] as Data))
    }
    let byteCount = lines.reduce(0) { $0 + $1.byteCount }
    let isPart = lines.count >= request.countMax || byteCount >= FeedRequest.byteCountMax
    return FeedPage(lines: lines, position: isPart ? lines.last?.position ?? 0 : ends.newest)
  }

  package func setCursor(
    _ name: CursorName, to position: Int?,
    completion: @escaping @Sendable (Result<Void, FeedProblem>) -> Void
  ) {
    queue.async {
      // One that does not exist is deleted without a transaction.
      if position == nil, (try? self.engine.readConfirmed { try SQLFeed.has(name, $0) }) == false {
        self.state.withLock { $0.cursors[name.text] = nil }
        return completion(.success(()))
      }
      guard let writing = self.writing.withLock({ $0 }) else {
        return completion(.failure(.unavailable))
      }
      writing.write(
        StoreChange(byteCount: 0) { connection in
          let isSet = try SQLFeed.write(name, position, connection)
          return StoreChange.Outcome {
            guard isSet else { return completion(.failure(.tooManyCursors)) }
            self.state.withLock { $0.cursors[name.text] = position }
            completion(.success(()))
          }
        } fail: {
          completion(.failure(.unavailable))
        })
    }
  }

  private static func has(_ name: CursorName, _ connection: any SQLConnection) throws -> Bool {
    try connection.value("SELECT EXISTS (SELECT 1 FROM feed_cursor WHERE name = $1)", [name.text])
      ?? false
  }

  /// - Returns: `false` if there are too many cursors for another one.
  private static func write(
    _ name: CursorName, _ position: Int?, _ connection: any SQLConnection
  ) throws -> Bool {
    guard let position else {
      try connection.send("DELETE FROM feed_cursor WHERE name = $1", [name.text])
      return true
    }
    if try !has(name, connection) {
      let others: [String] = try connection.rows("SELECT name FROM feed_cursor") { try $0[0] }
      guard name.hasRoom(among: others) else { return false }
    }
    try connection.send(
      """
      INSERT INTO feed_cursor (name, position) VALUES ($1, $2)
      ON CONFLICT (name) DO UPDATE SET position = excluded.position
      """, [name.text, position])
    return true
  }
}
