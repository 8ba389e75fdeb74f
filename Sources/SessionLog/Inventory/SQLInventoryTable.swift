import CivilTime
import Foundation
import JSONText
import PickerSession

/// What is taken of an inventory in the database, in one transaction, in which its row is locked.
///
/// Claims are written at once, and counts and totals by ``write()``. What was read is not read
/// again.
final class SQLInventoryTable: InventoryTable {
  typealias Problem = any Error

  let name: String
  private(set) var settings: InventorySettings
  var state: InventoryTotals
  private let connection: any SQLConnection
  private let digest: @Sendable ([UInt8]) -> [UInt8]
  private var claims: [ClaimID: InventoryClaim?] = [:]
  private var counts: [String: KeyCount] = [:]
  private var weights: [String: Int] = [:]
  /// The first two ends of holds and offers of a key.
  private var ends: [String: [(id: ClaimID, until: Instant)]] = [:]
  /// The keys whose counts are to be written.
  private var changedKeys: Set<String> = []

  /// The totals before the transaction.
  private let firstState: InventoryTotals

  /// After so many changes those are deleted that have nothing left.
  private static let forgetInterval = 1000

  /// - Parameter digest: A one-way hash.
  init(
    _ name: String, _ settings: InventorySettings, _ state: InventoryTotals,
    _ connection: any SQLConnection, digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    (self.name, self.settings, self.state) = (name, settings, state)
    (self.connection, self.digest, firstState) = (connection, digest, state)
  }

  // MARK: Claims

  static let claimColumns =
    "id, is_session, state, keys, units, holder, begun_at, ends_at, ordinal, is_over"

  /// Reads claims and counts that will be needed, in one round trip.
  func prepare(
    sessions: Set<SessionID>, keys: Set<String>, holders: Set<String>
  ) throws {
    for session in sessions { claims[.session(session)] = .some(nil) }
    try connection.send(
      """
      SELECT \(SQLInventoryTable.claimColumns) FROM inventory_claim
      WHERE definition = $1 AND \(connection.dialect.isAny("id", 2))
      """, [name, SQLList.texts(sessions.map(\.text))]
    ) { [unowned self] row in
      let (id, claim) = try SQLInventoryTable.claim(row)
      claims[id] = .some(claim)
    }
    try send(counts: keys)
    if settings.perHolder != nil, !holders.isEmpty {
      var stored: [String: String] = [:]
      for holder in holders { (weights[holder], stored[holder.storedText]) = (0, holder) }
      try connection.send(
        """
        SELECT holder, CAST(sum(weight) AS bigint) FROM inventory_claim
        WHERE definition = $1 AND \(connection.dialect.isAny("holder", 2)) AND state <> 'booked'
        GROUP BY holder
        """, [name, SQLList.texts(Array(stored.keys))]
      ) { [unowned self, stored] row in
        if let holder = stored[try row[0] as String] { weights[holder] = try row[1] as Int }
      }
    }
  }

  /// - Parameter row: With ``claimColumns``.
  static func claim(_ row: any SQLRow) throws -> (id: ClaimID, claim: InventoryClaim?) {
    let (text, isSession): (String, Bool) = (try row[0], try row[1])
    let id = isSession ? ClaimID.session(SessionID(text)) : .booking(text)
    guard let word: String = row[2] else { return (id, nil) }
    guard let state = Claim.State(rawValue: word) else {
      throw StoreProblem("\(word) is no state of a claim")
    }
    let keys = try keys(try row[3])
    let holder: String? = row[5]
    return (
      id,
      InventoryClaim(
        state, keys, units: try row[4], holder: holder, begun: instant(row[6]),
        until: instant(row[7]), order: row[8], isOver: try row[9])
    )
  }

  /// - Parameter stored: Of the column `keys`.
  static func keys(_ stored: String) throws -> [String] {
    try JSONTree.parse(Array(stored.utf8)).array?.compactMap(\.string) ?? []
  }

  private static func instant(_ milliseconds: Int64?) -> Instant? {
    milliseconds.map { Instant(milliseconds: $0) }
  }

  func claim(_ id: ClaimID) throws -> InventoryClaim? {
    if let known = claims[id] { return known }
    let found = try connection.first(
      """
      SELECT \(SQLInventoryTable.claimColumns) FROM inventory_claim
      WHERE definition = $1 AND id = $2 AND is_session = $3
      """, [name, id.text, id.isSession]
    ) { try SQLInventoryTable.claim($0).claim }
    let claim = found ?? nil
    claims[id] = .some(claim)
    return claim
  }

  func store(
    _ claim: InventoryClaim?, of id: ClaimID, replacing old: InventoryClaim?
  ) throws {
    claims[id] = .some(claim)
    for claim in [old, claim] { for key in claim?.keys ?? [] { ends[key] = nil } }
    count(old, -1)
    count(claim, 1)
    if let old {
      try connection.send(
        """
        DELETE FROM inventory_unit WHERE definition = $1 AND \(connection.dialect.isAny("key", 2))
          AND id = $3 AND is_session = $4
        """, [name, SQLList.texts(old.keys.map(\.storedText)), id.text, id.isSession])
    }
    guard let claim else { return try remove(id) }
    let keys = String(
      decoding: JSONTree.array(claim.keys.map(JSONTree.string)).serialized(), as: UTF8.self)
    try connection.send(
      """
      INSERT INTO inventory_claim (definition, id, is_session, state, keys, units, weight, holder,
        begun_at, ends_at, ordinal, is_over, number)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
      ON CONFLICT (definition, id, is_session) DO UPDATE SET state = excluded.state,
        keys = excluded.keys, units = excluded.units, weight = excluded.weight,
        holder = excluded.holder, begun_at = excluded.begun_at, ends_at = excluded.ends_at,
        ordinal = excluded.ordinal, is_over = excluded.is_over, number = excluded.number
      """,
      [
        name, id.text, id.isSession, claim.state.rawValue, keys, claim.units, claim.weight,
        claim.holder?.storedText, claim.begun?.milliseconds, claim.until?.milliseconds,
        claim.order, claim.isOver, state.number,
      ])
    try connection.send(
      """
      INSERT INTO inventory_unit
        (definition, key, id, is_session, is_booked, units, ends_at, ordinal, wish)
      SELECT $1, value, $3, $4, $5, $6, CAST($7 AS bigint), CAST($8 AS bigint), CAST($9 AS text)
      FROM \(connection.dialect.values(2))
      WHERE true ON CONFLICT DO NOTHING
      """,
      [
        name, SQLList.texts(claim.keys.map(\.storedText)), id.text, id.isSession,
        claim.state == .booked, claim.units, claim.until?.milliseconds, claim.order,
        claim.order.map { _ in wish(claim.units, keys) },
      ])
  }

  /// The same for all who wait for the same units of the same keys.
  private func wish(_ units: Int, _ keys: String) -> String {
    Data(digest(Array("\(units) \(keys)".utf8))).base64EncodedString()
  }

  /// Removes a claim. That of a session stays without anything, so that others see the change.
  private func remove(_ id: ClaimID) throws {
    guard id.isSession else {
      return try connection.send(
        "DELETE FROM inventory_claim WHERE definition = $1 AND id = $2 AND NOT is_session",
        [name, id.text])
    }
    try connection.send(
      """
      UPDATE inventory_claim SET state = NULL, keys = NULL, units = NULL, weight = NULL,
        holder = NULL, begun_at = NULL, ends_at = NULL, ordinal = NULL, number = $3
      WHERE definition = $1 AND id = $2 AND is_session
      """, [name, id.text, state.number])
  }

  /// A session has ended: nobody asks what has become of its claim, unless it is booked.
  func forget(_ session: SessionID) throws {
    try connection.send(
      """
      DELETE FROM inventory_claim
      WHERE definition = $1 AND id = $2 AND is_session AND state IS NULL
      """, [name, session.text])
  }

  private func count(_ claim: InventoryClaim?, _ change: Int) {
    guard let claim, claim.state != .booked, let holder = claim.holder else { return }
    weights[holder]? += change * claim.weight
  }

  // MARK: Counts

  static let countColumns = "key, booked, held, offered, waiting, kept_since"

  /// - Parameter row: With ``countColumns``.
  static func count(
    _ row: any SQLRow, _ settings: InventorySettings
  ) throws -> (key: String, count: KeyCount) {
    let key = (try row[0] as String).unstoredText
    var count = KeyCount(capacity: settings.capacity(of: key))
    (count.booked, count.held, count.offered) = (try row[1], try row[2], try row[3])
    (count.waiting, count.keptSince) = (try row[4], row[5])
    return (key, count)
  }

  private func send(counts keys: Set<String>) throws {
    let keys = keys.filter { counts[$0] == nil && $0.utf8.count <= InventoryKey.byteCountMax }
    if keys.isEmpty { return }
    for key in keys { counts[key] = KeyCount(capacity: settings.capacity(of: key)) }
    try connection.send(
      """
      SELECT \(SQLInventoryTable.countColumns) FROM inventory_key
      WHERE definition = $1 AND \(connection.dialect.isAny("key", 2))
      """, [name, SQLList.texts(keys.map(\.storedText))]
    ) { [unowned self] row in
      let (key, count) = try SQLInventoryTable.count(row, settings)
      counts[key] = count
    }
  }

  func count(_ key: String) throws -> KeyCount {
    if let known = counts[key] { return known }
    try send(counts: [key])
    try connection.flush()
    return counts[key] ?? KeyCount(capacity: settings.capacity(of: key))
  }

  func store(_ count: KeyCount, of key: String) {
    counts[key] = count
    changedKeys.insert(key)
  }

  func change(_ settings: InventorySettings) throws {
    self.settings = settings
    for key in counts.keys { counts[key]?.capacity = settings.capacity(of: key) }
  }

  // MARK: Looking for something

  /// The first who has asked after `order` of each group that waits for the same units of the same
  /// keys. The index is asked for one group after the other, however many wait.
  private func firstOfGroups(
    of key: String, after order: Int
  ) throws -> [(order: Int, units: Int, id: ClaimID)] {
    let isInLine = "definition = $1 AND key = $2 AND ordinal IS NOT NULL"
    return try connection.rows(
      """
      WITH RECURSIVE wishes (wish) AS (
        SELECT (SELECT wish FROM inventory_unit WHERE \(isInLine) ORDER BY wish LIMIT 1)
        UNION ALL
        SELECT (SELECT u.wish FROM inventory_unit u
          WHERE u.definition = $1 AND u.key = $2 AND u.ordinal IS NOT NULL
            AND u.wish > wishes.wish ORDER BY u.wish LIMIT 1)
        FROM wishes WHERE wishes.wish IS NOT NULL),
      firsts (ordinal) AS (
        SELECT (SELECT u.ordinal FROM inventory_unit u
          WHERE u.definition = $1 AND u.key = $2 AND u.wish = wishes.wish AND u.ordinal > $3
          ORDER BY u.ordinal LIMIT 1)
        FROM wishes WHERE wishes.wish IS NOT NULL)
      SELECT f.ordinal, u.units, u.id, u.is_session FROM firsts f JOIN inventory_unit u
        ON u.definition = $1 AND u.key = $2 AND u.ordinal = f.ordinal
      """, [name, key.storedText, order]
    ) { row in
      (order: try row[0], units: try row[1], id: ClaimID(try row[2], isSession: try row[3]))
    }
  }

  func waiters(of key: String, after order: Int) throws -> [(order: Int, id: ClaimID)] {
    try firstOfGroups(of: key, after: order).map { ($0.order, $0.id) }
  }

  func firstOrder(of key: String, wantingMoreThan units: Int) throws -> Int? {
    // Everybody wants one.
    if units < 1 {
      return try connection.value(
        """
        SELECT min(ordinal) FROM inventory_unit
        WHERE definition = $1 AND key = $2 AND ordinal IS NOT NULL
        """, [name, key.storedText])
    }
    return try firstOfGroups(of: key, after: 0).filter { $0.units > units }.map(\.order).min()
  }

  func waiterCount(of keys: [String], before order: Int) throws -> Int {
    try SQLInventoryTable.waiterCount(of: keys, before: order, name, connection)
  }

  static func waiterCount(
    of keys: [String], before order: Int, _ name: String, _ connection: any SQLConnection
  ) throws -> Int {
    // Of one key nobody is there twice.
    if keys.count == 1 {
      return try connection.value(
        """
        SELECT count(*) FROM inventory_unit
        WHERE definition = $1 AND key = $2 AND ordinal < $3
        """, [name, keys[0].storedText, order]) ?? 0
    }
    return try connection.value(
      """
      SELECT count(DISTINCT ordinal) FROM inventory_unit
      WHERE definition = $1 AND \(connection.dialect.isAny("key", 2)) AND ordinal < $3
      """, [name, SQLList.texts(keys.map(\.storedText)), order]) ?? 0
  }

  func awaitedKeys() throws -> [String] {
    try writeCounts()
    return try connection.rows(
      "SELECT key FROM inventory_key WHERE definition = $1 AND waiting > 0", [name]
    ) { row in (try row[0] as String).unstoredText }
  }

  func due(by end: Instant) throws -> [ClaimID] {
    try connection.rows(
      "SELECT id, is_session FROM inventory_claim WHERE definition = $1 AND ends_at <= $2",
      [name, end.milliseconds]
    ) { row in ClaimID(try row[0], isSession: try row[1]) }
  }

  func earliestEnd(of keys: [String], but id: ClaimID) throws -> Instant? {
    let unknown = keys.filter { ends[$0] == nil }
    for key in unknown {
      ends[key] = []
      try connection.send(
        """
        SELECT id, is_session, ends_at FROM inventory_unit
        WHERE definition = $1 AND key = $2 AND ends_at IS NOT NULL ORDER BY ends_at LIMIT 2
        """, [name, key.storedText]
      ) { [unowned self] row in
        let until = Instant(milliseconds: try row[2])
        ends[key]?.append((ClaimID(try row[0], isSession: try row[1]), until))
      }
    }
    // One that is refused like those before it waits for nothing.
    if !unknown.isEmpty { try connection.flush() }
    return keys.compactMap { ends[$0]?.first { $0.id != id }?.until }.min()
  }

  func weight(of holder: String) throws -> Int {
    if let known = weights[holder] { return known }
    let weight: Int? = try connection.value(
      """
      SELECT CAST(sum(weight) AS bigint) FROM inventory_claim
      WHERE definition = $1 AND holder = $2 AND state <> 'booked'
      """, [name, holder.storedText])
    weights[holder] = weight ?? 0
    return weight ?? 0
  }

  func keysOver(countMax: Int) throws -> [String] {
    try writeCounts()
    return try SQLInventoryTable.keysOver(settings, name, countMax: countMax, connection)
  }

  static func keysOver(
    _ settings: InventorySettings, _ name: String, countMax: Int, _ connection: any SQLConnection
  ) throws -> [String] {
    var found: [String] = []
    try connection.forEach(
      """
      SELECT key, booked + held + offered FROM inventory_key
      WHERE definition = $1 AND booked + held + offered > 0 ORDER BY key
      """, [name]
    ) { row in
      let key = (try row[0] as String).unstoredText
      let taken: Int = try row[1]
      if taken > settings.capacity(of: key), found.count < countMax { found.append(key) }
    }
    return found
  }

  // MARK: Writing

  /// Writes what is not written yet.
  func write() throws {
    if state == firstState { return }
    try writeCounts()
    let interval = SQLInventoryTable.forgetInterval
    let first = firstState.number / interval
    if state.number / interval > first {
      try forget(after: (first - 1) * interval, upTo: state.number - interval)
    }
    try connection.send(
      """
      UPDATE inventory SET number = $2, changed_at = $3, ordinal = $4, line_number = $5,
        whole_number = $6, open_count = $7, booked_count = $8 WHERE name = $1
      """,
      [
        name, state.number, state.now.milliseconds, state.order, state.lineNumber,
        state.wholeNumber, state.openCount, state.bookedCount,
      ])
  }

  private func writeCounts() throws {
    for key in changedKeys {
      guard let count = counts[key] else { continue }
      try connection.send(
        """
        INSERT INTO inventory_key
          (definition, key, booked, held, offered, waiting, kept_since, number)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (definition, key) DO UPDATE SET booked = excluded.booked,
          held = excluded.held, offered = excluded.offered, waiting = excluded.waiting,
          kept_since = excluded.kept_since, number = excluded.number
        """,
        [
          name, key.storedText, count.booked, count.held, count.offered, count.waiting,
          count.keptSince, state.number,
        ])
    }
    changedKeys = []
  }

  /// Deletes what changed up to a number and has nothing left. What changed before it was deleted
  /// in an earlier transaction.
  private func forget(after first: Int, upTo number: Int) throws {
    state.wholeNumber = max(state.wholeNumber, number)
    try connection.send(
      """
      DELETE FROM inventory_key WHERE definition = $1 AND number > $2 AND number <= $3
        AND booked + held + offered + waiting = 0
      """, [name, first, number])
    try connection.send(
      """
      DELETE FROM inventory_claim
      WHERE definition = $1 AND number > $2 AND number <= $3 AND state IS NULL
      """, [name, first, number])
  }
}

extension ClaimID {
  init(_ text: String, isSession: Bool) {
    self = isSession ? .session(SessionID(text)) : .booking(text)
  }

  var text: String {
    switch self {
    case .session(let id): id.text
    case .booking(let text): text
    }
  }

  var isSession: Bool { session != nil }
}

/// PostgreSQL's texts cannot contain U+0000. In a key, `~` is always before a 0 or a 1.
extension String {
  var storedText: String { utf8.contains(0) ? replacing("\0", with: "~2") : self }
  var unstoredText: String { contains("~2") ? replacing("~2", with: "\0") : self }
}
