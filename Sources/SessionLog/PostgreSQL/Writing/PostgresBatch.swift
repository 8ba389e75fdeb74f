import Foundation
import PickerHub
import PickerSession

/// The identity of a node's writer, which its appends are stored with.
struct PostgresNode: Sendable {
  let incarnation: Int
  /// Grows with each connection: the transactions of older connections fail.
  var fence: Int
  /// The number of the last batch.
  var batch = 0
  /// The number of the last append.
  var serial = 0
}

/// The statements that store a batch: the entries of all sessions by one statement, and one
/// function call for each snapshot and each record of the feed.
///
/// Two nodes cannot block each other for ever: the rows of the sessions are locked in the order of
/// their ids, that of the feed after them.
struct PostgresBatch {
  private(set) var statements: [PostgresStatement] = []
  /// The sessions of the records, each once.
  let sessions: [SessionID]
  /// The indices of the statements that return whether a snapshot or events of a session were
  /// stored.
  private(set) var checked: [(index: Int, session: SessionID)] = []
  /// The indices of the statements that return whether a session was created.
  private(set) var creations: [(index: Int, session: SessionID)] = []
  /// The indices of the statements that return whether a session was ended.
  private(set) var ended: [(index: Int, session: SessionID)] = []
  /// The number of entries of each session that gets some.
  private(set) var entryCounts: [SessionID: Int] = [:]
  /// The index of the statement that returns, for the sessions that have got their entries, the
  /// numbers of the entries before them; `nil` if there are no entries.
  private(set) var entriesIndex: Int?
  /// The entries of the sessions that other nodes have in memory; `nil` for one with a definition.
  private(set) var shared: [SessionID: [Data?]]
  /// The number of entries.
  private(set) var entryCount = 0
  private(set) var eventCount = 0
  let number: Int
  /// The incarnation of the node.
  private let node: Int
  private let isClockPlausible: Bool
  let digest: @Sendable ([UInt8]) -> [UInt8]
  let limits: SessionLimits
  let feedLimits: FeedLimits
  let versions: FoldVersions

  /// - Parameters:
  ///   - isFlushed: Whether the commit waits for the disk and the standbys, during which the rows
  ///     of the sessions are locked. If not, the caller waits for them after it.
  ///   - isClockPlausible: Whether what is too old by the clock is deleted.
  ///   - expected: The state of the sessions, as the hubs know it. Entries of sessions without
  ///     one, or that have another epoch or fewer entries in the log, are not stored.
  init(
    _ records: [StoreRecord], by node: PostgresNode, isFlushed: Bool = true,
    isClockPlausible: Bool = true, expected: [SessionID: ServedSessions.Expectation],
    _ limits: SessionLimits, _ feedLimits: FeedLimits, _ versions: FoldVersions,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    sessions = records.sessions
    shared = expected.filter(\.value.isShared).mapValues { _ in [] }
    (self.node, number) = (node.incarnation, node.batch)
    (self.limits, self.feedLimits, self.versions) = (limits, feedLimits, versions)
    self.isClockPlausible = isClockPlausible
    self.digest = digest
    begin(node, isFlushed: isFlushed)
    for case .log(.created(let origin), let session) in records { create(session, origin) }
    lock()
    insertEntries(of: records, node, expected)
    for record in records {
      switch record {
      case .log(.ended(let event, let count), let session): end(session, event, after: count)
      case .log(.created, _), .log(.entry, _): break
      case .snapshot(let snapshot, let session): store(snapshot, of: session)
      case .feed(let record, let session): feed(record, of: session)
      }
    }
    finish()
  }

  /// More milliseconds than since 1970; the difference does not overflow.
  static let forever = 1 << 60

  mutating func add(_ sql: String, _ parameters: [PostgresValue] = []) {
    statements.append(PostgresStatement(sql, parameters))
  }

  /// Adds a statement that returns whether a record of a session was stored.
  mutating func check(_ session: SessionID, _ sql: String, _ parameters: [PostgresValue]) {
    checked.append((statements.count, session))
    add(sql, parameters)
  }

  /// Fails if a later connection of the node exists: it has assumed that nothing is in flight.
  private mutating func begin(_ node: PostgresNode, isFlushed: Bool) {
    add("BEGIN")
    if !isFlushed { add("SET LOCAL synchronous_commit = off") }
    add(
      """
      WITH own AS (
        UPDATE node SET batch = $3 WHERE incarnation = $1 AND fence = $2 RETURNING 1
      )
      SELECT 1 / count(*) FROM own
      """, [.int(node.incarnation), .int(node.fence), .int(node.batch)])
  }

  private mutating func lock() {
    add(
      """
      SELECT count(*) FROM (
        SELECT FROM session WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE
      ) AS locked
      """, [.texts(sessions.map(\.text))])
  }

  /// Another node may have created a session with the idempotency key since it was looked up: then
  /// this one is refused, unless the key has expired by the clock with which it was looked up.
  private mutating func create(_ session: SessionID, _ origin: SessionOrigin) {
    let key = origin.key
    let expired = key.map { $0.at.milliseconds - SessionIndex.keyMilliseconds }
    creations.append((statements.count, session))
    add(
      """
      SELECT create_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
        greatest($13, now_ms() - $15), $14, $16)
      """,
      [
        .text(session.text), .text(origin.epoch), .bytes(Data(origin.json(under: limits))),
        .int(origin.ttlSeconds), .int(versions.rules), .text(versions.tzdata),
        .int(origin.ordinal), .bytes(origin.host.external.map { Data($0.utf8) }),
        .bytes(key.map { Data($0.keyHash) }), .bytes(key.map { Data($0.bodyHash) }),
        .text(key?.salt), .int(key?.at.milliseconds),
        .int(isClockPlausible ? expired : nil),
        .bytes(key?.forgotten.map { Data($0) }),
        .int(isClockPlausible ? Int(SessionIndex.keyMilliseconds) : PostgresBatch.forever),
        .int(node),
      ])
  }

  /// Adds the entries of each session after its last one, whichever node has appended that. A
  /// session that has another epoch than its hub knows, or not all entries, gets none.
  private mutating func insertEntries(
    of records: [StoreRecord], _ node: PostgresNode,
    _ expected: [SessionID: ServedSessions.Expectation]
  ) {
    var byteCounts: [SessionID: Int] = [:]
    var entries: [(session: SessionID, number: Int, body: Data)] = []
    for case .log(.entry(let entry), let session) in records where expected[session] != nil {
      let (body, document) = entry.stored(digest: digest)
      if let document { store(document, isLogged: true, of: session) }
      entryCounts[session, default: 0] += 1
      byteCounts[session, default: 0] += body.count
      entries.append((session, entryCounts[session] ?? 0, body))
      shared[session]?.append(document == nil ? body : nil)
    }
    guard !entries.isEmpty else { return }
    entryCount = entries.count
    // The entries are joined with the sessions in linear time, also those of thousands of sessions.
    add(PostgresBatch.joining(byHash: true))
    entriesIndex = statements.count
    let grown = entryCounts.keys.sorted { $0.text < $1.text }
    add(
      """
      WITH grown AS (
        UPDATE session SET head = session.head + g.count, row_count = row_count + g.count,
          byte_count = byte_count + g.size, has_members = true, active_at = now_ms(),
          served_by = $5
        FROM unnest($1, $2, $3, $4, $10) AS g(id, epoch, count, size, position)
        WHERE session.id = g.id AND session.id = ANY ($1) AND session.epoch = g.epoch
          AND session.ended_at IS NULL AND session.head >= g.position
        RETURNING session.id, session.number, session.head - g.count AS base
      ), added AS (
        INSERT INTO entry (session, sequence, node, serial, body)
        SELECT grown.number, grown.base + e.number, $5, $6 + e.place, e.body
        FROM unnest($7, $8, $9) WITH ORDINALITY AS e(id, number, body, place)
        JOIN grown USING (id)
      )
      SELECT id, base FROM grown
      """,
      [
        .texts(grown.map(\.text)), .texts(grown.map { expected[$0]?.epoch ?? "" }),
        .ints(grown.map { entryCounts[$0] ?? 0 }), .ints(grown.map { byteCounts[$0] ?? 0 }),
        .int(node.incarnation), .int(node.serial), .texts(entries.map(\.session.text)),
        .ints(entries.map(\.number)), .blobs(entries.map(\.body)),
        .ints(grown.map { expected[$0]?.position ?? 0 }),
      ])
    add(PostgresBatch.joining(byHash: false))
  }

  /// Sets how the plans of the next statements join.
  private static func joining(byHash: Bool) -> String {
    let (hash, loop) = byHash ? ("on", "off") : ("off", "on")
    return """
      SELECT set_config('enable_hashjoin', '\(hash)', true),
        set_config('enable_nestloop', '\(loop)', true)
      """
  }

  private mutating func end(_ session: SessionID, _ event: FeedEvent?, after count: Int?) {
    let columns = EventColumns(event.map { [$0] } ?? [], digest: digest)
    eventCount += columns.ids.count
    ended.append((statements.count, session))
    add(
      "SELECT end_session($1, $2, $3, $4, $5, $6)",
      [.text(session.text), .int(count), .int(node)] + columns.parameters)
  }

  private mutating func feed(_ record: FeedRecord, of session: SessionID) {
    eventCount += record.events.count
    checked.append((statements.count, session))
    statements.append(PostgresBatch.feeding(record, of: session, digest: digest))
  }

  /// Trims the feed, reads the sizes of the logs and the end of the feed, and commits.
  private mutating func finish() {
    if eventCount > 0 {
      add(
        "SELECT trim_feed($1, $2, $3, $4)",
        [
          .int(2 * eventCount + 100), .int(feedLimits.events),
          .int(isClockPlausible ? Int(feedLimits.milliseconds) : PostgresBatch.forever),
          .int(feedLimits.bytes),
        ])
    }
    add("SELECT newest FROM feed")
    add(
      "SELECT id, byte_count FROM session WHERE id = ANY ($1) AND ended_at IS NULL",
      [.texts(sessions.map(\.text))])
    add("COMMIT")
  }
}

extension PostgresBatch {
  /// The statements that add the missing events of a session that has expired, and end it; the last
  /// one returns whether it has ended.
  ///
  /// - Parameter head: The last entry before the end; `nil` if the session cannot be read.
  static func expiry(
    of session: SessionID, head: Int?, _ event: FeedEvent, missed: [FeedRecord], node: Int,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) -> [PostgresStatement] {
    let lock = PostgresStatement(
      "SELECT FROM session WHERE id = $1 FOR NO KEY UPDATE", [.text(session.text)])
    let end = PostgresStatement(
      "SELECT expire_session($1, $2, $3, $4, $5, $6)",
      [.text(session.text), .int(head), .int(node)]
        + EventColumns([event], digest: digest).parameters)
    return [lock] + missed.map { feeding($0, of: session, digest: digest) } + [end]
  }

  private static func feeding(
    _ record: FeedRecord, of session: SessionID, digest: ([UInt8]) -> [UInt8]
  ) -> PostgresStatement {
    PostgresStatement(
      "SELECT feed_events($1, $2, $3, $4, $5, $6, $7)",
      [
        .text(session.text), .int(record.previous), .int(record.sequence),
        .text(record.status?.rawValue),
      ] + EventColumns(record.events, digest: digest).parameters)
  }
}

/// Events as the parameters of the functions that add them.
private struct EventColumns {
  var types: [String] = []
  var ids: [String] = []
  var bodies: [Data] = []

  init(_ events: [FeedEvent], digest: ([UInt8]) -> [UInt8]) {
    for event in events {
      let line = FeedLine(event, position: 0, digest: digest)
      types.append(line.type)
      ids.append(line.id)
      bodies.append(Data(line.body))
    }
  }

  var parameters: [PostgresValue] { [.texts(types), .texts(ids), .blobs(bodies)] }
}
