import CivilTime
import Foundation
import JSONText
import PickerHub
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// What an inventory costs at the maximum of its holds and waiters. Times are compared with those
/// of the same run: a scan of what the table has would take a thousand times as long.
@Suite(.database) struct InventoryScaleTests {
  private static let now = Instant(milliseconds: 1_796_000_000_000)
  /// As many as there may be, without those of the tests.
  private static let (holdCount, waiterCount) = (80_000, 19_000)
  private static let (day, next) = ("2026-12-24", "2026-12-25")

  private var settings: InventorySettings {
    var settings = InventorySettings(capacity: 1_000_000)
    settings.keys = [InventoryScaleTests.day: 1_000_000, InventoryScaleTests.next: 1]
    (settings.holdSeconds, settings.perHolder, settings.isWaiting) = (86_400, 4, true)
    return settings
  }

  /// Holds a day of which there is enough, asks for another that somebody has, waits for both, and
  /// leaves the line.
  private func decide<Table: InventoryTable>(
    _ decision: inout InventoryDecision<Table>, as session: String
  ) throws(Table.Problem) {
    let (day, next) = (InventoryScaleTests.day, InventoryScaleTests.next)
    for (ask, keys, refusal) in [
      (InventoryDemand.Ask.hold, [day], nil), (.hold, [next], .held), (.wait, [next], nil),
      (.free, [], nil), (.wait, [day, next], nil), (.free, [], nil),
    ] as [(InventoryDemand.Ask, [String], InventoryRefusal.Code?)] {
      let demand = InventoryDemand([ask], keys: keys, units: 1, holder: session)
      let outcome = try decision.decide(demand, of: SessionID(session))
      #expect(outcome.refusal?.code == refusal)
    }
  }

  /// The median of some times, in seconds.
  private func seconds(_ body: (Int) throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    var times: [Duration] = []
    for number in 0..<15 { times.append(try clock.measure { try body(number) }) }
    return times.sorted()[7] / .seconds(1)
  }

  @Test func `in memory a decision among 99,000 holds and waiters costs what it costs with ten`()
    throws
  {
    let table = MemoryInventoryTable(settings)
    func ask(_ ask: InventoryDemand.Ask, _ key: String, _ prefix: String, _ numbers: Range<Int>) {
      var decision = InventoryDecision(table, at: InventoryScaleTests.now)
      for number in numbers {
        let id = "\(prefix)\(number)"
        _ = decision.decide(
          InventoryDemand([ask], keys: [key], units: 1, holder: id), of: SessionID(id))
      }
    }
    func measured(_ name: String) -> Double {
      seconds { number in
        var decision = InventoryDecision(table, at: InventoryScaleTests.now)
        decide(&decision, as: "\(name)\(number)")
      }
    }
    let (day, next) = (InventoryScaleTests.day, InventoryScaleTests.next)
    ask(.hold, next, "first", 0..<1)
    ask(.hold, day, "h", 0..<10)
    ask(.wait, next, "w", 0..<10)
    let few = measured("few")
    ask(.hold, day, "h", 10..<InventoryScaleTests.holdCount)
    ask(.wait, next, "w", 10..<InventoryScaleTests.waiterCount)
    let many = measured("many")
    #expect(table.state.openCount == 99_001)
    #expect(many < 20 * few, "\(few) s with ten, \(many) s with many")
  }

  @Test(arguments: Engine.allCases)
  func `in a database a decision among 99,000 holds and waiters costs what it costs with ten`(
    _ engine: Engine
  ) async throws {
    let shelf = try Shelf(engine)
    var log: SQLSessionLog? = try shelf.store()
    try await shelf.close(&log)
    let connection = try shelf.connect()
    let inventories = SQLInventories { $0 }
    try connection.run(
      """
      INSERT INTO shared_definition (name, version, definition, notes, inventory)
      VALUES ('room', 1, $1, $1, $2)
      """, [Data(), Data(settings.tree.serialized())])
    try connection.transaction {
      try inventories.add("room", at: InventoryScaleTests.now.milliseconds, connection)
    }
    func measured(_ name: String) throws -> Double {
      try connection.transaction {
        try seconds { number in
          let id = "\(name)\(number)"
          let wish = InventoryWish(
            sessions: [SessionID(id)], keys: [InventoryScaleTests.day, InventoryScaleTests.next],
            holders: [id])
          try inventories.begin(
            ["room": wish], at: InventoryScaleTests.now.milliseconds, connection)
          _ = try inventories.change("room") { try decide(&$0, as: id) }
          _ = try inventories.write(connection)
          try connection.flush()
        }
      }
    }
    try fill(connection, "first", InventoryScaleTests.next, 0..<1)
    try fill(connection, "h", InventoryScaleTests.day, 0..<10)
    try fill(connection, "w", InventoryScaleTests.next, 0..<10, waits: true)
    let few = try measured("few")
    try fill(connection, "h", InventoryScaleTests.day, 10..<InventoryScaleTests.holdCount)
    try fill(
      connection, "w", InventoryScaleTests.next, 10..<InventoryScaleTests.waiterCount, waits: true)
    let many = try measured("many")
    #expect(many < 20 * few, "\(few) s with ten, \(many) s with many")
  }

  /// Stores claims of one key, as if they had been decided.
  private func fill(
    _ connection: any SQLConnection, _ prefix: String, _ key: String, _ numbers: Range<Int>,
    waits: Bool = false
  ) throws {
    let numbered = """
      WITH RECURSIVE numbers (n) AS (
        SELECT \(numbers.lowerBound) UNION ALL SELECT n + 1 FROM numbers
        WHERE n + 1 < \(numbers.upperBound))
      """
    let end = InventoryScaleTests.now.milliseconds + 86_400_000
    let (until, order) = waits ? ("NULL", "1 + n") : ("\(end) + n", "NULL")
    try connection.transaction {
      try connection.send(
        """
        INSERT INTO inventory_claim (definition, id, is_session, state, keys, units, weight,
          holder, begun_at, ends_at, ordinal, is_over, number)
        \(numbered) SELECT 'room', '\(prefix)' || n, true, '\(waits ? "waiting" : "held")',
          '["\(key)"]', 1, 1, '\(prefix)' || n, 0, CAST(\(until) AS bigint),
          CAST(\(order) AS bigint), false, 1 FROM numbers
        """)
      try connection.send(
        """
        INSERT INTO inventory_unit (definition, key, id, is_session, is_booked, units, ends_at,
          ordinal, wish)
        \(numbered) SELECT 'room', '\(key)', '\(prefix)' || n, true, false, 1,
          CAST(\(until) AS bigint), CAST(\(order) AS bigint), \(waits ? "'w'" : "NULL")
        FROM numbers
        """)
      try connection.send(
        """
        INSERT INTO inventory_key (definition, key, booked, held, offered, waiting, kept_since,
          number)
        VALUES ('room', $1, 0, $2, 0, $3, $4, 1)
        ON CONFLICT (definition, key) DO UPDATE SET held = inventory_key.held + excluded.held,
          waiting = inventory_key.waiting + excluded.waiting,
          kept_since = coalesce(inventory_key.kept_since, excluded.kept_since)
        """,
        [key, waits ? 0 : numbers.count, waits ? numbers.count : 0, waits ? 1 : nil as Int?])
      try connection.send(
        "UPDATE inventory SET open_count = open_count + $1, ordinal = ordinal + $2",
        [numbers.count, waits ? numbers.count : 0])
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

  @Test func `the places of 20,000 who wait take about ten times as long as those of 2,000`() {
    func seconds(_ count: Int) -> Double {
      var line = WaitingLine()
      for order in 1...count {
        let keys = ["2026-12-\(order % 20)", "2026-12-\(order % 20 + 1)"]
        line.add(
          InventoryClaim(.waiting, keys, units: 1, holder: nil, order: order), order,
          .session(SessionID("s\(order)")))
      }
      let took = (0..<3).map { _ in
        ContinuousClock().measure { #expect(line.places.count == count) }
      }
      return took.min()! / .seconds(1)
    }
    let (few, many) = (seconds(2000), seconds(20_000))
    #expect(many < 50 * few, "\(few) s for 2,000, \(many) s for 20,000")
  }
}
