import CSQLite
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

/// What a decision costs does not depend on how much is taken: SQLite executes as many instructions
/// with 100,000 live holds, and with 10,000 who wait for different things, as with ten.
@Suite(.database) struct InventoryCostTests {
  private static let day = "2026-12-24"

  /// The instructions that SQLite's machine has executed since the last call.
  ///
  /// - Source: sqlite.org/c3ref/c_stmtstatus_counter.html
  private func steps(_ connection: SQLiteConnection) -> Int {
    var (count, statement) = (0, sqlite3_next_stmt(connection.handle, nil))
    while let known = statement {
      count += Int(sqlite3_stmt_status(known, SQLITE_STMTSTATUS_VM_STEP, 1))
      statement = sqlite3_next_stmt(connection.handle, known)
    }
    return count
  }

  /// Fills an inventory with holds, all of one key, or with a line whose members all name the key
  /// of which one holds the only unit.
  private func fill(_ connection: SQLiteConnection, holds: Int, waiters: Int) throws {
    var settings = InventorySettings(capacity: holds + (waiters == 0 ? 1 : 0))
    (settings.isWaiting, settings.perHolder) = (true, 5)
    try connection.run(
      """
      INSERT INTO shared_definition (name, version, definition, notes, inventory)
      VALUES ('room', 1, $1, $1, $2)
      """, [Data(), Data(settings.tree.serialized())])
    try SQLInventories { $0 }.add("room", at: 0, connection)
    try connection.run(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1 + $2)
      INSERT INTO inventory_claim
      SELECT 'room', 's' || i, true, CASE WHEN i <= $1 THEN 'held' ELSE 'waiting' END,
        CASE WHEN i <= $1 THEN '["2026-12-24"]' ELSE '["2026-12-24","' || i || '"]' END, 1,
        CASE WHEN i <= $1 THEN 1 ELSE 2 END, 'holder ' || i,
        0, CASE WHEN i <= $1 THEN 86400000 + i END, CASE WHEN i > $1 THEN i END, false, i FROM n
      """, [holds, waiters])
    try connection.run(
      """
      INSERT INTO inventory_unit
      SELECT c.definition, k.value, c.id, c.is_session, false, c.units, c.ends_at, c.ordinal,
        CASE WHEN c.ordinal IS NOT NULL THEN c.keys END
      FROM inventory_claim c, json_each(c.keys) k
      """)
    try connection.run(
      """
      INSERT INTO inventory_key
      VALUES ('room', '2026-12-24', 0, $1, 0, $2, CASE WHEN $2 > 0 THEN $1 + 1 END, $1 + $2)
      """, [holds, waiters])
    // The next change is one after which old ones are forgotten.
    try connection.run(
      "UPDATE inventory SET number = 199999, ordinal = $1 + $2, open_count = $1 + $2",
      [holds, waiters])
  }

  /// The instructions of transactions with one demand each, with the outcomes.
  private func costs(
    _ demands: [(ask: InventoryDemand.Ask, session: String)], holds: Int, waiters: Int
  ) async throws -> [(outcome: String, steps: Int)] {
    let shelf = try Shelf()
    var log: SQLSessionLog? = try shelf.store()
    try await shelf.close(&log)
    let connection = try #require(try shelf.connect() as? SQLiteConnection)
    try fill(connection, holds: holds, waiters: waiters)
    let inventories = SQLInventories { $0 }
    return try demands.map { demand in
      let session = SessionID(demand.session)
      _ = steps(connection)
      let outcome = try connection.transaction {
        try inventories.begin(
          ["room": InventoryWish(
            sessions: [session], keys: [InventoryCostTests.day], holders: [session.text])],
          at: 1000, connection)
        let outcome = try inventories.decide(
          InventoryDemand(
            [demand.ask], keys: [InventoryCostTests.day], units: 1, holder: session.text),
          of: session, in: "room")
        _ = try inventories.write(connection)
        return outcome
      }
      let state = outcome.claim.claim?.state.rawValue ?? "nothing"
      return (outcome.refusal?.code.rawValue ?? state, steps(connection))
    }
  }

  private func check(
    _ demands: [(ask: InventoryDemand.Ask, session: String)], holds: [Int], waiters: [Int],
    _ outcomes: [String]
  ) async throws {
    let few = try await costs(demands, holds: holds[0], waiters: waiters[0])
    let many = try await costs(demands, holds: holds[1], waiters: waiters[1])
    #expect(few.map(\.outcome) == outcomes && many.map(\.outcome) == outcomes)
    for (few, many) in zip(few, many) {
      #expect(many.steps <= few.steps + few.steps / 10, "\(few.outcome)")
    }
  }

  @Test func `a decision costs with 100,000 live holds what it costs with ten`() async throws {
    try await check(
      [(.hold, "a"), (.hold, "b"), (.hold, "a"), (.book, "a"), (.free, "a"), (.wait, "b")],
      holds: [9, 99_999], waiters: [0, 0],
      ["held", "held", "held", "booked", "nothing", "free"])
  }

  @Test func `a decision costs with 10,000 different wishes what it costs with ten`() async throws {
    try await check(
      [(.hold, "a"), (.wait, "a"), (.free, "a")], holds: [1, 1], waiters: [10, 10_000],
      ["waiting", "waiting", "nothing"])
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
