import CivilTime
import Foundation
import JSONText
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// A random walk of Tests/golden/inventory/walks.json, which walks.py beside it has made.
struct InventoryWalk: CustomTestStringConvertible {
  let number: Int
  let tree: JSONTree

  var testDescription: String { "walk \(number)" }

  static let all: [InventoryWalk] = {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = tests.appending(path: "golden/inventory/walks.json")
    let tree = try! JSONTree.parse(Array(try! Data(contentsOf: file)))
    return tree.array!.enumerated().map { InventoryWalk(number: $0, tree: $1) }
  }()

  var steps: [JSONTree] { tree["steps"]!.array! }
  var settings: InventorySettings { try! InventorySettings(tree["settings"]!, for: .cascade) }
}

/// The tables decide as the model does: outcomes, claims, places in the line, counts and levels.
@Suite(.database) struct InventoryWalkTests {
  @Test func `the walks have all kinds of entries and refusals`() {
    let steps = InventoryWalk.all.flatMap(\.steps)
    #expect(
      Set(steps.compactMap { $0["entry"]?["do"]?.string })
        == ["hold", "wait", "book", "free", "reopen", "change", "time"])
    #expect(
      Set(steps.compactMap { $0["refused"]?["code"]?.string })
        == ["waiting", "soldOut", "held", "tooManyHolds", "holdLimit", "free", "keyReused"])
  }

  @Test(arguments: InventoryWalk.all)
  func `the table in memory decides as the model`(_ walk: InventoryWalk) throws {
    let table = MemoryInventoryTable(walk.settings)
    var replay = InventoryReplay(walk.settings)
    for (index, step) in walk.steps.enumerated() {
      var decision = InventoryDecision(table, at: step.time)
      let outcome = decision.perform(step["entry"]!)
      let whole = table.change(
        of: "room", since: nil, places: nil, of: InventoryReplay.sessions)
      let changed = table.change(
        of: "room", since: replay.number, places: replay.number, of: InventoryReplay.sessions)
      let bookings = table.bookings(key: nil, after: nil, limit: 100).bookings
      replay.check(step, outcome, whole, changed, bookings, at: index)
    }
  }

  @Test(arguments: Engine.allCases)
  func `the tables in a database decide as the model`(_ engine: Engine) async throws {
    let shelf = try Shelf(engine)
    var log: SQLSessionLog? = try shelf.store()
    try await shelf.close(&log)
    let connection = try shelf.connect()
    for walk in InventoryWalk.all.prefix(engine == .sqlite ? .max : 12) {
      try replay(walk, connection)
    }
  }

  private func replay(_ walk: InventoryWalk, _ connection: any SQLConnection) throws {
    let (inventories, name) = (SQLInventories { $0 }, "room \(walk.number)")
    func store(_ settings: InventorySettings, version: Int) throws {
      try connection.run(
        """
        INSERT INTO shared_definition (name, version, definition, notes, inventory)
        VALUES ($1, $2, $3, $3, $4)
        ON CONFLICT (name) DO UPDATE SET version = excluded.version, inventory = excluded.inventory
        """,
        [name, version + 1000 * walk.number, Data(), Data(settings.tree.serialized())])
    }
    try store(walk.settings, version: 0)
    try connection.transaction { try inventories.add(name, at: 0, connection) }
    var replay = InventoryReplay(walk.settings)
    for (index, step) in walk.steps.enumerated() {
      let entry = step["entry"]!
      let outcome = try connection.transaction { () throws -> InventoryReplay.Outcome in
        let wish = InventoryWish(
          sessions: entry["id"].map { [SessionID($0.string!)] } ?? [],
          keys: Set(entry["keys"]?.array?.compactMap(\.string) ?? []),
          holders: Set([entry["holder"]?.string].compactMap(\.self)))
        try inventories.begin(
          [name: wish], at: Int64(step["now"]!.integer!), connection)
        let outcome = try #require(try inventories.change(name) { try $0.perform(entry) })
        if let settings = entry["settings"] {
          try store(InventorySettings(settings, for: .cascade), version: index + 1)
        }
        _ = try inventories.write(connection)
        return outcome
      }
      let reading = try #require(try InventoryReading(name, connection))
      let sessions = InventoryReplay.sessions
      let whole = try reading.change(since: nil, places: nil, of: sessions)
      let changed = try reading.change(
        since: replay.number, places: replay.number, of: sessions)
      let bookings = try reading.bookings(key: nil, after: nil, limit: 100).bookings
      replay.check(step, outcome, whole, changed, bookings, at: index)
    }
  }
}

extension JSONTree {
  fileprivate var time: Instant { Instant(milliseconds: Int64(self["now"]!.integer!)) }
}

/// What is known of a walk so far, by the model and by the changes that a table has reported.
private struct InventoryReplay {
  static let sessions = (0..<8).map { SessionID("s\($0)") }
  private(set) var number: Int?
  private var settings: InventorySettings
  private var claims: [String: JSONTree] = [:]
  private var counts: [String: JSONTree] = [:]
  /// As the reports have them.
  private var reportedKeys: [String: KeyCount] = [:]
  private var reportedClaims: [SessionID: Claim] = [:]

  /// What became of an entry.
  struct Outcome: Equatable {
    var refusal: String?
    var keys: [String] = []
    var until: Int?
    var over: [String]?
    var isAgain = false
  }

  init(_ settings: InventorySettings) { self.settings = settings }

  mutating func check(
    _ step: JSONTree, _ outcome: Outcome, _ whole: InventoryChange, _ changed: InventoryChange,
    _ bookings: [HostBooking], at index: Int
  ) {
    if let settings = step["entry"]?["settings"] {
      self.settings = try! InventorySettings(settings, for: .cascade)
    }
    #expect(outcome == expected(step), "step \(index)")
    for member in step["claims"]!.members! { claims[member.key] = member.value }
    for member in step["counts"]!.members! { counts[member.key] = member.value }
    checkClaims(whole, bookings, at: index)
    checkCounts(whole, at: index)
    checkLevel(step["level"]!.array!, whole, at: index)
    checkInvariants(step, whole, at: index)
    checkReports(whole, changed, at: index)
    number = whole.number
  }

  private func expected(_ step: JSONTree) -> Outcome {
    var outcome = Outcome()
    if let refused = step["refused"] {
      outcome.refusal = refused["code"]?.string
      outcome.keys = refused["keys"]?.array?.compactMap(\.string) ?? []
      outcome.until = refused["until"]?.integer
    }
    outcome.over = step["over"]?.array?.compactMap(\.string)
    outcome.isAgain = step["again"] != nil
    return outcome
  }

  private func checkClaims(_ whole: InventoryChange, _ bookings: [HostBooking], at index: Int) {
    for session in InventoryReplay.sessions {
      let claim = whole.claims[session]?.claim
      #expect(claim.map(\.walked) ?? .null == claims[session.text] ?? .null, "step \(index)")
    }
    let known = bookings.filter { $0.session == nil }
    let expected = claims.filter { $0.key.hasPrefix("b") && $0.value != .null }.keys.sorted()
    #expect(known.map(\.id) == expected, "step \(index)")
  }

  private func count(_ key: String, _ whole: InventoryChange) -> KeyCount {
    whole.keys[key] ?? KeyCount(capacity: settings.capacity(of: key))
  }

  private func checkCounts(_ whole: InventoryChange, at index: Int) {
    for (key, expected) in counts {
      let count = count(key, whole)
      let numbers = [count.capacity, count.booked, count.held, count.offered, count.waiting]
      let kept = count.keptSince.map { JSONTree.integer($0) } ?? .null
      #expect(.array(numbers.map(JSONTree.integer) + [kept]) == expected, "step \(index), \(key)")
    }
  }

  private func checkLevel(_ level: [JSONTree], _ whole: InventoryChange, at index: Int) {
    let claim = level[0].string.flatMap { whole.claims[SessionID($0)]?.claim }
    let found = count(level[1].string!, whole).level(
      of: level[1].string!, units: level[2].integer!, claim: claim, few: settings.few)
    let members = found?.members ?? []
    #expect(members.first?.value.string == level[3].string, "step \(index)")
    #expect(members.dropFirst().first?.value.integer == level[4].integer, "step \(index)")
  }

  /// Nothing new is granted on a key of which too much is taken, and nobody in the line could have
  /// all that they wait for.
  private func checkInvariants(_ step: JSONTree, _ whole: InventoryChange, at index: Int) {
    let entry = step["entry"]!
    if entry["over"] == nil, entry["settings"] == nil {
      for (key, count) in whole.keys where count.free < 0 {
        let before = reportedKeys[key]
        #expect(before.map { count.free >= $0.free } ?? false, "step \(index), \(key)")
      }
    }
    for claim in whole.claims.values.compactMap(\.claim) where claim.state == .waiting {
      let isOpen = claim.keys.allSatisfy { key in
        count(key, whole).closure(of: key, units: claim.units, claim: claim) == nil
      }
      #expect(!isOpen, "step \(index)")
    }
  }

  /// What has changed since the step before, on what was known then, is the whole.
  private mutating func checkReports(
    _ whole: InventoryChange, _ changed: InventoryChange, at index: Int
  ) {
    if changed.isWhole { (reportedKeys, reportedClaims) = ([:], [:]) }
    for (key, count) in changed.keys { reportedKeys[key] = count }
    for (session, claim) in changed.claims { reportedClaims[session] = claim.claim }
    #expect(changed.number == whole.number && whole.number >= number ?? 0, "step \(index)")
    #expect(
      reportedKeys.filter { !$0.value.isEmpty } == whole.keys.filter { !$0.value.isEmpty },
      "step \(index)")
    #expect(reportedClaims == whole.claims.compactMapValues(\.claim), "step \(index)")
  }
}

extension Claim {
  /// As the walks have it.
  fileprivate var walked: JSONTree {
    .array([
      .string(state.rawValue), .array(keys.map(JSONTree.string)), .integer(units),
      until.map { .integer(Int($0.milliseconds)) } ?? .null, order.map { .integer($0) } ?? .null,
      place.map { .integer($0) } ?? .null,
    ])
  }
}

extension InventoryDecision {
  fileprivate mutating func perform(
    _ entry: JSONTree
  ) throws(Table.Problem) -> InventoryReplay.Outcome {
    var outcome = InventoryReplay.Outcome()
    let id = entry["id"]?.string ?? ""
    let keys = entry["keys"]?.array?.compactMap(\.string) ?? []
    let units = entry["units"]?.integer ?? 1
    let ask: InventoryDemand.Ask?
    switch entry["do"]!.string! {
    case "book" where entry["body"] != nil:
      let booking = HostBooking(id: id, keys: keys, units: units, isOver: entry["over"] != nil)
      switch try book(booking) {
      case .booked(_, let isNew): outcome.isAgain = !isNew
      case .refused(let refusal): outcome.take(refusal)
      case .keyReused: outcome.refusal = "keyReused"
      case .noInventory, .unavailable: outcome.refusal = "none"
      }
      return outcome
    case "free" where id.hasPrefix("b"):
      try remove(.booking(id))
      return outcome
    case "free" where entry["unless"] != nil:
      try end(SessionID(id), releasesBooking: false)
      return outcome
    case "change":
      try change(try! InventorySettings(entry["settings"]!, for: .cascade))
      outcome.over = try table.keysOver(countMax: 100)
      return outcome
    case "hold": ask = .hold
    case "wait": ask = .wait
    case "book": ask = .book
    case "reopen": ask = .reopen
    case "free": ask = .free
    default: ask = nil
    }
    guard let ask else { return outcome }
    let demand = InventoryDemand(
      [ask], keys: keys, units: units, holder: entry["holder"]?.string ?? id)
    let decided = try decide(demand, of: SessionID(id))
    if let refusal = decided.refusal { outcome.take(refusal) }
    return outcome
  }
}

extension InventoryReplay.Outcome {
  fileprivate mutating func take(_ refusal: InventoryRefusal) {
    (self.refusal, keys) = (refusal.code.rawValue, refusal.keys)
    until = refusal.until.map { Int($0.milliseconds) }
  }
}
