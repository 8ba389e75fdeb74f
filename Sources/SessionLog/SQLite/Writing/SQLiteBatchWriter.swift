import CivilTime
import Foundation
import JSONText
import PickerHub
import PickerSession

/// Writes batches of records, and caches the end of each session's log. Used on the store's writing
/// queue only.
struct SQLiteBatchWriter {
  /// The outcome of a batch.
  struct Result {
    /// The number of the batch.
    let batch: Int
    /// The new sizes of the logs whose size has changed; `nil` for a session that has ended.
    let byteCounts: [SessionID: Int?]
    /// Whether rows of ended sessions remain to be deleted.
    let hasEnded: Bool
    /// Sessions with events or snapshots that were not stored, because events before them are lost.
    let refused: [SessionID]
    /// The position of the newest event; `nil` if this process has written none.
    let feedPosition: Int?
    /// The bytes in use in the store.
    let storeByteCount: Int
  }

  /// The end of a session's log.
  struct Position {
    let number: Int64
    /// The sequence number of the last entry.
    var entryCount: Int
    /// The number of stored entries, without compacted ones.
    var rowCount: Int
    /// The size of the creation and the stored entries, snapshots and definitions, in bytes.
    var byteCount: Int
    /// The last entry whose events are in the feed.
    var eventSequence: Int
  }

  /// The maximum of entries of a session that is deleted at once. Larger ones are deleted later, in
  /// parts.
  static let deletedRowCountMax = 1000
  /// The maximum size of a session that is deleted at once, in bytes.
  static let deletedByteCountMax = 1_048_576

  var positions: [SessionID: Position] = [:]
  /// Sessions with new entries in this batch, whose rows in `session` must be updated.
  var grown: Set<SessionID> = []
  private var byteCounts: [SessionID: Int?] = [:]
  private var hasEnded = false
  private var refused: [SessionID] = []
  /// Whether the clock is not in doubt in this batch.
  var isClockPlausible = true
  /// The end of the feed; `nil` until the first event is written.
  var feed: StoredFeed?
  let feedLimits: FeedLimits
  private let limits: SessionLimits
  let digest: @Sendable ([UInt8]) -> [UInt8]
  let versions: FoldVersions
  let spacing: SnapshotSpacing

  /// - Parameters:
  ///   - limits: The limits of new sessions.
  ///   - digest: A one-way hash.
  init(
    _ limits: SessionLimits, _ feedLimits: FeedLimits, _ versions: FoldVersions,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    self.limits = limits
    self.feedLimits = feedLimits
    self.digest = digest
    self.versions = versions
    spacing = SnapshotSpacing(limits)
  }

  /// Commits a batch.
  ///
  /// - Parameters:
  ///   - visited: Sessions that members have joined.
  ///   - isClockPlausible: Whether to store the current time as that of the last batch, and to
  ///     delete what is too old by it.
  /// - Throws: SQLite's error. Nothing of the batch is stored then, and the writer must be
  ///   replaced, because its cached positions are wrong.
  mutating func commit(
    _ records: [StoreRecord], _ visited: Set<SessionID>, isClockPlausible: Bool,
    _ database: SQLiteConnection
  ) throws -> Result {
    byteCounts.removeAll(keepingCapacity: true)
    hasEnded = false
    refused = []
    self.isClockPlausible = isClockPlausible
    return try database.transaction {
      let now = Int64(Date.now.timeIntervalSince1970 * 1000)
      for record in records { try write(record, now, database) }
      for session in visited where !grown.contains(session) {
        try database.run(
          "UPDATE session SET activeAt = ? WHERE id = ? AND isEnded = 0", [now, session.text])
      }
      for session in grown { try noteGrowth(of: session, now, database) }
      grown.removeAll(keepingCapacity: true)
      try trimFeed(now, database)
      try database.run(
        "UPDATE store SET batch = batch + 1, writtenAt = CASE WHEN ?2 THEN ?1 ELSE writtenAt END",
        [now, isClockPlausible])
      let batch = try database.value("SELECT batch FROM store", as: Int.self) ?? 0
      return Result(
        batch: batch, byteCounts: byteCounts, hasEnded: hasEnded, refused: refused,
        feedPosition: feed?.newest, storeByteCount: try database.usedByteCount)
    }
  }

  private mutating func write(_ record: StoreRecord, _ now: Int64, _ database: SQLiteConnection)
    throws
  {
    switch record {
    case .log(.created(let origin), let session): try create(session, origin, now, database)
    case .log(.entry(let entry), let session): try add(entry, session, database)
    case .log(.ended(let event, _), let session): try end(session, event, now, database)
    case .snapshot(let snapshot, let session):
      if try !store(snapshot, session, now, database) { refused.append(session) }
    case .feed(let record, let session):
      if try !feed(record, session, now, database) { refused.append(session) }
    }
  }

  private mutating func create(
    _ session: SessionID, _ origin: SessionOrigin, _ now: Int64, _ database: SQLiteConnection
  ) throws {
    let body = Data(origin.json(under: limits))
    try database.run(
      """
      INSERT INTO session
        (id, epoch, origin, byteCount, ttlSeconds, hasMembers, activeAt, rules, tzdata, ordinal,
         external)
      VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)
      """,
      [
        session.text, origin.epoch, body, body.count, origin.ttlSeconds, now, versions.rules,
        versions.tzdata, origin.ordinal, origin.host.external,
      ])
    if let key = origin.key { try store(key, database) }
    positions[session] = Position(
      number: database.lastInsertedRow, entryCount: 0, rowCount: 0, byteCount: body.count,
      eventSequence: FeedRecord.nothing)
    byteCounts[session] = .some(body.count)
  }

  private mutating func add(
    _ entry: LogEntry, _ session: SessionID, _ database: SQLiteConnection
  ) throws {
    guard var position = try position(of: session, database) else { return }
    let (body, document) = entry.stored(digest: digest)
    if let document { try store(document, isLogged: true, &position, database) }
    position.entryCount += 1
    position.rowCount += 1
    position.byteCount += body.count
    try database.run(
      "INSERT INTO entry (session, place, body) VALUES (?, ?, ?)",
      [position.number, position.entryCount, body])
    positions[session] = position
    grown.insert(session)
  }

  /// Updates the row of a session with new entries: once per batch, not per entry.
  mutating func noteGrowth(of session: SessionID, _ now: Int64, _ database: SQLiteConnection) throws
  {
    guard let position = positions[session] else { return }
    byteCounts[session] = .some(position.byteCount)
    try database.run(
      """
      UPDATE session SET entryCount = ?, rowCount = ?, byteCount = ?, hasMembers = 1, activeAt = ?
      WHERE number = ?
      """,
      [position.entryCount, position.rowCount, position.byteCount, now, position.number])
  }

  /// Stores the size of a log that has been compacted.
  mutating func noteSize(
    of session: SessionID, _ position: Position, _ database: SQLiteConnection
  ) throws {
    byteCounts[session] = .some(position.byteCount)
    try database.run(
      "UPDATE session SET rowCount = ?, byteCount = ?, eventSequence = ? WHERE number = ?",
      [position.rowCount, position.byteCount, position.eventSequence, position.number])
  }

  /// Ends a session: no reader finds it any more. The rows of a long log or of large definitions
  /// are deleted later, so that they do not delay the entries of other sessions.
  private mutating func end(
    _ session: SessionID, _ event: FeedEvent?, _ now: Int64, _ database: SQLiteConnection
  ) throws {
    guard let position = try position(of: session, database) else { return }
    if let event = try event ?? endOfUnreadable(session, now, database) {
      try insert(event, now, database)
    }
    if position.rowCount > SQLiteBatchWriter.deletedRowCountMax
      || position.byteCount > SQLiteBatchWriter.deletedByteCountMax
    {
      try database.run("UPDATE session SET isEnded = 1 WHERE number = ?", [position.number])
      hasEnded = true
    } else {
      try database.run("DELETE FROM session WHERE number = ?", [position.number])
    }
    positions[session] = nil
    byteCounts[session] = .some(nil)
    grown.remove(session)
  }

  func position(of session: SessionID, _ database: SQLiteConnection) throws -> Position? {
    if let position = positions[session] { return position }
    return try database.first(
      """
      SELECT number, entryCount, rowCount, byteCount, eventSequence FROM session
      WHERE id = ? AND isEnded = 0
      """, [session.text]
    ) { row in
      Position(
        number: try row[0], entryCount: try row[1], rowCount: try row[2], byteCount: try row[3],
        eventSequence: try row[4])
    }
  }
}
