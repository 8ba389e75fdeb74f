import CivilTime
import Foundation
import PickerHub
import PickerSession

/// What a database has when a server starts.
struct PostgresOpening {
  let sessions: [DormantSession]
  let names: StoredNames

  init(_ connection: PostgresConnection) throws(PostgresError) {
    sessions = try PostgresOpening.sessions(connection)
    names = try PostgresOpening.names(connection)
  }

  private static func sessions(
    _ connection: PostgresConnection
  ) throws(PostgresError) -> [DormantSession] {
    let rows = try connection.run(
      """
      SELECT id, ttl_seconds, greatest(now_ms() - active_at, 0),
        has_members OR event_sequence < head, next_tick,
        CASE WHEN has_members THEN NULL ELSE status END
      FROM session WHERE ended_at IS NULL
      """)
    return (0..<rows.count).map { row in
      DormantSession(
        id: SessionID(rows.text(row, 0) ?? ""), ttlSeconds: rows.int(row, 1) ?? 0,
        idleMilliseconds: Int64(rows.int(row, 2) ?? 0),
        nextTick: rows.int(row, 4).map { Instant(milliseconds: Int64($0)) },
        hasMembers: rows.bool(row, 3),
        status: rows.text(row, 5).flatMap(SessionStatus.init(rawValue:)))
    }
  }

  private static func names(
    _ connection: PostgresConnection
  ) throws(PostgresError) -> StoredNames {
    var names = StoredNames()
    let sessions = try connection.run(
      """
      SELECT id, ordinal, external, CASE WHEN has_members THEN NULL ELSE status END
      FROM session WHERE ended_at IS NULL ORDER BY ordinal
      """)
    for row in 0..<sessions.count {
      names.entries.append(
        SessionIndex.Entry(
          id: SessionID(sessions.text(row, 0) ?? ""), ordinal: Int64(sessions.int(row, 1) ?? 0),
          external: sessions.text(row, 2),
          status: sessions.text(row, 3).flatMap(SessionStatus.init(rawValue:))))
    }
    // A session that lives may have another epoch since.
    let keys = try connection.run(
      """
      SELECT key, body, creation.session, coalesce(session.epoch, creation.epoch), salt, at
      FROM creation LEFT JOIN session ON session.id = creation.session ORDER BY at
      """)
    for row in 0..<keys.count {
      names.keys.append(
        CreationKey(
          keyHash: [UInt8](keys.data(row, 0) ?? Data()),
          bodyHash: [UInt8](keys.data(row, 1) ?? Data()),
          session: SessionID(keys.text(row, 2) ?? ""), epoch: keys.text(row, 3) ?? "",
          salt: keys.text(row, 4) ?? "", at: Instant(milliseconds: Int64(keys.int(row, 5) ?? 0))))
    }
    return names
  }
}
