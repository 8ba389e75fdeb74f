import Foundation
import GRDB
import PickerSession

/// A session that cannot be folded again as it was: its snapshot counts, under a new epoch.
extension SQLiteSessionLog {
  /// Gives a session a new epoch, and lets its log begin at its newest snapshot.
  ///
  /// - Parameter then: Called on ``readingQueue`` when that is stored.
  func renew(
    _ session: SessionID, _ divergence: StoredDivergence, then: @escaping @Sendable () -> Void
  ) {
    do {
      try pool.write { database in try write(divergence, database) }
      notify(
        .said(
          "session \(session) was stored with \(divergence.versions.text) and folds to something "
            + "else with \(versions.text): it goes on from its last snapshot under a new epoch"))
      readingQueue.async(execute: then)
    } catch {
      notify(.said("session \(session) cannot be read from \(path): \(error.storeText)"))
      notify(.loaded(session, nil))
    }
  }

  private func write(_ divergence: StoredDivergence, _ database: Database) throws {
    try database.execute(
      sql: """
        UPDATE session SET epoch = lower(hex(randomblob(16))), rules = ?, tzdata = ?
        WHERE number = ?
        """, arguments: [versions.rules, versions.tzdata, divergence.number])
    guard let place = divergence.place else { return }
    try database.execute(
      sql: """
        UPDATE snapshot SET rules = ?, tzdata = ?, checksum = ?, replaces = ?
        WHERE session = ? AND place = ?
        """,
      arguments: [
        versions.rules, versions.tzdata, divergence.checksum, divergence.versions.text,
        divergence.number, place,
      ])
  }
}
