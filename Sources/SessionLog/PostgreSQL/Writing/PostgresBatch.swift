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
  /// The indices of the statements that return whether a record of a session was stored.
  private(set) var checked: [(index: Int, session: SessionID)] = []
  /// The sessions that the batch ends.
  private(set) var ended: Set<SessionID> = []
  /// The sequence numbers of the last entries of the sessions that get entries.
  private(set) var lasts: [SessionID: Int] = [:]
  /// The index of the statement that returns the sessions that have got their entries; `nil` if
  /// there are no entries.
  private(set) var entriesIndex: Int?
  private(set) var created: Set<SessionID> = []
  /// The number of entries.
  private(set) var entryCount = 0
  private(set) var eventCount = 0
  /// The incarnation of the node.
  private let node: Int
  let digest: @Sendable ([UInt8]) -> [UInt8]
  let limits: SessionLimits
  let feedLimits: FeedLimits
  let versions: FoldVersions

  /// - Parameter heads: The sequence numbers of the sessions' last entries, as the hubs know them.
  init(
    _ records: [StoreRecord], by node: PostgresNode, heads: [SessionID: Int],
    _ limits: SessionLimits, _ feedLimits: FeedLimits, _ versions: FoldVersions,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    sessions = records.sessions
    self.node = node.incarnation
    (self.limits, self.feedLimits, self.versions) = (limits, feedLimits, versions)
    self.digest = digest
    begin(node)
    for case .log(.created(let origin), let session) in records { create(session, origin) }
    lock()
    insertEntries(of: records, node, heads)
    for record in records {
      switch record {
      case .log(.ended(let event), let session): end(session, event)
      case .log(.created, _), .log(.entry, _): break
      case .snapshot(let snapshot, let session): store(snapshot, of: session)
      case .feed(let record, let session): feed(record, of: session)
      }
    }
    finish()
  }

  mutating func add(_ sql: String, _ parameters: [PostgresValue] = []) {
    statements.append(PostgresStatement(sql, parameters))
  }

  /// Adds a statement that returns whether a record of a session was stored.
  mutating func check(_ session: SessionID, _ sql: String, _ parameters: [PostgresValue]) {
    checked.append((statements.count, session))
    add(sql, parameters)
  }

  /// Fails if a later connection of the node exists: it has assumed that nothing is in flight.
  private mutating func begin(_ node: PostgresNode) {
    add("BEGIN")
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

  private mutating func create(_ session: SessionID, _ origin: SessionOrigin) {
    created.insert(session)
    let key = origin.key
    check(
      session,
      """
      SELECT create_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, true)
      """,
      [
        .text(session.text), .text(origin.epoch), .bytes(Data(origin.json(under: limits))),
        .int(origin.ttlSeconds), .int(versions.rules), .text(versions.tzdata),
        .int(origin.ordinal), .bytes(origin.host.external.map { Data($0.utf8) }),
        .bytes(key.map { Data($0.keyHash) }), .bytes(key.map { Data($0.bodyHash) }),
        .text(key?.salt), .int(key?.at.milliseconds),
        .int(key.map { $0.at.milliseconds - SessionIndex.keyMilliseconds }),
        .bytes(key?.forgotten.map { Data($0) }),
      ])
  }

  /// Adds the entries of each session after the last one that its hub knows. If the log has
  /// another one, nothing is added: the hub's state is not that of the log.
  private mutating func insertEntries(
    of records: [StoreRecord], _ node: PostgresNode, _ heads: [SessionID: Int]
  ) {
    var growths: [SessionID: Growth] = [:]
    var entries: [(session: SessionID, sequence: Int, body: Data)] = []
    for case .log(.entry(let entry), let session) in records {
      let (body, document) = entry.stored(digest: digest)
      if let document { store(document, isLogged: true, of: session) }
      var growth = growths[session] ?? Growth(head: heads[session] ?? -1)
      growth.count += 1
      growth.byteCount += body.count
      growths[session] = growth
      entries.append((session, growth.last, body))
    }
    guard !entries.isEmpty else { return }
    entryCount = entries.count
    lasts = growths.mapValues(\.last)
    entriesIndex = statements.count
    let grown = Array(growths)
    add(
      """
      WITH grown AS (
        UPDATE session SET head = session.head + g.count, row_count = row_count + g.count,
          byte_count = byte_count + g.size, has_members = true, active_at = now_ms()
        FROM unnest($1, $2, $3, $4) AS g(id, head, count, size)
        WHERE session.id = g.id AND session.head = g.head AND session.ended_at IS NULL
        RETURNING session.id, session.number
      ), added AS (
        INSERT INTO entry (session, sequence, node, serial, body)
        SELECT grown.number, e.sequence, $5, $6 + e.place, e.body
        FROM unnest($7, $8, $9) WITH ORDINALITY AS e(id, sequence, body, place)
        JOIN grown USING (id)
      )
      SELECT id FROM grown
      """,
      [
        .texts(grown.map(\.key.text)), .ints(grown.map(\.value.head)),
        .ints(grown.map(\.value.count)), .ints(grown.map(\.value.byteCount)),
        .int(node.incarnation), .int(node.serial), .texts(entries.map(\.session.text)),
        .ints(entries.map(\.sequence)), .blobs(entries.map(\.body)),
      ])
  }

  private mutating func end(_ session: SessionID, _ event: FeedEvent?) {
    ended.insert(session)
    let columns = EventColumns(event.map { [$0] } ?? [], digest: digest)
    eventCount += columns.ids.count
    add(
      "SELECT end_session($1, $2, $3, $4, $5)",
      [.text(session.text), .int(node)] + columns.parameters)
  }

  private mutating func feed(_ record: FeedRecord, of session: SessionID) {
    let columns = EventColumns(record.events, digest: digest)
    eventCount += columns.ids.count
    check(
      session, "SELECT add_events($1, $2, $3, $4, $5, $6)",
      [.text(session.text), .int(record.previous), .int(record.sequence)] + columns.parameters)
  }

  /// Trims the feed, reads the sizes of the logs and the end of the feed, and commits.
  private mutating func finish() {
    if eventCount > 0 {
      add(
        "SELECT trim_feed($1, $2, $3, $4)",
        [
          .int(2 * eventCount + 100), .int(feedLimits.events), .int(feedLimits.milliseconds),
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

/// The entries that a session gets.
private struct Growth {
  /// The sequence number of the entry before them.
  let head: Int
  var count = 0
  var byteCount = 0
  var last: Int { head + count }
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
