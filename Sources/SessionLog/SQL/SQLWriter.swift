import CivilTime
import Foundation
import JSONText
import PickerHub
import PickerSession

/// Writes the records of a batch within a transaction of the caller. Used on the store's writing
/// queue only.
///
/// The rows of the batch's sessions are read, and with several nodes locked, before anything is
/// written: of a session that this node does not own, nothing is stored.
final class SQLWriter {
  /// The outcome of a batch, once it is committed.
  struct Result {
    /// The new sizes of the logs whose size has changed; `nil` for a session that has ended.
    var byteCounts: [SessionID: Int?] = [:]
    /// Whether rows of ended sessions remain to be deleted.
    var hasEnded = false
    var created: Set<SessionID> = []
    /// New sessions whose external id or idempotency key another one has.
    var refused: Set<SessionID> = []
    /// Sessions with events or snapshots that were not stored, because events before them are
    /// missing.
    var lost: [SessionID] = []
    /// Sessions that another node owns, or that have ended there.
    var taken: Set<SessionID> = []
    /// The outcomes of the undecided entries, in their order.
    var outcomes: [SessionID: [InventoryOutcome]] = [:]
    /// The events of the batch, if it has some.
    var news: FeedNews?
    /// The inventories that the batch has counted in.
    var inventories: [InventoryMark] = []
  }

  /// The end of a session's log, and what has changed of it in this batch.
  private final class Position {
    let session: SessionID
    let number: Int64
    /// The name of its shared definition.
    let uses: String?
    /// The sequence number of the last entry.
    var entryCount: Int
    /// The number of stored entries, without compacted ones.
    var rowCount: Int
    /// The size of the creation and the stored entries, snapshots and definitions, in bytes.
    var byteCount: Int
    /// The last entry whose events are in the feed.
    var eventSequence: Int
    /// Whether it has new entries.
    var isGrown = false
    /// Whether something else has changed.
    var isChanged = false
    var hasEnded = false
    var status: SessionStatus?

    init(
      _ session: SessionID, number: Int64, entryCount: Int = 0, rowCount: Int = 0, byteCount: Int,
      eventSequence: Int = FeedRecord.nothing, uses: String?
    ) {
      (self.session, self.number) = (session, number)
      (self.entryCount, self.rowCount, self.byteCount) = (entryCount, rowCount, byteCount)
      (self.eventSequence, self.uses) = (eventSequence, uses)
    }

    func forgetChanges() { (isGrown, isChanged, status) = (false, false, nil) }
  }

  /// What is stored of a snapshot that is not about to be stored.
  private struct Shelved {
    let sequence: Int
    let revision: Int
    let rowCount: Int
    let byteCount: Int
    let replaces: Bool
  }

  /// The maximum of entries of a session that is deleted at once. Larger ones are deleted later, in
  /// parts.
  static let deletedRowCountMax = 1000
  /// The maximum size of a session that is deleted at once, in bytes.
  static let deletedByteCountMax = 1_048_576

  private var positions: [SessionID: Position] = [:]
  /// Those of this batch that have changed, each once.
  private var changes: [Position] = []
  private var idle: [(session: SessionID, snapshot: EncodedSnapshot)] = []
  private var shelves: [SessionID: [Shelved]] = [:]
  private var events: [FeedEvent] = []
  /// The shared definitions that sessions are created with in this batch, and whether they have an
  /// inventory.
  private var lockedNames: [String: Bool] = [:]
  private var result = Result()
  private var now: Int64 = 0
  private var isClockPlausible = true
  /// The node that owns the sessions; `nil` if the store has a single writer.
  private var node: Int64?
  private let limits: SessionLimits
  private let feedLimits: FeedLimits
  private let versions: FoldVersions
  private let spacing: SnapshotSpacing
  private let digest: @Sendable ([UInt8]) -> [UInt8]
  private let inventories: SQLInventories

  /// - Parameters:
  ///   - limits: The limits of new sessions.
  ///   - inventories: Decide entries. Used on the writing queue, too.
  ///   - digest: A one-way hash.
  init(
    _ limits: SessionLimits, _ feedLimits: FeedLimits, _ versions: FoldVersions,
    _ inventories: SQLInventories, digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    self.limits = limits
    self.feedLimits = feedLimits
    self.versions = versions
    (self.inventories, self.digest) = (inventories, digest)
    spacing = SnapshotSpacing(limits)
  }

  /// A transaction was not committed: what is known of the sessions is not true.
  func forget() { positions = [:] }

  /// Writes a batch.
  ///
  /// - Parameters:
  ///   - visited: Sessions that members have joined.
  ///   - released: Sessions that the node gives up after these records.
  ///   - node: The node that must own the sessions; `nil` if the store has a single writer.
  ///   - isClockPlausible: Whether what is too old by the clock is deleted.
  ///   - time: By which holds and offers end.
  ///   - connection: In a transaction that the caller commits. Nothing of the result depends on
  ///     what is sent last, which goes with the `COMMIT`.
  /// - Throws: The database's error; then the caller calls ``forget()``.
  func write(
    _ records: [StoreRecord], visited: Set<SessionID>, released: Set<SessionID>, as node: Int64?,
    isClockPlausible: Bool,
    at now: Int64, inventoriesAt time: Int64, _ connection: any SQLConnection
  ) throws -> Result {
    (self.node, self.isClockPlausible, self.now) = (node, isClockPlausible, now)
    (result, events, idle, shelves, lockedNames) = (Result(), [], [], [:], [:])
    for position in changes { position.forgetChanges() }
    changes.removeAll(keepingCapacity: true)
    if node != nil { positions.removeAll(keepingCapacity: true) }
    var snapshots: [SessionID] = []
    for record in records {
      if case .log(.created(let origin, let event, let nextTick), let session) = record {
        try create(session, origin, event, nextTick, connection)
      } else if case .snapshot(_, let session) = record {
        snapshots.append(session)
      }
      if node == nil { try find(record.session, connection) }
    }
    if let node {
      try find(records.sessions, visited: visited, released: released, of: node, connection)
    }
    try readShelves(of: snapshots, connection)
    try inventories.begin(wishes(of: records), at: time, connection)
    for record in records { try write(record, connection) }
    if changes.contains(where: \.isChanged) { try connection.flush() }
    try updateSessions(visited, released, connection)
    try writeInventories(connection)
    try writeEvents(connection)
    return result
  }

  private func write(_ record: StoreRecord, _ connection: any SQLConnection) throws {
    switch record {
    case .log(.created, _): break
    case .log(.entry(let entry), let session): try add(entry, session, connection)
    case .log(.ended(let event, let releasesBooking), let session):
      try end(session, event, releasesBooking: releasesBooking, connection)
    case .snapshot(let snapshot, let session):
      if try !store(snapshot, session, connection) { result.lost.append(session) }
    case .feed(let record, let session):
      if !feed(record, session) { result.lost.append(session) }
    }
  }

  private static let columns =
    "id, number, entry_count, row_count, byte_count, event_sequence, uses"

  private func read(_ row: any SQLRow) throws {
    let session = SessionID(try row[0])
    positions[session] = Position(
      session, number: try row[1], entryCount: try row[2], rowCount: try row[3],
      byteCount: try row[4], eventSequence: try row[5], uses: row[6])
  }

  /// Reads the row of a session of a single writer, once.
  private func find(_ session: SessionID, _ connection: any SQLConnection) throws {
    if positions[session] != nil { return }
    try connection.forEach(
      "SELECT \(SQLWriter.columns) FROM session WHERE id = $1 AND NOT ended", [session.text]
    ) { [unowned self] row in try read(row) }
  }

  /// Reads the rows of the sessions of a batch, and locks them, in the order of their ids.
  private func find(
    _ sessions: [SessionID], visited: Set<SessionID>, released: Set<SessionID>, of node: Int64,
    _ connection: any SQLConnection
  ) throws {
    let created = result.created
    let fenced = visited.union(sessions)
    let all = fenced.union(released)
    try connection.forEach(
      """
      SELECT \(SQLWriter.columns) FROM session
      WHERE \(connection.dialect.isAny("id", 1)) AND owner = $2 AND NOT ended
      ORDER BY id \(connection.dialect.forUpdate)
      """, [SQLList.texts(all.map(\.text)), node]
    ) { [unowned self] row in try read(row) }
    result.taken = Set(
      fenced.filter { positions[$0] == nil && !created.contains($0) && !isRefused($0) })
  }

  private func isRefused(_ session: SessionID) -> Bool { result.refused.contains(session) }

  /// Whether the shared definition of a new session still exists: locks it until the end of the
  /// transaction.
  private func hasShared(
    _ origin: SessionOrigin, _ connection: any SQLConnection
  ) throws -> Bool {
    guard let name = origin.uses?.name else { return true }
    if let hasInventory = lockedNames[name] { return !hasInventory || origin.inventory != nil }
    let hasInventory: Bool? = try connection.value(
      """
      SELECT inventory IS NOT NULL FROM shared_definition WHERE name = $1
      \(connection.dialect.locking("FOR KEY SHARE"))
      """, [name])
    guard let hasInventory else { return false }
    lockedNames[name] = hasInventory
    // What it takes must be counted from its creation on.
    return !hasInventory || origin.inventory != nil
  }

  /// Stores a session without an owner: the node of its first member claims it.
  private func create(
    _ session: SessionID, _ origin: SessionOrigin, _ event: FeedEvent?, _ nextTick: Instant?,
    _ connection: any SQLConnection
  ) throws {
    guard try hasShared(origin, connection) else {
      result.refused.insert(session)
      return
    }
    let body = Data(origin.json(under: limits))
    var hasKey = true
    if let key = origin.key {
      hasKey = false
      if isClockPlausible {
        try connection.send(
          "DELETE FROM creation WHERE at <= $1",
          [key.at.milliseconds - SessionIndex.keyMilliseconds])
      }
      if let forgotten = key.forgotten {
        try connection.send("DELETE FROM creation WHERE key = $1", [Data(forgotten)])
      }
      try connection.send(
        """
        INSERT INTO creation (key, body, session, epoch, salt, at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT DO NOTHING RETURNING at
        """,
        [
          Data(key.keyHash), Data(key.bodyHash), key.session.text, key.epoch, key.salt,
          key.at.milliseconds,
        ]
      ) { _ in hasKey = true }
    }
    let eventSequence = event == nil ? FeedRecord.nothing : 0
    let dueAt = min(nextTick?.milliseconds ?? .max, now + Int64(origin.ttlSeconds) * 1000)
    var number: Int64?
    try connection.forEach(
      """
      INSERT INTO session
        (id, epoch, origin, byte_count, ttl_seconds, active_at, status, rules, tzdata, ordinal,
         external, namespace, uses, event_sequence, has_members, next_tick, due_at, history)
      VALUES ($1, $2, $3, $4, $5, $6, 'open', $7, $8, $9, $10, $11, $12, $13, false, $14, $15,
        (SELECT history_number FROM store))
      ON CONFLICT DO NOTHING RETURNING number
      """,
      [
        session.text, origin.epoch, body, body.count, origin.ttlSeconds, now, versions.rules,
        versions.tzdata, origin.ordinal, origin.host.external.map { Data($0.utf8) },
        origin.host.namespace ?? "", origin.uses?.name, eventSequence, nextTick?.milliseconds,
        node == nil ? nil : dueAt,
      ]
    ) { row in number = row[0] }
    guard hasKey, let number else {
      result.refused.insert(session)
      if let number { try connection.send("DELETE FROM session WHERE number = $1", [number]) }
      if hasKey, let key = origin.key {
        try connection.send("DELETE FROM creation WHERE key = $1", [Data(key.keyHash)])
      }
      return
    }
    positions[session] = Position(
      session, number: number, byteCount: body.count, eventSequence: eventSequence,
      uses: origin.uses?.name)
    if let event { events.append(event) }
    result.created.insert(session)
    result.byteCounts[session] = .some(body.count)
  }

  private func add(
    _ entry: LogEntry, _ session: SessionID, _ connection: any SQLConnection
  ) throws {
    guard let position = positions[session] else { return }
    let entry = try decide(entry, of: position)
    let (body, document) = entry.stored(digest: digest)
    if let document { try store(document, isLogged: true, of: session, connection) }
    position.entryCount += 1
    position.rowCount += 1
    position.byteCount += body.count
    try connection.send(
      "INSERT INTO entry (session, sequence, body) VALUES ($1, $2, $3)",
      [position.number, position.entryCount, body])
    note(position, isGrown: true)
  }

  /// Adds a position to those that have changed.
  private func note(_ position: Position, isGrown: Bool) {
    if !position.isGrown && !position.isChanged { changes.append(position) }
    if isGrown { position.isGrown = true } else { position.isChanged = true }
  }

  /// Ends a session: no reader finds it any more. The rows of a long log or of large definitions
  /// are deleted later, so that they do not delay the entries of other sessions.
  private func end(
    _ session: SessionID, _ event: FeedEvent?, releasesBooking: Bool,
    _ connection: any SQLConnection
  ) throws {
    guard let position = positions[session] else { return }
    try inventories.end(session, in: position.uses, releasesBooking: releasesBooking)
    if let event = try event ?? endOfUnreadable(session, connection) { events.append(event) }
    if position.rowCount > SQLWriter.deletedRowCountMax
      || position.byteCount > SQLWriter.deletedByteCountMax
    {
      try connection.send(
        "UPDATE session SET ended = true, owner = NULL WHERE number = $1", [position.number])
      result.hasEnded = true
    } else {
      try connection.send("DELETE FROM session WHERE number = $1", [position.number])
    }
    positions[session] = nil
    position.hasEnded = true
    result.byteCounts[session] = .some(nil)
  }

  private func endOfUnreadable(
    _ session: SessionID, _ connection: any SQLConnection
  ) throws -> FeedEvent? {
    try connection.first(
      "SELECT epoch, namespace FROM session WHERE id = $1", [session.text]
    ) { row in
      let namespace: String = try row[1]
      return FeedEvent(
        endOfUnreadable: session, epoch: try row[0], namespace: namespace.isEmpty ? nil : namespace,
        at: Instant(milliseconds: self.now))
    }
  }

  /// Stores what has changed of the sessions' own rows: once per batch, not per entry.
  private func updateSessions(
    _ visited: Set<SessionID>, _ released: Set<SessionID>, _ connection: any SQLConnection
  ) throws {
    for position in changes where !position.hasEnded {
      result.byteCounts[position.session] = .some(position.byteCount)
      if position.isGrown {
        try connection.send(
          """
          UPDATE session SET entry_count = $1, row_count = $2, byte_count = $3,
            event_sequence = $4, status = coalesce($5, status), has_members = true, active_at = $6
          WHERE number = $7
          """,
          [
            position.entryCount, position.rowCount, position.byteCount, position.eventSequence,
            position.status?.rawValue, now, position.number,
          ])
      } else {
        try connection.send(
          """
          UPDATE session SET row_count = $1, byte_count = $2, event_sequence = $3,
            status = coalesce($4, status) WHERE number = $5
          """,
          [
            position.rowCount, position.byteCount, position.eventSequence,
            position.status?.rawValue, position.number,
          ])
      }
    }
    for session in visited where positions[session]?.isGrown != true {
      if node != nil && positions[session] == nil { continue }
      try connection.send(
        "UPDATE session SET active_at = $1 WHERE id = $2 AND NOT ended", [now, session.text])
    }
    for (session, snapshot) in idle {
      guard let position = positions[session], position.entryCount == snapshot.entryCount else {
        continue
      }
      try connection.send(
        """
        UPDATE session SET has_members = false, next_tick = $1, active_at = $2, status = $3
        WHERE number = $4
        """,
        [
          snapshot.nextTick, now - snapshot.idleMilliseconds, snapshot.status.rawValue,
          position.number,
        ])
    }
    for session in released {
      guard let number = positions[session]?.number else { continue }
      try connection.send(SQLWriter.releasing, [number])
    }
  }

  /// Gives up a session. Any node claims it when it is due: at once if it may have members.
  private static let releasing = """
    UPDATE session SET owner = NULL, due_at = CASE
      WHEN has_members THEN 0
      WHEN next_tick < active_at + ttl_seconds * 1000 THEN next_tick
      ELSE active_at + ttl_seconds * 1000 END
    WHERE number = $1
    """
}

/// Entries that the inventories decide.
extension SQLWriter {
  /// What a batch needs of the inventories.
  private func wishes(of records: [StoreRecord]) -> [String: InventoryWish] {
    var wishes: [String: InventoryWish] = [:]
    for case .log(let record, let session) in records {
      switch record {
      case .created: continue
      case .entry(let entry):
        guard let demand = entry.demand?.demand, let name = positions[session]?.uses else {
          continue
        }
        wishes[name, default: InventoryWish()].formUnion(
          InventoryWish(
            sessions: [session], keys: Set(demand.keys), holders: [demand.holder]))
      case .ended:
        guard let name = positions[session]?.uses else { continue }
        wishes[name, default: InventoryWish()].sessions.insert(session)
      }
    }
    return wishes
  }

  private func decide(_ entry: LogEntry, of position: Position) throws -> LogEntry {
    guard let demand = entry.demand?.demand else { return entry }
    let outcome = try inventories.decide(demand, of: position.session, in: position.uses)
    result.outcomes[position.session, default: []].append(outcome)
    return entry.decided(outcome)
  }

  private func writeInventories(_ connection: any SQLConnection) throws {
    result.inventories = try inventories.write(connection)
    if node != nil, result.inventories.contains(where: \.isChanged) {
      try connection.send("NOTIFY \(SQLFeed.channel)")
    }
  }
}

/// Snapshots, and the entries and snapshots that they make superfluous.
extension SQLWriter {
  /// Reads which snapshots the sessions have that are about to get one.
  private func readShelves(
    of sessions: [SessionID], _ connection: any SQLConnection
  ) throws {
    for session in sessions {
      guard shelves[session] == nil, let number = positions[session]?.number else { continue }
      shelves[session] = []
      try connection.send(
        """
        SELECT sequence, revision, row_count, length(body), replaces IS NOT NULL FROM snapshot
        WHERE session = $1 ORDER BY sequence
        """, [number]
      ) { [unowned self] row in
        let shelved = Shelved(
          sequence: try row[0], revision: try row[1], rowCount: try row[2], byteCount: try row[3],
          replaces: try row[4])
        shelves[session]!.append(shelved)
      }
    }
    if !shelves.isEmpty { try connection.flush() }
  }

  /// Stores a snapshot, deletes the entries before it that changed nothing, and deletes snapshots
  /// that neither loading nor reading the history needs.
  ///
  /// - Returns: `false` if events of entries that the snapshot covers are lost.
  private func store(
    _ snapshot: EncodedSnapshot, _ session: SessionID, _ connection: any SQLConnection
  ) throws -> Bool {
    guard let position = positions[session] else { return true }
    guard position.eventSequence >= snapshot.eventSequence else { return false }
    position.eventSequence = max(position.eventSequence, snapshot.entryCount)
    note(position, isGrown: false)
    try compact(snapshot.spent, of: session, connection)
    for document in [snapshot.definition, snapshot.shown] {
      if let document { try store(document, isLogged: false, of: session, connection) }
    }
    try insert(snapshot, of: session, connection)
    try prune(snapshot, of: session, connection)
    if snapshot.isIdle { idle.append((session, snapshot)) }
    return true
  }

  private func insert(
    _ snapshot: EncodedSnapshot, of session: SessionID, _ connection: any SQLConnection
  ) throws {
    guard let position = positions[session] else { return }
    let sequence = snapshot.entryCount
    if let former = shelves[session]?.first(where: { $0.sequence == sequence }) {
      if former.replaces { return }
      try remove(former, of: session, connection)
    }
    // Entries after the snapshot are not compacted yet, so each one has a row.
    let rowCount = position.rowCount - (position.entryCount - sequence)
    try connection.send(
      """
      INSERT INTO snapshot
        (session, sequence, revision, is_idle, body, row_count, rules, tzdata, checksum,
         definition, shown)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      """,
      [
        position.number, sequence, snapshot.revision, snapshot.isIdle, snapshot.body, rowCount,
        versions.rules, versions.tzdata, snapshot.checksum, snapshot.definition?.digest,
        snapshot.shown?.digest,
      ])
    position.byteCount += snapshot.body.count
    shelves[session, default: []].append(
      Shelved(
        sequence: sequence, revision: snapshot.revision, rowCount: rowCount,
        byteCount: snapshot.body.count, replaces: false))
  }

  private func remove(
    _ shelved: Shelved, of session: SessionID, _ connection: any SQLConnection
  ) throws {
    try connection.send(
      "DELETE FROM snapshot WHERE session = $1 AND sequence = $2",
      [positions[session]!.number, shelved.sequence])
    positions[session]!.byteCount -= shelved.byteCount
    shelves[session]!.removeAll { $0.sequence == shelved.sequence }
  }

  /// Deletes spent entries. A refused command whose time has moved the picker is replaced by a
  /// tick.
  private func compact(
    _ spent: SpentEntries, of session: SessionID, _ connection: any SQLConnection
  ) throws {
    guard !spent.isEmpty, let position = positions[session] else { return }
    let number = position.number
    for run in spent.dropped.runs {
      try connection.send(
        """
        DELETE FROM entry WHERE session = $1 AND sequence BETWEEN $2 AND $3 RETURNING length(body)
        """,
        [number, run.lowerBound, run.upperBound]
      ) { row in
        position.rowCount -= 1
        position.byteCount -= try row[0] as Int
      }
    }
    for sequence in spent.ticks {
      var body: Data?
      try connection.forEach(
        "SELECT body FROM entry WHERE session = $1 AND sequence = $2", [number, sequence]
      ) { row in body = row[0] }
      guard let body, let at = try JSONTree.parse([UInt8](body))["at"]?.integer else { continue }
      let tick = LogEntry(at: Instant(milliseconds: Int64(at)), body: .tick)
      let shorter = Data(tick.json)
      position.byteCount += shorter.count - body.count
      try connection.send(
        "UPDATE entry SET body = $1 WHERE session = $2 AND sequence = $3",
        [shorter, number, sequence])
    }
    try connection.flush()
  }

  /// Deletes snapshots before the one from which the history is read, and the one before the newest
  /// if few entries are between its neighbours.
  private func prune(
    _ newest: EncodedSnapshot, of session: SessionID, _ connection: any SQLConnection
  ) throws {
    guard let position = positions[session], let shelf = shelves[session] else { return }
    let rowCount = position.rowCount - (position.entryCount - newest.entryCount)
    let base = shelf.last { shelved in
      shelved.revision <= spacing.revision(before: newest.revision)
        || shelved.rowCount <= spacing.rowCount(before: rowCount) || shelved.replaces
    }?.sequence
    for shelved in shelf where !shelved.replaces && shelved.sequence < base ?? 0 {
      try remove(shelved, of: session, connection)
    }
    let before = shelf.filter { $0.sequence < newest.entryCount && $0.sequence >= base ?? 0 }
    if let last = before.last, last.sequence != base ?? 0, !last.replaces {
      let start = before.count > 1 ? before[before.count - 2].rowCount : 0
      if rowCount - start < spacing.rowCountMin { try remove(last, of: session, connection) }
    }
    guard newest.definition != nil else { return }
    try connection.send(
      """
      DELETE FROM definition WHERE session = $1 AND NOT is_logged AND digest NOT IN (
        SELECT definition FROM snapshot WHERE session = $1 AND definition IS NOT NULL
        UNION SELECT shown FROM snapshot WHERE session = $1 AND shown IS NOT NULL)
      RETURNING length(body)
      """, [position.number]
    ) { row in position.byteCount -= try row[0] as Int }
  }

  /// Stores a definition, unless it is stored already.
  ///
  /// - Parameter isLogged: Whether an entry refers to it.
  private func store(
    _ document: StoredDocument, isLogged: Bool, of session: SessionID,
    _ connection: any SQLConnection
  ) throws {
    guard let position = positions[session] else { return }
    note(position, isGrown: false)
    try connection.send(
      """
      INSERT INTO definition (session, digest, body, is_logged) VALUES ($1, $2, $3, $4)
      ON CONFLICT DO NOTHING RETURNING length(body)
      """, [position.number, document.digest, document.body, isLogged]
    ) { row in position.byteCount += try row[0] as Int }
    guard isLogged else { return }
    try connection.send(
      """
      UPDATE definition SET is_logged = true WHERE session = $1 AND digest = $2 AND NOT is_logged
      """, [position.number, document.digest])
  }
}

/// The feed. Events get their positions in the transaction that stores them, from a row that the
/// transaction locks, so that there are no gaps and no reader sees a later position before an
/// earlier one.
extension SQLWriter {
  /// Adds events to those of the batch, and advances the mark of their session, once.
  ///
  /// - Returns: False if the record before it was lost: this one would hide that.
  private func feed(_ record: FeedRecord, _ session: SessionID) -> Bool {
    guard let position = positions[session] else { return true }
    guard position.eventSequence >= record.previous else { return false }
    guard position.eventSequence < record.sequence else { return true }
    events += record.events
    position.eventSequence = record.sequence
    position.status = record.status
    note(position, isGrown: false)
    return true
  }

  /// Stores the events of the batch at the next positions, deletes those beyond the limits, and
  /// wakes readers at other nodes. The row of the feed is the last that the transaction locks.
  private func writeEvents(_ connection: any SQLConnection) throws {
    if events.isEmpty { return }
    let lines = events.map { FeedLine($0, position: 0, digest: digest) }
    let added = lines.reduce(0) { $0 + $1.byteCount }
    var (newest, byteCount) = (0, 0)
    try connection.forEach(
      """
      UPDATE feed SET newest = newest + $1, byte_count = byte_count + $2
      RETURNING newest, byte_count
      """, [lines.count, added]
    ) { row in (newest, byteCount) = (try row[0], try row[1]) }
    for (index, line) in lines.enumerated() {
      try connection.send(
        """
        INSERT INTO event (position, at, type, id, body, namespace) VALUES ($1, $2, $3, $4, $5, $6)
        """,
        [
          newest - lines.count + index + 1, now, line.type, line.id, Data(line.body),
          line.namespace,
        ])
    }
    try trimFeed(newest: newest, byteCount, connection)
    if node != nil { try connection.send("NOTIFY \(SQLFeed.channel)") }
    result.news = FeedNews(position: newest, lines)
  }

  /// Writes events that no record has, as ``write(_:visited:released:as:isClockPlausible:at:_:)``
  /// does.
  func write(
    _ events: [FeedEvent], as node: Int64?, isClockPlausible: Bool, at now: Int64,
    _ connection: any SQLConnection
  ) throws -> FeedNews? {
    (self.node, self.isClockPlausible, self.now) = (node, isClockPlausible, now)
    (self.events, result) = (events, Result())
    try writeEvents(connection)
    return result.news
  }

  /// Deletes events beyond the limits, in small parts, so that no batch takes long.
  private func trimFeed(
    newest: Int, _ byteCount: Int, _ connection: any SQLConnection
  ) throws {
    var byteCount = byteCount
    var (last, removed, isDone) = (0, 0, false)
    try connection.forEach(
      "SELECT position, at, length(id) + length(body) FROM event ORDER BY position LIMIT $1",
      [2 * events.count + 100]
    ) { [feedLimits, now, isClockPlausible] row in
      let (position, time): (Int, Int64) = (try row[0], try row[1])
      let isBeyond =
        newest - position >= feedLimits.events || byteCount > feedLimits.bytes
        || (isClockPlausible && time < now - feedLimits.milliseconds)
      guard isBeyond, !isDone else { return isDone = true }
      let size: Int = try row[2]
      byteCount -= size
      removed += size
      last = position
    }
    guard last > 0 else { return }
    try connection.send("DELETE FROM event WHERE position <= $1", [last])
    try connection.send("UPDATE feed SET byte_count = byte_count - $1", [removed])
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
