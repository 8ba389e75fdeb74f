import Foundation

/// Deletes the rows of ended sessions in parts, between the batches. The remaining rows are deleted
/// after the next start.
extension SQLiteSessionLog {
  /// Seconds between two transactions: each flushes the disk, and a batch may have to wait for it.
  private static let pause = 0.025

  /// Starts deleting, unless it is running already or the store has failed.
  func deleteEndedLater() {
    let isFirst = state.withLock { state in
      defer { state.isDeleting = true }
      return !state.isDeleting && state.failure == nil
    }
    if isFirst { deleteNextPart() }
  }

  /// Pending batches run before it, because the queue is first in, first out.
  private func deleteNextPart() {
    queue.asyncAfter(deadline: .now() + SQLiteSessionLog.pause) { self.deletePart() }
  }

  private func deletePart() {
    let isDone = try? pool.write { database in
      let isDone = try SQLiteSessionLog.deletePart(database)
      let byteCount = try database.usedByteCount
      state.withLock { $0.noteStoreSize(byteCount) }
      return isDone
    }
    guard isDone == false else { return state.withLock { $0.isDeleting = false } }
    deleteNextPart()
  }

  /// Deletes rows of an ended session in one transaction: the snapshots, the definitions, the
  /// entries, and last the session itself.
  ///
  /// - Returns: Whether no rows remain.
  static func deletePart(_ database: SQLiteConnection) throws -> Bool {
    guard
      let number = try database.value(
        "SELECT number FROM session WHERE isEnded ORDER BY number LIMIT 1", as: Int64.self)
    else { return true }
    try database.transaction {
      var part = DeletedPart()
      try part.delete(from: "snapshot", by: "place", of: number, database)
      try part.delete(from: "definition", by: "digest", of: number, database)
      try part.delete(from: "entry", by: "place", of: number, database)
      let origin = try database.value(
        "SELECT length(origin) FROM session WHERE number = ?", [number], as: Int.self)
      if part.add(origin ?? 0) {
        try database.run("DELETE FROM session WHERE number = ?", [number])
      }
    }
    return false
  }
}

/// The rows that a transaction deletes.
private struct DeletedPart {
  private var rowCount = 0
  private var byteCount = 0
  private var isFull = false

  private static let rowCountMax = 250
  /// The maximum of bytes, unless a single row has more.
  private static let byteCountMax = 1_048_576

  /// Adds a row of `size` bytes.
  ///
  /// - Returns: Whether it fits. If not, no other row is added.
  mutating func add(_ size: Int) -> Bool {
    let hasRoom =
      rowCount < DeletedPart.rowCountMax && byteCount + size <= DeletedPart.byteCountMax
    isFull = isFull || (rowCount > 0 && !hasRoom)
    if isFull { return false }
    rowCount += 1
    byteCount += size
    return true
  }

  /// Deletes the first rows of a session in a table, in the order of `key`, as many as fit.
  mutating func delete(
    from table: String, by key: String, of number: Int64, _ database: SQLiteConnection
  ) throws {
    var count = 0
    try database.forEach(
      "SELECT length(body) FROM \(table) WHERE session = ? ORDER BY \(key)", [number]
    ) { row in
      guard add(try row[0]) else { return false }
      count += 1
      return true
    }
    if count == 0 { return }
    try database.run(
      """
      DELETE FROM \(table) WHERE session = ?1 AND \(key) IN
        (SELECT \(key) FROM \(table) WHERE session = ?1 ORDER BY \(key) LIMIT ?2)
      """, [number, count])
  }
}
