import Foundation
import PickerSession

/// Renewal of a session whose entries do not give the stored state any more: it continues from its
/// newest snapshot under a new epoch.
extension SQLiteSessionLog {
  /// Gives a session a new epoch, and marks its newest snapshot as the beginning of its log.
  ///
  /// - Parameter then: Called on ``readingQueue`` when the change is stored.
  func renew(
    _ session: SessionID, _ divergence: StoredDivergence, then: @escaping @Sendable () -> Void
  ) {
    do {
      try pool.write { database in
        try database.transaction { try write(divergence, database) }
      }
      notify(divergence.notice(of: session, replayedWith: versions))
      readingQueue.async(execute: then)
    } catch {
      let id = session.shortened
      notify(.message("session \(id) cannot be read from \(path): \(error)"))
      notify(.loaded(session, .unavailable))
    }
  }

  private func write(_ divergence: StoredDivergence, _ database: SQLiteConnection) throws {
    try database.run(
      """
      UPDATE session SET epoch = lower(hex(randomblob(16))), rules = ?, tzdata = ?
      WHERE number = ?
      """, [versions.rules, versions.tzdata, divergence.number])
    guard let sequence = divergence.sequence else { return }
    try database.run(
      """
      UPDATE snapshot SET rules = ?, tzdata = ?, checksum = ?, replaces = ?
      WHERE session = ? AND place = ?
      """,
      [
        versions.rules, versions.tzdata, divergence.checksum, divergence.versions.text,
        divergence.number, sequence,
      ])
  }
}
