import CivilTime
import Foundation
import GRDB
import PickerHub
import PickerSession

/// Events get their positions in the transaction that stores them, so that there are no gaps and no
/// reader sees a later position before an earlier one.
extension SQLiteBatchWriter {
  /// Stores events and advances the mark of their session, once.
  ///
  /// - Returns: False if the record before it was lost: this one would hide that.
  mutating func feed(
    _ record: FeedRecord, _ session: SessionID, _ now: Int64, _ database: Database
  ) throws -> Bool {
    guard var position = try position(of: session, database) else { return true }
    guard position.eventSequence >= record.previous else { return false }
    guard position.eventSequence < record.sequence else { return true }
    for event in record.events { try insert(event, now, database) }
    position.eventSequence = record.sequence
    positions[session] = position
    try execute(
      database, "UPDATE session SET eventSequence = ? WHERE number = ?",
      [record.sequence, position.number])
    return true
  }

  /// Stores an event at the next position.
  mutating func insert(_ event: FeedEvent, _ now: Int64, _ database: Database) throws {
    var feed = try feed ?? StoredFeed(database)
    let line = FeedLine(event, position: feed.newest + 1, digest: digest)
    try execute(
      database, "INSERT INTO event (position, at, type, id, body) VALUES (?, ?, ?, ?, ?)",
      [line.position, now, line.type, line.id, Data(line.body)])
    feed.newest += 1
    feed.byteCount += line.byteCount
    feed.insertedCount += 1
    self.feed = feed
  }

  func endOfUnreadable(
    _ session: SessionID, _ now: Int64, _ database: Database
  ) throws -> FeedEvent? {
    let epoch = try String.fetchOne(
      database, sql: "SELECT epoch FROM session WHERE id = ?", arguments: [session.text])
    return epoch.map {
      FeedEvent(endOfUnreadable: session, epoch: $0, at: Instant(milliseconds: now))
    }
  }

  /// Deletes events beyond the limits, and stores where the feed ends. Called once per batch; more
  /// than the batch has added is deleted only in small parts, so that no batch takes long.
  mutating func trimFeed(_ now: Int64, _ database: Database) throws {
    guard var feed, feed.insertedCount > 0 else { return }
    let countMax = 2 * feed.insertedCount + 100
    let statement = try database.cachedStatement(
      sql: "SELECT position, at, length(id) + length(body) FROM event ORDER BY position LIMIT ?")
    var last: Int?
    for row in try Row.fetchAll(statement, arguments: [countMax]) {
      let position: Int = row[0]
      let isBeyond =
        feed.newest - position >= feedLimits.events || feed.byteCount > feedLimits.bytes
        || (row[1] as Int64) < now - feedLimits.milliseconds
      guard isBeyond else { break }
      feed.byteCount -= row[2]
      last = position
    }
    if let last { try execute(database, "DELETE FROM event WHERE position <= ?", [last]) }
    feed.insertedCount = 0
    self.feed = feed
    try execute(
      database, "UPDATE feed SET newest = ?, byteCount = ?", [feed.newest, feed.byteCount])
  }
}

/// The end of the feed.
struct StoredFeed {
  /// The position of the newest event; 0 if there was none.
  var newest: Int
  /// Bytes of all events.
  var byteCount: Int
  /// Events of the batch that is being written.
  var insertedCount = 0

  init(_ database: Database) throws {
    let row = try Row.fetchOne(database, sql: "SELECT newest, byteCount FROM feed")
    newest = row?[0] ?? 0
    byteCount = row?[1] ?? 0
  }
}
