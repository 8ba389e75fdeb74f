import CivilTime
import Foundation
import JSONText
import PickerSession

/// What a transaction will need of an inventory.
struct InventoryWish {
  var sessions: Set<SessionID> = []
  var keys: Set<String> = []
  var holders: Set<String> = []

  mutating func formUnion(_ other: InventoryWish) {
    sessions.formUnion(other.sessions)
    keys.formUnion(other.keys)
    holders.formUnion(other.holders)
  }
}

/// What a transaction has made of an inventory, once it is committed.
final class InventoryMark {
  let name: String
  /// That of the last change.
  let number: Int
  /// Whether the transaction has changed it.
  let isChanged: Bool
  /// The sessions that were offered something.
  let offered: [SessionID]
  /// When the first hold or offer ends.
  var nextEnd: Int64? {
    didSet { isRead = true }
  }
  /// Whether ``nextEnd`` was read. It was not if the connection was lost with the commit.
  private(set) var isRead = false

  init(_ name: String, number: Int, isChanged: Bool, offered: [SessionID] = []) {
    (self.name, self.number, self.isChanged) = (name, number, isChanged)
    self.offered = offered
  }
}

/// The inventories that a transaction counts in. Used on the store's writing queue only.
///
/// Their rows are locked in the order of their names, before anything is counted: so two nodes
/// count one after the other, and none waits for one that waits for it.
/// - Source: ARCHITECTURE.md, "Decided by the store".
final class SQLInventories {
  private var decisions: [String: InventoryDecision<SQLInventoryTable>] = [:]
  /// By name, with the version of the shared definition that has them.
  private var known: [String: (version: Int, settings: InventorySettings)] = [:]
  private static let knownCountMax = 256
  private let digest: @Sendable ([UInt8]) -> [UInt8]

  /// - Parameter digest: A one-way hash.
  init(digest: @escaping @Sendable ([UInt8]) -> [UInt8]) { self.digest = digest }

  /// Locks inventories, and lets time pass in them.
  func begin(
    _ wishes: [String: InventoryWish], at now: Int64, _ connection: any SQLConnection
  ) throws {
    decisions = [:]
    if wishes.isEmpty { return }
    let tables = try open(Array(wishes.keys), connection)
    for table in tables {
      guard let wish = wishes[table.name] else { continue }
      try table.prepare(sessions: wish.sessions, keys: wish.keys, holders: wish.holders)
    }
    if !tables.isEmpty { try connection.flush() }
    for table in tables {
      decisions[table.name] = try InventoryDecision(table, at: Instant(milliseconds: now))
    }
  }

  private func open(
    _ names: [String], _ connection: any SQLConnection
  ) throws -> [SQLInventoryTable] {
    let list = SQLList.texts(names)
    // A statement sees what was committed before it: the second one what the first one waited for.
    try connection.send(
      """
      SELECT name FROM inventory WHERE \(connection.dialect.isAny("name", 1))
      ORDER BY name \(connection.dialect.forUpdate)
      """, [list])
    let found = try connection.rows(
      """
      SELECT i.name, s.version, i.number, i.changed_at, i.ordinal, i.line_number, i.whole_number,
        i.open_count, i.booked_count
      FROM inventory i JOIN shared_definition s ON s.name = i.name
      WHERE \(connection.dialect.isAny("i.name", 1))
      """, [list]
    ) { row in
      (name: try row[0] as String, version: try row[1] as Int, state: try InventoryTotals(row))
    }
    return try found.map { found in
      let settings = try settings(of: found.name, version: found.version, connection)
      return SQLInventoryTable(found.name, settings, found.state, connection, digest: digest)
    }
  }

  private func settings(
    of name: String, version: Int, _ connection: any SQLConnection
  ) throws -> InventorySettings {
    if let known = known[name], known.version == version { return known.settings }
    let settings = try InventorySettings(of: name, connection)
    guard let settings else { throw StoreProblem("the inventory of \(name) has no settings") }
    if known.count >= SQLInventories.knownCountMax { known = [:] }
    known[name] = (version, settings)
    return settings
  }

  /// Decides what an entry of a session asks.
  func decide(
    _ demand: InventoryDemand, of session: SessionID, in name: String?
  ) throws -> InventoryOutcome {
    let outcome = try name.flatMap { name in
      try decisions[name]?.decide(demand, of: session)
    }
    return outcome
      ?? InventoryOutcome(InventoryRefusal(.wrongKind), claim: NumberedClaim(nil, number: 0))
  }

  /// A session ends.
  func end(_ session: SessionID, in name: String?, releasesBooking: Bool) throws {
    guard let name, let table = decisions[name]?.table else { return }
    try decisions[name]?.end(session, releasesBooking: releasesBooking)
    try table.forget(session)
  }

  /// Changes one of the inventories; `nil` if there is none of this name.
  func change<Value>(
    _ name: String, _ body: (inout InventoryDecision<SQLInventoryTable>) throws -> Value
  ) throws -> Value? {
    guard var decision = decisions[name] else { return nil }
    defer { decisions[name] = decision }
    return try body(&decision)
  }

  /// Whether something is booked, by what the transaction has counted so far.
  func isBooked(_ name: String) -> Bool { decisions[name]?.table.state.bookedCount ?? 0 > 0 }

  /// The definition is deleted in this transaction.
  func drop(_ name: String) { decisions[name] = nil }

  /// Whether the transaction counts in an inventory of this name.
  func has(_ name: String) -> Bool { decisions[name] != nil }

  /// Adds an inventory to a shared definition that nobody uses.
  func add(_ name: String, at now: Int64, _ connection: any SQLConnection) throws {
    // Numbers ascend also if it had one before: there were fewer changes than milliseconds.
    try connection.send(
      """
      INSERT INTO inventory (name, number, changed_at, ordinal, line_number, whole_number,
        open_count, booked_count)
      VALUES ($1, $2, $2, 0, 0, $2, 0, 0)
      """, [name, now])
  }

  /// Takes the inventory of a shared definition away.
  ///
  /// - Returns: Whether nothing was taken of it.
  func remove(_ name: String, _ connection: any SQLConnection) throws -> Bool {
    guard let state = decisions[name]?.table.state else { return true }
    guard state.openCount == 0, state.bookedCount == 0 else { return false }
    decisions[name] = nil
    try connection.send("DELETE FROM inventory WHERE name = $1", [name])
    return true
  }

  /// Sessions that nobody looks at are loaded, so that the feed has the offer: after a restart, or
  /// by any node, if this one stops before that.
  private func wake(_ sessions: [SessionID], _ connection: any SQLConnection) throws {
    if sessions.isEmpty { return }
    try connection.send(
      """
      UPDATE session SET has_members = true, due_at = CASE WHEN due_at IS NULL THEN NULL ELSE 0 END
      WHERE \(connection.dialect.isAny("id", 1)) AND owner IS NULL AND NOT ended
      """, [SQLList.texts(sessions.map(\.text))])
  }

  /// Writes what has changed. The marks are complete when the transaction is committed.
  func write(_ connection: any SQLConnection) throws -> [InventoryMark] {
    try decisions.sorted { $0.key < $1.key }.map { name, decision in
      let mark = InventoryMark(
        name, number: decision.table.state.number, isChanged: decision.hasChanged,
        offered: decision.offered)
      if decision.hasChanged {
        try decision.table.write()
        try wake(decision.offered, connection)
      } else if decision.isLater {
        try connection.send(
          "UPDATE inventory SET changed_at = $2 WHERE name = $1",
          [name, decision.table.state.now.milliseconds])
      }
      try connection.send(
        "SELECT min(ends_at) FROM inventory_claim WHERE definition = $1 AND ends_at IS NOT NULL",
        [name]
      ) { row in mark.nextEnd = row[0] }
      return mark
    }
  }
}

extension InventoryTotals {
  /// - Parameter row: From its third column on.
  init(_ row: any SQLRow) throws {
    self.init()
    (number, now) = (try row[2], Instant(milliseconds: try row[3]))
    (order, lineNumber, wholeNumber) = (try row[4], try row[5], try row[6])
    (openCount, bookedCount) = (try row[7], try row[8])
  }
}

extension InventorySettings {
  /// Reads the settings of a shared definition; `nil` if it has none.
  init?(of name: String, _ connection: any SQLConnection) throws {
    let stored: Data? = try connection.value(
      "SELECT inventory FROM shared_definition WHERE name = $1", [name])
    guard let stored else { return nil }
    try self.init(stored: stored)
  }

  init(stored: Data) throws {
    try self.init(try JSONTree.parse([UInt8](stored)), for: nil)
  }
}
