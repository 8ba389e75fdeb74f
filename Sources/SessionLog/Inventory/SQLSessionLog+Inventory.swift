import CivilTime
import Foundation
import JSONText
package import PickerHub
package import PickerSession

/// Inventories in the database, for the hubs.
extension SQLSessionLog {
  package func inventory(
    _ name: String, since number: Int?, places: Int?, of sessions: [SessionID], hub: Int,
    completion: @escaping @Sendable (LogLookup<InventoryChange>) -> Void
  ) {
    readingQueue.async {
      let outcome = LogLookup {
        try self.engine.read {
          try InventoryReading(name, $0)?.change(since: number, places: places, of: sessions)
        }
      }
      self.notify(.runInHub(hub) { completion(outcome) })
    }
  }

  /// The whole inventory of a session that is loaded; `nil` if there is none.
  func inventory(of fold: SessionFold, _ connection: any SQLConnection) throws -> InventoryChange? {
    guard let name = fold.origin.uses?.name else { return nil }
    return try InventoryReading(name, connection)?
      .change(since: nil, places: nil, of: [fold.origin.id])
  }
}

/// Time, and changes of other nodes.
extension SQLSessionLog {
  private static let grace = InventoryDecision<SQLInventoryTable>.graceMilliseconds
  /// How far the clocks of nodes may differ, in milliseconds.
  private static let clockDifferenceMax: Int64 = 60_000

  /// Notifies the hubs of committed changes, and looks again when the next hold or offer ends.
  func note(_ marks: [InventoryMark]) {
    if marks.isEmpty { return }
    var changed: [InventoryMark] = []
    inventoryTimes.withLock { times in
      for mark in marks {
        // What is not known is looked at now.
        let end = mark.isRead ? mark.nextEnd : inventoryTime.now
        if times.note(mark.name, number: mark.number, end: end) { changed.append(mark) }
      }
    }
    for mark in changed { notify(.inventory(name: mark.name, number: mark.number)) }
    let offered = marks.flatMap(\.offered)
    if !offered.isEmpty { notify(.offered(offered)) }
    lookAtTimesLater()
  }

  private func lookAtTimesLater() {
    let grace = SQLSessionLog.grace
    guard let next = inventoryTimes.withLock({ $0.nextLook(grace: grace) }) else { return }
    scheduler.after(.milliseconds(max(0, next - inventoryTime.now) + 10), on: queue) {
      [weak self] in
      self?.lookAtTimes()
    }
  }

  /// Ends what is due. Called on the writing queue.
  private func lookAtTimes() {
    if hasClosed { return }
    let due = inventoryTimes.withLock {
      $0.takeDue(at: inventoryTime.now, grace: SQLSessionLog.grace)
    }
    for name in due {
      change(
        StoreChange(byteCount: 0, inventories: [name]) { _ in
          StoreChange.Outcome {}
        } fail: {
          self.inventoryTimes.withLock { $0.lookAgain(name, at: self.inventoryTime.now) }
          self.lookAtTimesLater()
        })
    }
    lookAtTimesLater()
  }

  /// A manual clock was set.
  package func clockSet(to now: Int64) {
    inventoryTime.set(now)
    queue.async { self.lookAtTimes() }
  }

  /// What the hubs know may never have happened: all inventories are reported again.
  func forgetInventories() {
    inventoryTimes.withLock { $0.forget() }
    lookForInventories()
  }

  /// Reads what other nodes have changed lately; at the start and after a failover, everything.
  func lookForInventories() {
    guard inventoryTimes.withLock({ $0.beginLooking() }) else { return }
    readingQueue.async {
      let last = self.inventoryTimes.withLock { $0.looked(at: self.inventoryTime.now) }
      do {
        self.note(try self.inventories(after: last))
      } catch {
        self.inventoryTimes.withLock { $0.lookFailed() }
        self.scheduler.after(.milliseconds(500), on: self.queue) { [weak self] in
          guard let self, !self.hasClosed else { return }
          self.lookForInventories()
        }
      }
    }
  }

  /// - Parameter last: The time of the look before; `nil`: all are read, not from a former primary.
  private func inventories(after last: Int64?) throws -> [InventoryMark] {
    let read = { (connection: any SQLConnection) in
      try connection.rows(
        """
        SELECT name, number, (SELECT min(ends_at) FROM inventory_claim
          WHERE definition = inventory.name AND ends_at IS NOT NULL)
        FROM inventory WHERE changed_at >= $1
        """, [last.map { $0 - SQLSessionLog.clockDifferenceMax } ?? .min]
      ) { row in
        let mark = InventoryMark(try row[0], number: try row[1], isChanged: true)
        mark.nextEnd = row[2]
        return mark
      }
    }
    return try last == nil ? engine.readConfirmed(read) : engine.read(read)
  }
}

/// The host's side.
extension SQLSessionLog {
  package func counts(
    _ query: InventoryQuery, of name: String,
    completion: @escaping @Sendable (LogLookup<InventoryPage>) -> Void
  ) { readInventory(name, completion) { try $0.counts(query) } }

  package func keysOver(
    of name: String, completion: @escaping @Sendable (LogLookup<[String]>) -> Void
  ) { readInventory(name, completion) { try $0.keysOver(countMax: HostBooking.keysOverMax) } }

  package func bookings(
    of name: String, key: String?, after: String?, limit: Int,
    completion: @escaping @Sendable (LogLookup<BookingPage>) -> Void
  ) {
    readInventory(name, completion) { try $0.bookings(key: key, after: after, limit: limit) }
  }

  package func booking(
    _ id: String, of name: String,
    completion: @escaping @Sendable (LogLookup<HostBooking?>) -> Void
  ) { readInventory(name, completion) { try $0.booking(id) } }

  private func readInventory<Found: Sendable>(
    _ name: String, _ completion: @escaping @Sendable (LogLookup<Found>) -> Void,
    _ body: @escaping @Sendable (InventoryReading) throws -> Found
  ) {
    readingQueue.async {
      completion(
        LogLookup { try self.engine.readConfirmed { try InventoryReading(name, $0).map(body) } })
    }
  }

  package func book(
    _ booking: HostBooking, in name: String,
    completion: @escaping @Sendable (BookingOutcome) -> Void
  ) {
    change(
      StoreChange(byteCount: 512, inventories: [name]) { connection in
        let outcome = try self.inventories.change(name) { decision in
          let outcome = try decision.book(booking)
          let over = try decision.keysOver(by: outcome)
          return (outcome, over: over, number: decision.table.state.number)
        }
        guard let (outcome, over, number) = outcome else {
          return StoreChange.Outcome { completion(.noInventory) }
        }
        let events = try self.events(of: name, over: over, number: number, connection)
        return StoreChange.Outcome(events: events) { completion(outcome) }
      } fail: {
        completion(.unavailable)
      })
  }

  package func removeBooking(
    _ id: String, of name: String, completion: @escaping @Sendable (BookingRemoval) -> Void
  ) {
    change(
      StoreChange(byteCount: 64, inventories: [name]) { connection in
        let isOfSession = try connection.value(
          "SELECT EXISTS (SELECT 1 FROM session WHERE id = $1 AND uses = $2 AND NOT ended)",
          [id, name], as: Bool.self)
        let removal = try self.inventories.change(name) { decision in
          try decision.removeBooking(id, isOfLivingSession: isOfSession ?? false)
        }
        return StoreChange.Outcome { completion(removal ?? .noInventory) }
      } fail: {
        completion(.unavailable)
      })
  }

  /// Whether a version may have the inventory that it has, or none.
  func mayHave(
    _ draft: SharedDraft, isNew: Bool, _ connection: any SQLConnection
  ) throws -> Bool {
    let hasOne = inventories.has(draft.name)
    guard hasOne != (draft.inventory != nil) else { return true }
    if hasOne { return try inventories.remove(draft.name, connection) }
    // Sessions that are being created with it lock it, too.
    let isUsed: Bool? = try connection.value(
      """
      SELECT EXISTS (SELECT 1 FROM session WHERE uses = name AND NOT ended)
      FROM shared_definition WHERE name = $1 \(connection.dialect.locking("FOR UPDATE"))
      """, [draft.name])
    return isUsed != true
  }

  /// Makes the inventory of a new version what it says.
  ///
  /// - Returns: What the feed reports of it.
  func changeInventory(
    _ draft: SharedDraft, _ connection: any SQLConnection
  ) throws -> [FeedEvent] {
    guard let settings = draft.inventory else { return [] }
    guard inventories.has(draft.name) else {
      try inventories.add(draft.name, at: inventoryTime.now, connection)
      return []
    }
    let outcome = try inventories.change(draft.name) { decision -> (keys: [String], number: Int)? in
      if decision.table.settings == settings { return nil }
      try decision.change(settings)
      let keys = try decision.table.keysOver(countMax: HostBooking.keysOverMax)
      return (keys, decision.table.state.number)
    }
    guard let (keys, number) = outcome ?? nil else { return [] }
    return try events(of: draft.name, over: keys, number: number, connection)
  }

  /// What the feed reports of keys of which more is taken than there is.
  func events(
    of name: String, over keys: [String], number: Int, _ connection: any SQLConnection
  ) throws -> [FeedEvent] {
    if keys.isEmpty { return [] }
    return [
      FeedEvent(
        inventoryOver: name, keys: keys, epoch: try SQLFeed.epoch(connection),
        number: number, at: Instant(milliseconds: inventoryTime.now))
    ]
  }
}

extension HostBooking {
  /// The maximum of keys that an answer or an event names.
  static let keysOverMax = 100
}

extension InventoryDecision {
  /// The keys of a new booking of which more is taken than there is.
  func keysOver(by outcome: BookingOutcome) throws(Table.Problem) -> [String] {
    guard case .booked(let booking, isNew: true) = outcome, booking.isOver else { return [] }
    var over: [String] = []
    for key in booking.keys where try table.count(key).free < 0 { over.append(key) }
    return Array(over.prefix(HostBooking.keysOverMax))
  }

  /// Deletes a booking of the host, or of a session that has ended.
  mutating func removeBooking(
    _ id: String, isOfLivingSession: Bool
  ) throws(Table.Problem) -> BookingRemoval {
    if try table.claim(.booking(id)) != nil {
      try remove(.booking(id))
      return .done
    }
    let session = ClaimID.session(SessionID(id))
    guard try table.claim(session)?.state == .booked else { return .done }
    if isOfLivingSession { return .inUse }
    try remove(session)
    return .done
  }
}
