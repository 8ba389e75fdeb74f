import CivilTime
import Foundation
import JSONText
import PickerHub
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// An inventory at the maximum of what it may have. What that costs: `make bench`, "holds".
@Suite(.database) struct InventoryLimitTests {
  private static let now = Instant(milliseconds: 1_796_000_000_000)
  private static let day = "2026-12-24"

  private let settings = InventorySettings(capacity: 1_000_000)

  /// One more than nearly the maximum is granted, and the next is refused; what a session has
  /// already may be exchanged.
  private func ask<Table: InventoryTable>(
    _ decision: inout InventoryDecision<Table>
  ) throws(Table.Problem) {
    for (ask, session, refusal) in [
      (.hold, "a", nil), (.hold, "b", .full), (.wait, "b", .free), (.hold, "a", nil),
      (.book, "b", nil), (.book, "c", .full), (.book, "b", nil), (.book, "a", .full),
      (.free, "a", nil), (.hold, "c", nil), (.free, "b", nil), (.book, "c", nil),
    ] as [(InventoryDemand.Ask, String, InventoryRefusal.Code?)] {
      let demand = InventoryDemand(
        [ask], keys: [InventoryLimitTests.day], units: 1, holder: session)
      let outcome = try decision.decide(demand, of: SessionID(session))
      #expect(outcome.refusal?.code == refusal, "\(ask) of \(session)")
    }
    let booking = HostBooking(
      id: "phone", keys: [InventoryLimitTests.day], units: 1, isOver: true)
    guard case .refused(let refusal) = try decision.book(booking) else {
      Issue.record("a booking of the host is more than the maximum")
      return
    }
    #expect(refusal.code == .full)
  }

  @Test func `in memory 100,000 sessions hold or wait, and 1,000,000 have booked`() {
    let table = MemoryInventoryTable(settings)
    (table.state.openCount, table.state.bookedCount) = (99_999, 999_999)
    var decision = InventoryDecision(table, at: InventoryLimitTests.now)
    ask(&decision)
  }

  @Test(arguments: Engine.allCases)
  func `in a database 100,000 sessions hold or wait, and 1,000,000 have booked`(
    _ engine: Engine
  ) async throws {
    let shelf = try Shelf(engine)
    var log: SQLSessionLog? = try shelf.store()
    try await shelf.close(&log)
    let connection = try shelf.connect()
    let inventories = SQLInventories { $0 }
    let now = InventoryLimitTests.now.milliseconds
    try connection.run(
      """
      INSERT INTO shared_definition (name, version, definition, notes, inventory)
      VALUES ('room', 1, $1, $1, $2)
      """, [Data(), Data(settings.tree.serialized())])
    try connection.transaction {
      try inventories.add("room", at: now, connection)
      try connection.send("UPDATE inventory SET open_count = 99999, booked_count = 999999", [])
      try inventories.begin(["room": InventoryWish()], at: now, connection)
      _ = try inventories.change("room") { try ask(&$0) }
      _ = try inventories.write(connection)
      try connection.flush()
    }
  }
}

/// Places in the line, one by one and all at once.
@Suite struct LinePlaceTests {
  @Test func `all places at once are those of each, and those that were counted`() {
    var random = SplitMix(state: 7)
    var (line, places) = (WaitingLine(), LinePlaces())
    var waiting: [(order: Int, claim: InventoryClaim, id: ClaimID)] = []
    for order in 1...400 {
      let first = Int.random(in: 1...20, using: &random)
      let keys = (first..<first + Int.random(in: 1...4, using: &random)).map { "2026-12-\($0)" }
      let id = ClaimID.session(SessionID("s\(order)"))
      let claim = InventoryClaim(
        .waiting, keys, units: Int.random(in: 1...3, using: &random), holder: nil, order: order)
      line.add(claim, order, id)
      waiting.append((order, claim, id))
      if order % 3 == 0 {
        let gone = waiting.remove(at: Int.random(in: waiting.indices, using: &random))
        line.remove(gone.claim, gone.order)
      }
    }
    for waiter in waiting {
      places.add(waiter.order, waiter.id, to: places.add(keys: waiter.claim.keys))
    }
    let (all, others) = (line.places, places.all())
    #expect(all.count == waiting.count)
    for waiter in waiting {
      let before = waiting.filter { other in
        other.order < waiter.order && !Set(other.claim.keys).isDisjoint(with: waiter.claim.keys)
      }.count
      #expect(line.waiterCount(of: waiter.claim.keys, before: waiter.order) == before)
      #expect(all[waiter.id] == 1 + before)
      #expect(others[waiter.id] == 1 + before)
    }
  }
}
