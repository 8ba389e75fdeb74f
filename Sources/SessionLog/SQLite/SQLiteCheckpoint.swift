/// The outcome of a checkpoint, which copies the journal to the file.
/// - Source: sqlite.org/pragma.html#pragma_wal_checkpoint
struct SQLiteCheckpoint {
  enum Mode: String {
    /// Copies as much as is possible without waiting.
    case passive
    /// Waits for readers, and empties the journal.
    case truncate
  }

  /// Whether another connection prevented it.
  let isBlocked: Bool
  /// The pages in the journal; -1 without a journal.
  let frameCount: Int
  /// Whether the file has everything that the journal has.
  let isComplete: Bool

  /// - Returns: `nil` if SQLite reports nothing.
  init?(_ mode: Mode, _ database: SQLiteConnection) throws {
    let row = try database.first("PRAGMA wal_checkpoint(\(mode.rawValue))") { row in
      (isBlocked: try row[0] as Bool, frames: try row[1] as Int, copied: try row[2] as Int)
    }
    guard let row else { return nil }
    isBlocked = row.isBlocked
    frameCount = row.frames
    isComplete = !row.isBlocked && row.frames == row.copied
  }
}
