import CivilTime
import PickerHub
import PickerModel
import PickerSession
import SessionLog

/// The rules of inventories, checked after every transaction.
extension World {
  /// Checks the inventories of the database.
  func checkInventories(_ database: SimulatedDatabase) throws {
    let former = inventories
    inventories = [:]
    for rows in try InventoryRows.all(database.store) {
      check(rows, after: former[rows.name])
      let living = try database.store.rows(
        "SELECT id FROM session WHERE uses = $1 AND NOT ended", [rows.name]
      ) { row in SessionID(try row[0]) }
      check(rows, of: Set(living))
    }
  }

  /// Checks the inventory of a log in memory, if it has changed.
  func checkMemoryInventory() {
    guard database == nil, let name = profile.saleKind, let node, node.isAlive,
      let definitions = node.shared as? MemorySharedDefinitions, let log = node.memoryLog,
      let shared = definitions.read(name)
    else { return }
    let sessions = Array(journal.sessions.keys)
    // What has changed may have been decided some milliseconds ago.
    let now = Instant(milliseconds: node.inventoryTime - 100)
    let rows = InventoryRows(of: shared, log, definitions, sessions: sessions, at: now)
    let former = inventories[name]
    inventories[name] = rows
    guard let rows else { return }
    if rows.number != former?.number { check(rows, after: former) }
    check(rows, of: Set(sessions.filter { journal.sessions[$0]?.hasEnded == false }))
  }

  private func check(_ rows: InventoryRows, after former: InventoryRows?) {
    inventories[rows.name] = rows
    grantCount +=
      former.map { former in
        rows.claims.count { $0.value.claim.state.takes && former.claims[$0.key] != $0.value }
      } ?? 0
    if let sentence = rows.violation(after: former) { breach(sentence) }
  }

  /// Checks that living sessions and the inventory agree about what they have.
  private func check(_ rows: InventoryRows, of living: Set<SessionID>) {
    for (id, row) in rows.claims {
      guard let session = id.session, !living.contains(session), row.claim.state != .booked
      else { continue }
      breach("only a booking outlives its session: \(session.text) has \(row.claim)")
    }
    for session in living.sorted(by: { $0.text < $1.text }) where doubted[session] == nil {
      guard let fold = replicas[session]?.fold, let inventory = fold.inventory else { continue }
      check(rows, fold, inventory)
    }
  }

  private func check(_ rows: InventoryRows, _ fold: SessionFold, _ inventory: KnownInventory) {
    let session = fold.origin.id
    let claim = rows.claims[.session(session)]?.claim
    switch fold.status {
    case .confirming, .confirmed:
      guard let claim, claim.state == .booked, claim.keys == fold.picker.keys,
        claim.units == inventory.units
      else {
        return breach(
          "a confirmed session has booked its value: \(session.text) has \(claim as Any) of "
            + "\(fold.picker.keys), \(inventory.units) units")
      }
    case .open, .cancelled:
      if claim?.state == .booked { breach("only a confirmed session has booked: \(session.text)") }
    }
    // What the inventory has changed later is on its way to the session.
    guard rows.numbers[session] ?? 0 <= inventory.claim.number else { return }
    if !isSame(inventory.claim.claim, claim) {
      breach(
        "a session knows what it has: \(session.text) has \(claim as Any), not "
          + "\(inventory.claim)")
    }
  }

  /// Whether two claims are the same, apart from the place in the line.
  private func isSame(_ left: Claim?, _ right: Claim?) -> Bool {
    left?.state == right?.state && left?.keys == right?.keys && left?.units == right?.units
      && left?.until == right?.until && left?.order == right?.order
  }
}

/// When everything has come to rest.
extension World {
  /// Checks that sessions in memory know what they have, and show the levels that the tables give.
  func checkSale() {
    guard let name = profile.saleKind, let rows = inventories[name] else { return }
    for record in records where !record.isEnded && doubted[record.id] == nil {
      guard let (hub, session) = resident(record.id), !hub.isEnding(record.id),
        let inventory = session.fold.inventory
      else { continue }
      check(session.fold, inventory, rows)
    }
    checkEnds(rows)
    checkBookings(rows)
  }

  private func check(_ fold: SessionFold, _ inventory: KnownInventory, _ rows: InventoryRows) {
    let id = ClaimID.session(fold.origin.id)
    let (claim, known) = (rows.claims[id]?.claim, inventory.claim.claim)
    if !isSame(known, claim) || known?.place != rows.place(of: id) {
      breach(
        "a session in memory knows what it has: \(fold.origin.id.text) has \(claim as Any), "
          + "place \(rows.place(of: id) ?? 0), not \(known as Any)")
    }
    guard fold.status == .open, inventory.settings == rows.settings else { return }
    let listed = fold.definition.keysListed(at: fold.picker.asOf)
    let keys = rows.touchedKeys.union(inventory.levels.named.keys).union(["nothing"])
    for key in keys.sorted() where key == "nothing" || listed?.contains(key) ?? true {
      let level = inventory.levels[key]
      if !rows.may(id, see: level, of: key, units: inventory.units) {
        breach(
          "a session in memory shows the levels of the inventory: \(fold.origin.id.text) has "
            + "\(level as Any) of \(key)")
      }
    }
  }

  /// Checks that what is due has ended, although nobody has asked.
  private func checkEnds(_ rows: InventoryRows) {
    guard clock.runs else { return }
    let slack = InventoryRows.graceMilliseconds + 6000
    for (id, row) in rows.claims {
      if let until = row.claim.until, until.milliseconds + slack < clock.wall {
        breach("a hold ends while nobody asks: \(id.parts.text), until \(until.rfc3339)")
      }
    }
  }

  /// Checks that the host's bookings are as they were answered.
  private func checkBookings(_ rows: InventoryRows) {
    for (id, known) in seller.bookings where known.request == nil {
      let row = rows.claims[.booking(id)]
      switch known.state {
      case .unknown: continue
      case .gone: if row != nil { breach("a booking that was deleted is gone: \(id)") }
      case .booked:
        let isThere =
          row?.claim.keys == known.booking.keys && row?.claim.units == known.booking.units
          && row?.isOver == known.booking.isOver
        if !isThere { breach("a booking of the host is there: \(id), \(row as Any)") }
      }
    }
  }
}
