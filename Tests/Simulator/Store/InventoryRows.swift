import CivilTime
import Foundation
import JSONText
import PickerHub
import PickerModel
import PickerSession
import SessionLog

/// What is taken of an inventory after a transaction, read from its tables.
struct InventoryRows {
  struct Row: Hashable {
    let claim: Claim
    /// `nil` for a host's booking, and where that is not known.
    var holder: String?
    var isOver = false
    /// The number of the step that has made it so; `nil`: some step of the last transaction that
    /// has changed it.
    var number: Int?

    var order: Int? { claim.state == .waiting ? claim.order : nil }
  }

  let name: String
  let settings: InventorySettings
  /// That of the last step.
  let number: Int
  /// The time of the last transaction.
  let now: Instant
  private(set) var claims: [ClaimID: Row] = [:]
  /// The numbers of the steps after which sessions had what they have, or nothing.
  private(set) var numbers: [SessionID: Int] = [:]
  private(set) var counts: [String: KeyCount] = [:]
  /// What the tables say twice, and differently; `nil`: nothing.
  private(set) var contradiction: String?
}

extension InventoryRows {
  /// Reads the inventories of a database.
  static func all(_ store: SQLiteConnection) throws -> [InventoryRows] {
    let found = try store.rows(
      """
      SELECT i.name, s.inventory, i.number, i.changed_at, i.open_count, i.booked_count
      FROM inventory i JOIN shared_definition s ON s.name = i.name
      """
    ) { row in
      (
        name: try row[0] as String, settings: try row[1] as Data, number: try row[2] as Int,
        now: try row[3] as Int64, open: try row[4] as Int, booked: try row[5] as Int
      )
    }
    return try found.map { found in
      let tree = try JSONTree.parse([UInt8](found.settings))
      var rows = InventoryRows(
        name: found.name, settings: try InventorySettings(tree, for: nil), number: found.number,
        now: Instant(milliseconds: found.now))
      try rows.readClaims(store)
      try rows.readUnits(store)
      try rows.readCounts(store)
      let booked = rows.claims.values.count { $0.claim.state == .booked }
      if found.booked != booked || found.open != rows.claims.count - booked {
        rows.contradiction = "the totals of an inventory are those of its claims"
      }
      return rows
    }
  }

  private mutating func readClaims(_ store: SQLiteConnection) throws {
    let found = try store.rows(
      """
      SELECT id, is_session, state, keys, units, holder, ends_at, ordinal, is_over, number
      FROM inventory_claim WHERE definition = $1
      """, [name]
    ) { row in
      (
        id: try row[0] as String, isSession: try row[1] as Bool, state: row[2] as String?,
        keys: row[3] as String?, units: row[4] as Int?, holder: row[5] as String?,
        until: row[6] as Int64?, order: row[7] as Int?, isOver: try row[8] as Bool,
        number: try row[9] as Int
      )
    }
    for row in found {
      let id = row.isSession ? ClaimID.session(SessionID(row.id)) : .booking(row.id)
      if let session = id.session { numbers[session] = row.number }
      guard let state = row.state.flatMap(Claim.State.init(rawValue:)), let units = row.units else {
        continue
      }
      let keys = try row.keys.map { try JSONTree.parse(Array($0.utf8)) }
      let claim = Claim(
        state: state, keys: keys?.array?.compactMap(\.string) ?? [], units: units,
        until: row.until.map { Instant(milliseconds: $0) }, order: row.order)
      claims[id] = Row(claim: claim, holder: row.holder, isOver: row.isOver, number: row.number)
    }
  }

  /// Reads the keys of the claims, which must be those in the claims.
  private mutating func readUnits(_ store: SQLiteConnection) throws {
    let units = try store.rows(
      """
      SELECT id || ' ' || is_session || ' ' || key || ' ' || units || ' ' || is_booked || ' '
        || coalesce(ends_at, '') || ' ' || coalesce(ordinal, '')
      FROM inventory_unit WHERE definition = $1
      """, [name]
    ) { row in try row[0] as String }
    let expected = claims.flatMap { id, row in
      let claim = row.claim
      let (text, isSession) = id.parts
      let end = claim.until.map { "\($0.milliseconds)" } ?? ""
      let order = claim.order.map { "\($0)" } ?? ""
      let isBooked = claim.state == .booked ? 1 : 0
      return Set(claim.keys).map { key in
        "\(text) \(isSession ? 1 : 0) \(key) \(claim.units) \(isBooked) \(end) \(order)"
      }
    }
    if units.sorted() != expected.sorted() {
      contradiction =
        "the units of an inventory are those of its claims: \(units.sorted()), "
        + "not \(expected.sorted())"
    }
  }

  private mutating func readCounts(_ store: SQLiteConnection) throws {
    let found = try store.rows(
      """
      SELECT key, booked, held, offered, waiting, kept_since FROM inventory_key
      WHERE definition = $1
      """, [name]
    ) { [settings] row in
      let key = try row[0] as String
      var count = KeyCount(capacity: settings.capacity(of: key))
      (count.booked, count.held, count.offered) = (try row[1], try row[2], try row[3])
      (count.waiting, count.keptSince) = (try row[4], row[5])
      return (key, count)
    }
    counts = Dictionary(uniqueKeysWithValues: found)
  }
}

extension InventoryRows {
  /// Reads an inventory in memory.
  ///
  /// - Parameters:
  ///   - sessions: All that there have been.
  ///   - now: The time.
  /// - Returns: `nil` if there is none.
  init?(
    of shared: SharedDefinition, _ log: any SessionLog, _ definitions: any SharedDefinitions,
    sessions: [SessionID], at now: Instant
  ) {
    guard let settings = shared.inventory else { return nil }
    nonisolated(unsafe) var change: InventoryChange?
    log.inventory(shared.name, since: nil, places: nil, of: sessions, hub: 0) { outcome in
      if case .found(let found) = outcome { change = found }
    }
    nonisolated(unsafe) var bookings: [HostBooking] = []
    definitions.bookings(of: shared.name, key: nil, after: nil, limit: 1000) { outcome in
      if case .found(let page) = outcome { bookings = page.bookings }
    }
    guard let change else { return nil }
    self.init(name: shared.name, settings: settings, number: change.number, now: now)
    counts = change.keys
    for (session, claim) in change.claims {
      numbers[session] = change.number
      if let claim = claim.claim { claims[.session(session)] = Row(claim: claim) }
    }
    for booking in bookings {
      let claim = Claim(state: .booked, keys: booking.keys, units: booking.units)
      let id = booking.session.map { ClaimID.session($0) } ?? .booking(booking.id)
      claims[id] = Row(claim: claim, isOver: booking.isOver)
    }
  }
}

extension ClaimID {
  var parts: (text: String, isSession: Bool) {
    switch self {
    case .session(let id): (id.text, true)
    case .booking(let id): (id, false)
    }
  }
}
