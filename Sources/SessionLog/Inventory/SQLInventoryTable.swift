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

  init(
    _ name: String, _ settings: InventorySettings, _ state: InventoryTotals,
    _ connection: any SQLConnection
  ) {
    (self.name, self.settings, self.state) = (name, settings, state)
    (self.connection, firstState) = (connection, state)
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
      for holder in holders { weights[holder] = 0 }
      try connection.send(
        """
        SELECT holder, CAST(sum(weight) AS bigint) FROM inventory_claim
        WHERE definition = $1 AND \(connection.dialect.isAny("holder", 2)) AND state <> 'booked'
        GROUP BY holder
        """, [name, SQLList.texts(holders.map(\.storedText))]
      ) { [unowned self] row in
        let stored: String = try row[0]
        let weight: Int = try row[1]
        for holder in holders where holder.storedText == stored { weights[holder] = weight }
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
    let keys = try JSONTree.parse(Array((try row[3] as String).utf8)).array?.compactMap(\.string)
    let holder: String? = row[5]
    return (
      id,
      InventoryClaim(
        state, keys ?? [], units: try row[4], holder: holder, begun: instant(row[6]),
        until: instant(row[7]), order: row[8], isOver: try row[9])
    )
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
        (definition, key, id, is_session, is_booked, units, ends_at, ordinal)
      SELECT $1, value, $3, $4, $5, $6, CAST($7 AS bigint), CAST($8 AS bigint)
      FROM \(connection.dialect.values(2))
      WHERE true ON CONFLICT DO NOTHING
      """,
      [
        name, SQLList.texts(claim.keys.map(\.storedText)), id.text, id.isSession,
        claim.state == .booked, claim.units, claim.until?.milliseconds, claim.order,
      ])
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

  func waiter(of key: String, after order: Int) throws -> (order: Int, id: ClaimID)? {
    try connection.first(
      """
      SELECT ordinal, id, is_session FROM inventory_unit
      WHERE definition = $1 AND key = $2 AND ordinal > $3 ORDER BY ordinal LIMIT 1
      """, [name, key.storedText, order]
    ) { row in (order: try row[0], id: ClaimID(try row[1], isSession: try row[2])) }
  }

  func firstOrder(of key: String, wantingMoreThan units: Int) throws -> Int? {
    try connection.value(
      """
      SELECT ordinal FROM inventory_unit
      WHERE definition = $1 AND key = $2 AND ordinal IS NOT NULL AND units > $3
      ORDER BY ordinal LIMIT 1
      """, [name, key.storedText, units])
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
    if state.number / interval > firstState.number / interval {
      try forget(upTo: state.number - interval)
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

  /// Deletes what changed up to a number and has nothing left.
  private func forget(upTo number: Int) throws {
    state.wholeNumber = max(state.wholeNumber, number)
    try connection.send(
      """
      DELETE FROM inventory_key WHERE definition = $1 AND number <= $2
        AND booked + held + offered + waiting = 0
      """, [name, number])
    try connection.send(
      "DELETE FROM inventory_claim WHERE definition = $1 AND number <= $2 AND state IS NULL",
      [name, number])
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
