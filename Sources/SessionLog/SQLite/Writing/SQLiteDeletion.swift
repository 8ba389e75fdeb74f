import Foundation

/// Deletes the rows of ended sessions in parts, between the batches. The remaining rows are deleted
/// after the next start.
extension SQLiteSessionLog {
  /// The maximum of entries that a transaction deletes.
  private static let rowCountMax = 250
  /// Seconds between two transactions: each flushes the disk, and a batch may have to wait for it.
  private static let pause = 0.025
  /// The maximum of snapshots that a transaction deletes: one may have megabytes.
  private static let snapshotCountMax = 4

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
      try SQLiteSessionLog.deletePart(database)
    }
    guard isDone == false else { return state.withLock { $0.isDeleting = false } }
    deleteNextPart()
  }

  /// - Returns: Whether no rows remain.
  private static func deletePart(_ database: SQLiteConnection) throws -> Bool {
    guard
      let number = try database.value(
        "SELECT number FROM session WHERE isEnded ORDER BY number LIMIT 1", as: Int64.self)
    else { return true }
    try database.transaction {
      try database.run(
        """
        DELETE FROM snapshot WHERE session = ?1 AND place IN
          (SELECT place FROM snapshot WHERE session = ?1 ORDER BY place LIMIT ?2)
        """, [number, snapshotCountMax])
      let snapshotCount = database.changedRowCount
      try database.run(
        """
        DELETE FROM entry WHERE number IN
          (SELECT number FROM entry WHERE session = ? ORDER BY place LIMIT ?)
        """, [number, rowCountMax])
      if snapshotCount < snapshotCountMax && database.changedRowCount < rowCountMax {
        try database.run("DELETE FROM session WHERE number = ?", [number])
      }
    }
    return false
  }
}
