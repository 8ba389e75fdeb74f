import CivilTime
import Foundation
import GRDB
import PickerHub
import PickerSession

/// Idempotency keys, stored with the creations that they identify.
extension SQLiteBatchWriter {
  func store(_ key: CreationKey, _ database: Database) throws {
    try execute(
      database, "DELETE FROM creation WHERE at <= ?",
      [key.at.milliseconds - SessionIndex.keyMilliseconds])
    if let forgotten = key.forgotten {
      try execute(database, "DELETE FROM creation WHERE key = ?", [Data(forgotten)])
    }
    try execute(
      database,
      """
      INSERT OR REPLACE INTO creation (key, body, session, epoch, salt, at)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        Data(key.keyHash), Data(key.bodyHash), key.session.text, key.epoch, key.salt,
        key.at.milliseconds,
      ])
  }
}

extension StoredNames {
  /// A session in memory at the last snapshot may have another status since: then it is not known.
  init(_ database: Database) throws {
    self.init()
    let sessions = try Row.fetchCursor(
      database,
      sql: """
        SELECT id, coalesce(ordinal, number) AS place, external,
          CASE WHEN hasMembers THEN NULL ELSE status END
        FROM session WHERE isEnded = 0 ORDER BY place
        """)
    while let row = try sessions.next() {
      let status: String? = row[3]
      entries.append(
        SessionIndex.Entry(
          id: SessionID(row[0]), ordinal: row[1], external: row[2],
          status: status.flatMap(SessionStatus.init(rawValue:))))
    }
    // A session that lives may have another epoch since.
    let creations = try Row.fetchCursor(
      database,
      sql: """
        SELECT key, body, creation.session, coalesce(session.epoch, creation.epoch), salt, at
        FROM creation LEFT JOIN session ON session.id = creation.session ORDER BY at
        """)
    while let row = try creations.next() {
      keys.append(
        CreationKey(
          keyHash: [UInt8](row[0] as Data), bodyHash: [UInt8](row[1] as Data),
          session: SessionID(row[2]), epoch: row[3], salt: row[4],
          at: Instant(milliseconds: row[5])))
    }
  }
}
