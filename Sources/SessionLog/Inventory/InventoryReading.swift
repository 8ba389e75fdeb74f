import CivilTime
import Foundation
import PickerSession

/// Reads an inventory in one transaction.
struct InventoryReading {
  private let name: String
  private let settings: InventorySettings
  private let state: InventoryTotals
  private let connection: any SQLConnection

  /// - Returns: `nil` if there is no inventory of this name.
  init?(_ name: String, _ connection: any SQLConnection) throws {
    let found = try connection.first(
      """
      SELECT i.name, s.inventory, i.number, i.changed_at, i.ordinal, i.line_number,
        i.whole_number, i.open_count, i.booked_count
      FROM inventory i JOIN shared_definition s ON s.name = i.name WHERE i.name = $1
      """, [name]
    ) { row in (try InventorySettings(stored: try row[1]), try InventoryTotals(row)) }
    guard let found else { return nil }
    (self.name, self.connection) = (name, connection)
    (settings, state) = found
  }

  /// What has changed after a number; `nil`: everything.
  ///
  /// - Parameter places: See ``SessionLog/inventory(_:since:places:of:hub:completion:)``.
  func change(
    since number: Int?, places: Int?, of sessions: [SessionID]
  ) throws -> InventoryChange {
    guard let number, number >= state.wholeNumber, number <= state.number else {
      return InventoryChange(
        name: name, number: state.number, lineNumber: state.lineNumber, isWhole: true,
        keys: try keys(after: nil), claims: try claims(of: sessions))
    }
    let wanted = Set(sessions)
    var changed: [SessionID] = []
    try connection.forEach(
      "SELECT id FROM inventory_claim WHERE definition = $1 AND number > $2 AND is_session",
      [name, number]
    ) { row in
      let session = SessionID(try row[0])
      if wanted.contains(session) { changed.append(session) }
    }
    // Others may have another place in the line.
    let hasPlaces = places.map { state.lineNumber > $0 } ?? false
    var claims = try claims(of: hasPlaces ? sessions : changed)
    if hasPlaces {
      let known = Set(changed)
      claims = claims.filter { known.contains($0.key) || $0.value.claim?.state == .waiting }
    }
    return InventoryChange(
      name: name, number: state.number, lineNumber: state.lineNumber, isWhole: false,
      keys: try keys(after: number), claims: claims)
  }

  private func keys(after number: Int?) throws -> [String: KeyCount] {
    var keys: [String: KeyCount] = [:]
    try connection.forEach(
      """
      SELECT \(SQLInventoryTable.countColumns) FROM inventory_key
      WHERE definition = $1 AND number > $2 \(number == nil ? InventoryReading.isUsed : "")
      """, [name, number ?? -1]
    ) { row in
      let (key, count) = try SQLInventoryTable.count(row, settings)
      keys[key] = count
    }
    return keys
  }

  private static let isUsed = "AND booked + held + offered + waiting > 0"

  private func claims(of sessions: [SessionID]) throws -> [SessionID: NumberedClaim] {
    var found: [SessionID: InventoryClaim] = [:]
    try connection.forEach(
      """
      SELECT \(SQLInventoryTable.claimColumns) FROM inventory_claim
      WHERE definition = $1 AND is_session AND \(connection.dialect.isAny("id", 2))
      """, [name, SQLList.texts(sessions.map(\.text))]
    ) { row in
      let (id, claim) = try SQLInventoryTable.claim(row)
      if let session = id.session, let claim { found[session] = claim }
    }
    let places = try places(of: found)
    var claims: [SessionID: NumberedClaim] = [:]
    for session in sessions {
      let claim = found[session]?.claim(place: places[.session(session)])
      claims[session] = NumberedClaim(claim, number: state.number)
    }
    return claims
  }

  /// The places of those who wait; of many, those of all.
  private func places(of claims: [SessionID: InventoryClaim]) throws -> [ClaimID: Int] {
    let waiting = claims.filter { $0.value.order != nil }
    guard waiting.count > LinePlaces.askedCountMax else {
      var places: [ClaimID: Int] = [:]
      for (session, claim) in waiting {
        guard let order = claim.order else { continue }
        places[.session(session)] =
          1
          + (try SQLInventoryTable.waiterCount(of: claim.keys, before: order, name, connection))
      }
      return places
    }
    var (places, groups): (LinePlaces, [String: Int]) = (LinePlaces(), [:])
    try connection.forEach(
      """
      SELECT id, ordinal, keys FROM inventory_claim
      WHERE definition = $1 AND ordinal IS NOT NULL AND is_session
      """, [name]
    ) { row in
      let keys: String = try row[2]
      let group: Int
      if let known = groups[keys] {
        group = known
      } else {
        group = places.add(keys: try SQLInventoryTable.keys(keys))
        groups[keys] = group
      }
      places.add(try row[1], .session(SessionID(try row[0])), to: group)
    }
    return places.all()
  }
}

/// For the host.
extension InventoryReading {
  func counts(_ query: InventoryQuery) throws -> InventoryPage {
    switch query {
    case .keys(let keys):
      let known = try counts(of: keys)
      return InventoryPage(
        keys: keys.map { ($0, known[$0] ?? KeyCount(capacity: settings.capacity(of: $0))) },
        next: nil)
    case .range(let from, let through, let after, let limit):
      var known: [String: KeyCount] = [:]
      for (key, capacity) in settings.keys where after.map({ $0.isBefore(key) }) ?? true {
        if from.map({ key.isBefore($0) }) ?? false || through.map({ $0.isBefore(key) }) ?? false {
          continue
        }
        known[key] = KeyCount(capacity: capacity)
      }
      try connection.forEach(
        """
        SELECT \(SQLInventoryTable.countColumns) FROM inventory_key
        WHERE definition = $1 AND key >= $2 AND key > $3 \(through == nil ? "" : "AND key <= $5")
          \(InventoryReading.isUsed)
        ORDER BY key LIMIT $4
        """,
        [name, from?.storedText ?? "", after?.storedText ?? "", limit + 1]
          + (through.map { [$0.storedText] } ?? [])
      ) { row in
        let (key, count) = try SQLInventoryTable.count(row, settings)
        known[key] = count
      }
      let keys = known.keys.sorted { $0.isBefore($1) }
      // An override may be past what was read of the others.
      let page = keys.prefix(limit)
      return InventoryPage(
        keys: page.map { ($0, known[$0] ?? KeyCount(capacity: 0)) },
        next: keys.count > limit ? page.last : nil)
    }
  }

  private func counts(of keys: [String]) throws -> [String: KeyCount] {
    var known: [String: KeyCount] = [:]
    try connection.forEach(
      """
      SELECT \(SQLInventoryTable.countColumns) FROM inventory_key
      WHERE definition = $1 AND \(connection.dialect.isAny("key", 2))
      """, [name, SQLList.texts(keys.map(\.storedText))]
    ) { row in
      let (key, count) = try SQLInventoryTable.count(row, settings)
      known[key] = count
    }
    return known
  }

  func keysOver(countMax: Int) throws -> [String] {
    try SQLInventoryTable.keysOver(settings, name, countMax: countMax, connection)
  }

  func booking(_ id: String) throws -> HostBooking? {
    try connection.rows(
      """
      SELECT \(SQLInventoryTable.claimColumns) FROM inventory_claim
      WHERE definition = $1 AND id = $2 AND state = 'booked' ORDER BY is_session
      """, [name, id]
    ) { try InventoryReading.booking($0) }.first ?? nil
  }

  func bookings(key: String?, after: String?, limit: Int) throws -> BookingPage {
    let columns = SQLInventoryTable.claimColumns.replacing(", ", with: ", c.")
    let found =
      if let key {
        try connection.rows(
          """
          SELECT c.\(columns) FROM inventory_unit u JOIN inventory_claim c
            ON c.definition = u.definition AND c.id = u.id AND c.is_session = u.is_session
          WHERE u.definition = $1 AND u.key = $4 AND u.id > $2 AND u.is_booked
          ORDER BY u.id LIMIT $3
          """, [name, after ?? "", limit + 1, key.storedText]
        ) { try InventoryReading.booking($0) }
      } else {
        try connection.rows(
          """
          SELECT \(SQLInventoryTable.claimColumns) FROM inventory_claim
          WHERE definition = $1 AND id > $2 AND state = 'booked' ORDER BY id LIMIT $3
          """, [name, after ?? "", limit + 1]
        ) { try InventoryReading.booking($0) }
      }
    let page = found.prefix(limit).compactMap(\.self)
    return BookingPage(bookings: page, next: found.count > limit ? page.last?.id : nil)
  }

  private static func booking(_ row: any SQLRow) throws -> HostBooking? {
    let (id, claim) = try SQLInventoryTable.claim(row)
    return claim.flatMap { HostBooking($0, of: id) }
  }
}
