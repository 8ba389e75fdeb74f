import CivilTime
import Foundation
import JSONText
import PickerSession

/// Storing snapshots, and deleting the entries and snapshots that they make superfluous.
extension SQLiteBatchWriter {
  /// Stores a snapshot, deletes the entries before it that changed nothing, and deletes snapshots
  /// that neither loading nor reading the history needs.
  ///
  /// - Returns: `false` if events of entries that the snapshot covers are lost.
  mutating func store(
    _ snapshot: EncodedSnapshot, _ session: SessionID, _ now: Int64, _ database: SQLiteConnection
  ) throws -> Bool {
    guard var position = try position(of: session, database) else { return true }
    guard position.eventSequence >= snapshot.eventSequence else { return false }
    position.eventSequence = max(position.eventSequence, snapshot.entryCount)
    if grown.remove(session) != nil { try noteGrowth(of: session, now, database) }
    try compact(snapshot.spent, &position, database)
    for document in [snapshot.definition, snapshot.shown] {
      if let document { try store(document, isLogged: false, &position, database) }
    }
    try insert(snapshot, &position, database)
    try prune(snapshot, &position, database)
    try noteSize(of: session, position, database)
    positions[session] = position
    guard snapshot.isIdle && position.entryCount == snapshot.entryCount else { return true }
    try database.run(
      """
      UPDATE session SET hasMembers = 0, nextTick = ?, activeAt = ?, status = ? WHERE number = ?
      """,
      [
        snapshot.nextTick, now - snapshot.idleMilliseconds, snapshot.status.rawValue,
        position.number,
      ])
    positions[session] = nil
    return true
  }

  private func insert(
    _ snapshot: EncodedSnapshot, _ position: inout Position, _ database: SQLiteConnection
  ) throws {
    let sequence = snapshot.entryCount
    try delete(
      "DELETE FROM snapshot WHERE session = ? AND place = ? AND replaces IS NULL",
      [position.number, sequence], &position, database)
    // Entries after the snapshot are not compacted yet, so each one has a row.
    let rowCount = position.rowCount - (position.entryCount - sequence)
    try database.run(
      """
      INSERT OR IGNORE INTO snapshot
        (session, place, revision, isIdle, body, rowCount, rules, tzdata, checksum,
         definition, shown)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        position.number, sequence, snapshot.revision, snapshot.isIdle, snapshot.body, rowCount,
        versions.rules, versions.tzdata, snapshot.checksum, snapshot.definition?.digest,
        snapshot.shown?.digest,
      ])
    if database.changedRowCount > 0 { position.byteCount += snapshot.body.count }
  }

  /// Deletes spent entries. A refused command whose time has moved the picker is replaced by a
  /// tick.
  private func compact(
    _ spent: SpentEntries, _ position: inout Position, _ database: SQLiteConnection
  ) throws {
    for run in spent.dropped.runs {
      position.rowCount -= try delete(
        "DELETE FROM entry WHERE session = ? AND place BETWEEN ? AND ?",
        [position.number, run.lowerBound, run.upperBound], &position, database)
    }
    for sequence in spent.ticks {
      guard
        let body: Data = try database.value(
          "SELECT body FROM entry WHERE session = ? AND place = ?", [position.number, sequence]),
        let at = try JSONTree.parse([UInt8](body))["at"]?.integer
      else { continue }
      let tick = LogEntry(at: Instant(milliseconds: Int64(at)), body: .tick)
      let shorter = Data(tick.tree.serialized())
      position.byteCount += shorter.count - body.count
      try database.run(
        "UPDATE entry SET body = ? WHERE session = ? AND place = ?",
        [shorter, position.number, sequence])
    }
  }

  /// Deletes snapshots before the one from which the history is read, and thins those after it.
  private func prune(
    _ newest: EncodedSnapshot, _ position: inout Position, _ database: SQLiteConnection
  ) throws {
    let rowCount = position.rowCount - (position.entryCount - newest.entryCount)
    let base: Int? = try database.value(
      SQLiteRows.baseSQL,
      [
        position.number, spacing.revision(before: newest.revision),
        spacing.rowCount(before: rowCount),
      ])
    if let base {
      try delete(
        "DELETE FROM snapshot WHERE session = ? AND place < ? AND replaces IS NULL",
        [position.number, base], &position, database)
    }
    try thin(newest, rowCount, base: base ?? 0, &position, database)
    guard newest.definition != nil else { return }
    try delete(
      """
      DELETE FROM definition WHERE session = ?1 AND NOT isLogged AND digest NOT IN (
        SELECT definition FROM snapshot WHERE session = ?1 AND definition IS NOT NULL
        UNION SELECT shown FROM snapshot WHERE session = ?1 AND shown IS NOT NULL)
      """, [position.number], &position, database)
  }

  /// Stores a definition, unless it is stored already.
  ///
  /// - Parameter isLogged: Whether an entry refers to it.
  func store(
    _ document: StoredDocument, isLogged: Bool, _ position: inout Position,
    _ database: SQLiteConnection
  ) throws {
    try database.run(
      "INSERT OR IGNORE INTO definition (session, digest, body, isLogged) VALUES (?, ?, ?, ?)",
      [position.number, document.digest, document.body, isLogged])
    if database.changedRowCount > 0 {
      position.byteCount += document.body.count
    } else if isLogged {
      try database.run(
        "UPDATE definition SET isLogged = 1 WHERE session = ? AND digest = ?",
        [position.number, document.digest])
    }
  }

  /// Deletes the snapshot before the newest if few entries are between its neighbours.
  private func thin(
    _ newest: EncodedSnapshot, _ rowCount: Int, base: Int, _ position: inout Position,
    _ database: SQLiteConnection
  ) throws {
    let before = try database.rows(
      """
      SELECT place, rowCount FROM snapshot WHERE session = ? AND place < ? AND place >= ?
      ORDER BY place DESC LIMIT 2
      """, [position.number, newest.entryCount, base]
    ) { row in (sequence: try row[0] as Int, rowCount: try row[1] as Int) }
    guard let last = before.first, last.sequence != base else { return }
    let start = before.count == 2 ? before[1].rowCount : 0
    guard rowCount - start < spacing.rowCountMin else { return }
    try delete(
      "DELETE FROM snapshot WHERE session = ? AND place = ? AND replaces IS NULL",
      [position.number, last.sequence], &position, database)
  }

  /// Deletes rows that have a `body`, and subtracts their size.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  private func delete(
    _ sql: String, _ values: [(any SQLiteValue)?], _ position: inout Position,
    _ database: SQLiteConnection
  ) throws -> Int {
    let byteCounts = try database.rows(sql + " RETURNING length(body)", values) { row in
      try row[0] as Int
    }
    position.byteCount -= byteCounts.reduce(0, +)
    return byteCounts.count
  }
}

extension [Int] {
  /// The ascending numbers as ranges without gaps.
  var runs: [ClosedRange<Int>] {
    var runs: [ClosedRange<Int>] = []
    for number in self {
      if let last = runs.last, last.upperBound + 1 == number {
        runs[runs.count - 1] = last.lowerBound...number
      } else {
        runs.append(number...number)
      }
    }
    return runs
  }
}
