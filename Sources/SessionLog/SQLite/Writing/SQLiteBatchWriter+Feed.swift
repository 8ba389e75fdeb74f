import CivilTime
import Foundation
import PickerHub
import PickerSession

/// Events get their positions in the transaction that stores them, so that there are no gaps and no
/// reader sees a later position before an earlier one.
extension SQLiteBatchWriter {
  /// Stores events and advances the mark of their session, once.
  ///
  /// - Returns: False if the record before it was lost: this one would hide that.
  mutating func feed(
    _ record: FeedRecord, _ session: SessionID, _ now: Int64, _ database: SQLiteConnection
  ) throws -> Bool {
    guard var position = try position(of: session, database) else { return true }
    guard position.eventSequence >= record.previous else { return false }
    guard position.eventSequence < record.sequence else { return true }
    for event in record.events { try insert(event, now, database) }
    position.eventSequence = record.sequence
    positions[session] = position
    try database.run(
      "UPDATE session SET eventSequence = ? WHERE number = ?",
      [record.sequence, position.number])
    return true
  }

  /// Stores an event at the next position.
  mutating func insert(_ event: FeedEvent, _ now: Int64, _ database: SQLiteConnection) throws {
    var feed = try feed ?? StoredFeed(database)
    let line = FeedLine(event, position: feed.newest + 1, digest: digest)
    try database.run(
      "INSERT INTO event (position, at, type, id, body) VALUES (?, ?, ?, ?, ?)",
      [line.position, now, line.type, line.id, Data(line.body)])
    feed.newest += 1
    feed.byteCount += line.byteCount
    feed.insertedCount += 1
    self.feed = feed
  }

  func endOfUnreadable(
    _ session: SessionID, _ now: Int64, _ database: SQLiteConnection
  ) throws -> FeedEvent? {
    let epoch = try database.value(
      "SELECT epoch FROM session WHERE id = ?", [session.text], as: String.self)
    return epoch.map {
      FeedEvent(endOfUnreadable: session, epoch: $0, at: Instant(milliseconds: now))
    }
  }

  /// Deletes events beyond the limits, and stores where the feed ends. Called once per batch; more
  /// than the batch has added is deleted only in small parts, so that no batch takes long.
  mutating func trimFeed(_ now: Int64, _ database: SQLiteConnection) throws {
    guard var feed, feed.insertedCount > 0 else { return }
    let countMax = 2 * feed.insertedCount + 100
    var last: Int?
    try database.forEach(
      "SELECT position, at, length(id) + length(body) FROM event ORDER BY position LIMIT ?",
      [countMax]
    ) { row in
      let position: Int = try row[0]
      let time: Int64 = try row[1]
      let isBeyond =
        feed.newest - position >= feedLimits.events || feed.byteCount > feedLimits.bytes
        || (isClockPlausible && time < now - feedLimits.milliseconds)
      guard isBeyond else { return false }
      feed.byteCount -= try row[2]
      last = position
      return true
    }
    if let last { try database.run("DELETE FROM event WHERE position <= ?", [last]) }
    feed.insertedCount = 0
    self.feed = feed
    try database.run("UPDATE feed SET newest = ?, byteCount = ?", [feed.newest, feed.byteCount])
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

  init(_ database: SQLiteConnection) throws {
    let feed = try database.first("SELECT newest, byteCount FROM feed") { row in
      (newest: try row[0] as Int, byteCount: try row[1] as Int)
    }
    newest = feed?.newest ?? 0
    byteCount = feed?.byteCount ?? 0
  }
}
