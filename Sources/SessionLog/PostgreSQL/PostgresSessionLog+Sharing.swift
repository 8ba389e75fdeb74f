import CivilTime
import Foundation
package import PickerHub
package import PickerSession

/// What the hubs ask about sessions of all nodes.
extension PostgresSessionLog {
  package var isShared: Bool { true }
  package var node: NodeIncarnation { follower.node }
  package var sharedCount: SharedCount? { creations.withLock { $0.total } }

  /// The clock of the database in milliseconds since 1970, as measured.
  package var clock: (@Sendable () -> Int64)? { { [clock = follower.clock] in clock.now } }

  package func find(
    _ session: SessionID, completion: @escaping @Sendable (LogLookup<DormantSession>) -> Void
  ) {
    // PostgreSQL refuses texts with a null character, and the reader connects again after an error.
    if session.text.utf8.contains(0) { return notify(.run(session) { completion(.absent) }) }
    // A session that is found is loaded, which confirms it; an end must be confirmed here.
    lookUp(confirms: { $0.hasEnded }) { connection throws(PostgresError) in
      let rows = try connection.run(
        """
        SELECT \(DormantSession.columns), ended_at IS NOT NULL FROM session WHERE id = $1
        """, [.text(session.text)])
      return rows.count == 0 ? nil : FoundSession(rows)
    } then: { outcome in
      let living: LogLookup<DormantSession> =
        switch outcome {
        case .found(let found): found.hasEnded ? .absent : .found(found.session)
        case .absent: .absent
        case .unavailable: .unavailable
        }
      self.notify(.run(session) { completion(living) })
    }
  }

  package func find(
    _ names: SessionIndex.Names, hub: Int,
    completion: @escaping @Sendable (LogLookup<NameOwner>) -> Void
  ) {
    lookUp(confirms: { _ in true }) { connection throws(PostgresError) in
      try self.owner(of: names, connection)
    } then: { outcome in
      self.notify(.runInHub(hub) { completion(outcome) })
    }
  }

  package func list(
    _ query: SessionListQuery, hub: Int,
    completion: @escaping @Sendable (LogLookup<SessionListPage>) -> Void
  ) {
    readingQueue.async {
      let page = try? self.reader.readConfirmed { try self.page(query, $0) }
      self.notify(.runInHub(hub) { completion(page.map { .found($0) } ?? .unavailable) })
    }
  }

  package func catchUp(_ session: SessionID, completion: @escaping @Sendable () -> Void) {
    if follower.isAlone { return completion() }
    follower.catchUp(session, completion: completion)
  }

  package func released(_ session: SessionID) {
    let wasShared = reports.use { served in
      defer { served.remove(session) }
      return served.isShared(session)
    }
    if wasShared { follower.announceRelease(of: session) }
  }

  package func noteVisit(of session: SessionID) { visited.withLock { _ = $0.insert(session) } }

  package func announce(_ announcement: PresenceAnnouncement, of session: SessionID) {
    follower.announce(announcement, of: session)
  }

  /// Reads something on ``readingQueue``.
  ///
  /// - Parameter confirms: Whether the disk and the standbys must have what is found.
  private func lookUp<Found: Sendable>(
    confirms: @escaping @Sendable (Found) -> Bool,
    _ body: @escaping @Sendable (PostgresConnection) throws(PostgresError) -> Found?,
    then completion: @escaping @Sendable (LogLookup<Found>) -> Void
  ) {
    readingQueue.async {
      do {
        var found = try self.reader.read(body)
        if found.map(confirms) == true { found = try self.reader.readConfirmed(body) }
        completion(found.map { .found($0) } ?? .absent)
      } catch {
        completion(.unavailable)
      }
    }
  }

  func owner(
    of names: SessionIndex.Names, _ connection: PostgresConnection
  ) throws(PostgresError) -> NameOwner? {
    if let key = names.key {
      // A session that lives may have another epoch since.
      let rows = try connection.run(
        """
        SELECT body, creation.session, coalesce(session.epoch, creation.epoch), salt, at
        FROM creation LEFT JOIN session ON session.id = creation.session
        WHERE key = $1 AND at > now_ms() - $2
        """,
        // No key expires while the clock is in doubt.
        [
          .bytes(Data(key)),
          .int(
            writer.clockDoubt.isRaised
              ? PostgresBatch.forever : Int(SessionIndex.keyMilliseconds)),
        ])
      if rows.count > 0 {
        return .key(
          CreationKey(
            keyHash: key, bodyHash: [UInt8](rows.data(0, 0) ?? Data()),
            session: SessionID(rows.text(0, 1) ?? ""), epoch: rows.text(0, 2) ?? "",
            salt: rows.text(0, 3) ?? "", at: Instant(milliseconds: Int64(rows.int(0, 4) ?? 0))))
      }
    }
    guard let external = names.externalID else { return nil }
    let rows = try connection.run(
      "SELECT id FROM session WHERE external = $1 AND ended_at IS NULL",
      [.bytes(Data(external.utf8))])
    return rows.text(0, 0).map { .session(SessionID($0)) }
  }

  private func page(
    _ query: SessionListQuery, _ connection: PostgresConnection
  ) throws(PostgresError) -> SessionListPage {
    let rows = try connection.run(
      """
      SELECT id, ordinal, external, status FROM session
      WHERE ended_at IS NULL AND ordinal > $1 AND ($2::bytea IS NULL OR external = $2)
        AND ($3::text IS NULL OR status IS NULL OR status = $3)
      ORDER BY ordinal FETCH FIRST $4 ROWS WITH TIES
      """,
      [
        .int(query.after), .bytes(query.external.map { Data($0.utf8) }),
        .text(query.status?.rawValue), .int(query.limit + 1),
      ])
    // Two nodes may have given the same ordinal, which is the cursor of the next page.
    var count = min(rows.count, query.limit)
    while count > 0, count < rows.count, rows.int(count, 1) == rows.int(count - 1, 1) { count += 1 }
    let entries = (0..<count).map { row in
      let id = SessionID(rows.text(row, 0) ?? "")
      let status = rows.text(row, 3).flatMap(SessionStatus.init(rawValue:))
      return SessionIndex.Entry(
        id: id, ordinal: Int64(rows.int(row, 1) ?? 0),
        external: rows.data(row, 2).map { String(decoding: $0, as: UTF8.self) },
        status: status ?? storedStatus(of: id, connection))
    }
    let sessions = entries.filter { query.status == nil || query.status == $0.status }
    return SessionListPage(
      sessions: sessions,
      next: rows.count > count || count > query.limit ? entries.last?.ordinal : nil)
  }

  /// The status of a session that was moved from an SQLite store, which had it in memory.
  private func storedStatus(
    of session: SessionID, _ connection: PostgresConnection
  ) -> SessionStatus? {
    guard case .loaded(let loaded, byteCount: _)? = try? stored(session, connection) else {
      return nil
    }
    return loaded.fold.status
  }

  /// Reads a session that is not loaded for a hub.
  func stored(
    _ session: SessionID, _ connection: PostgresConnection
  ) throws -> StoredReading.Outcome? {
    try PostgresSessionRows(session, connection).map { rows in
      try StoredReading.load(
        rows, limits: limits, versions, now: rows.now,
        definition: { try $0.makeDefinition(zone: definitions.zone) },
        make: definitions.make(_:))
    }
  }
}

private struct FoundSession {
  let session: DormantSession
  let hasEnded: Bool

  init(_ rows: PostgresRows) {
    session = DormantSession(rows, 0)
    hasEnded = rows.bool(0, 5)
  }
}

extension DormantSession {
  /// The columns of the table of sessions from which it is made.
  static let columns = "id, ttl_seconds, greatest(now_ms() - active_at, 0), next_tick, has_members"

  init(_ rows: PostgresRows, _ row: Int) {
    self.init(
      id: SessionID(rows.text(row, 0) ?? ""), ttlSeconds: rows.int(row, 1) ?? 0,
      idleMilliseconds: Int64(rows.int(row, 2) ?? 0),
      nextTick: rows.int(row, 3).map { Instant(milliseconds: Int64($0)) },
      hasMembers: rows.bool(row, 4))
  }
}
