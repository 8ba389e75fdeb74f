import CivilTime
import Foundation
import PickerHub
import PickerSession

/// Idempotency keys, stored with the creations that they identify.
extension SQLiteBatchWriter {
  func store(_ key: CreationKey, _ database: SQLiteConnection) throws {
    if isClockPlausible {
      try database.run(
        "DELETE FROM creation WHERE at <= ?",
        [key.at.milliseconds - SessionIndex.keyMilliseconds])
    }
    if let forgotten = key.forgotten {
      try database.run("DELETE FROM creation WHERE key = ?", [Data(forgotten)])
    }
    try database.run(
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
  ///
  /// - Parameter doubt: The age of keys is reduced after a doubtful start.
  init(_ database: SQLiteConnection, _ doubt: ClockDoubt) throws {
    self.init()
    entries = try database.rows(
      """
      SELECT id, ordinal, external,
        CASE WHEN hasMembers THEN NULL ELSE status END
      FROM session WHERE isEnded = 0 ORDER BY ordinal
      """
    ) { row in
      let status: String? = row[3]
      return SessionIndex.Entry(
        id: SessionID(try row[0]), ordinal: try row[1], external: row[2],
        status: status.flatMap(SessionStatus.init(rawValue:)))
    }
    // A session that lives may have another epoch since.
    keys = try database.rows(
      """
      SELECT key, body, creation.session, coalesce(session.epoch, creation.epoch), salt, at
      FROM creation LEFT JOIN session ON session.id = creation.session ORDER BY at
      """
    ) { row in
      CreationKey(
        keyHash: [UInt8](try row[0] as Data), bodyHash: [UInt8](try row[1] as Data),
        session: SessionID(try row[2]), epoch: try row[3], salt: try row[4],
        at: Instant(milliseconds: doubt.keyTime(try row[5])))
    }
  }
}
