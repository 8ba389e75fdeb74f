import CivilTime
import JSONText
import PickerHub
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// Inventories in a store: entries are decided where they are stored.
@Suite(.database) struct InventoryStoreTests {
  private static let definition =
    #"{"kind":"calendar","months":{"from":"2026-12","through":"2026-12"}}"#

  private func draft(_ settings: InventorySettings, replacing: Bool = false) throws -> SharedDraft {
    let tree = try JSONTree.parse(Array(InventoryStoreTests.definition.utf8))
    let definition = try Definition.make(from: tree) { _ in .utc }
    return SharedDraft(
      name: "evening", document: definition.document(full: true), notes: Notes(),
      inventory: settings)
  }

  /// Stores a shared definition with an inventory.
  private func sell(
    _ settings: InventorySettings, in store: any SharedDefinitions
  ) async throws -> SharedDefinition {
    let draft = try draft(settings)
    let written = await withCheckedContinuation { continuation in
      store.write(draft, replacing: nil) { continuation.resume(returning: $0) }
    }
    guard case .done(let version) = written else { throw StoreProblem("\(written)") }
    return SharedDefinition(
      name: draft.name, version: version, document: draft.document, notes: draft.notes,
      inventory: settings)
  }

  /// Creates sessions that take from the inventory.
  private func create(
    _ count: Int, using shared: SharedDefinition, in log: any SessionLog
  ) throws -> [SessionID] {
    try (0..<count).map { number in
      var origin = SessionOrigin(
        id: SessionID("s\(number)"), epoch: "first",
        definition: try Definition.make(from: shared.document) { _ in .utc },
        createdAt: Instant(milliseconds: 1_796_000_000_000))
      origin.uses = SharedUse(name: shared.name, version: shared.version, own: .object([]))
      origin.inventory = KnownInventory(
        settings: try #require(shared.inventory),
        levels: KeyLevels([:], others: nil, for: .calendar)
      )
      #expect(log.append(.created(origin), of: origin.id) != .failed)
      try (log as? SQLSessionLog)?.own(origin.id)
      return origin.id
    }
  }

  private func entry(_ asks: [InventoryDemand.Ask], of session: SessionID) -> LogRecord {
    let demand = InventoryDemand(asks, keys: ["2026-12-24"], units: 1, holder: session.text)
    let body = LogEntry.Body.command(.host, ref: 0, .inventory(.hold))
    return .entry(
      LogEntry(
        at: Instant(milliseconds: 1_796_000_000_000),
        body: .decided(DecidedEntry(body, demand: demand))))
  }

  private func outcomes(_ shelf: Shelf, _ sessions: [SessionID]) async throws
    -> [SessionID: InventoryOutcome]
  {
    try await found("the outcomes") {
      var found: [SessionID: InventoryOutcome] = [:]
      for part in shelf.committed {
        found[part.session] = part.outcomes.last ?? found[part.session]
      }
      return found.count == sessions.count ? found : nil
    }
  }

  private func change(
    in log: any SessionLog, since number: Int?, of sessions: [SessionID]
  ) async throws -> InventoryChange {
    let found = await withCheckedContinuation { continuation in
      log.inventory("evening", since: number, places: number, of: sessions, hub: 0) {
        continuation.resume(returning: $0)
      }
    }
    return try #require(found.value)
  }

  @Test(arguments: Engine.allCases)
  func `of many sessions that ask for one place at once one has it`(_ engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let shared = try await sell(InventorySettings(capacity: 1), in: log)
    let sessions = try create(200, using: shared, in: log)
    for session in sessions { _ = log.append(entry([.hold], of: session), of: session) }
    let outcomes = try await outcomes(shelf, sessions)
    #expect(outcomes.values.count { $0.refusal == nil } == 1)
    let refusals = outcomes.values.compactMap(\.refusal)
    #expect(refusals.count == 199)
    #expect(refusals.allSatisfy { $0.code == .held && $0.keys == ["2026-12-24"] })
    let change = try await change(in: log, since: nil, of: sessions)
    #expect(change.keys["2026-12-24"]?.held == 1)
    #expect(change.claims.values.count { $0.claim != nil } == 1)
  }

  @Test(arguments: Engine.allCases)
  func `the end of a session gives what it has to the line`(_ engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    var settings = InventorySettings(capacity: 1)
    settings.isWaiting = true
    let shared = try await sell(settings, in: log)
    let sessions = try create(3, using: shared, in: log)
    let asks: [[InventoryDemand.Ask]] = [[.book], [.wait], [.wait]]
    for (session, asks) in zip(sessions, asks) {
      _ = log.append(entry(asks, of: session), of: session)
    }
    let outcomes = try await outcomes(shelf, sessions)
    #expect(outcomes.values.allSatisfy { $0.refusal == nil })
    #expect(sessions.map { outcomes[$0]?.claim.claim?.place } == [nil, 1, 2])
    let before = try await change(in: log, since: nil, of: [])

    shelf.forget()
    _ = log.append(.ended(nil, releasesBooking: true), of: sessions[0])
    let number = try await shelf.notice {
      if case .inventory("evening", let number) = $0 { number } else { nil }
    }
    let change = try await change(in: log, since: before.number, of: sessions)
    #expect(change.number == number && !change.isWhole)
    #expect(change.claims[sessions[1]]?.claim?.state == .offered)
    #expect(change.claims[sessions[2]]?.claim?.place == 1)
    #expect(change.keys["2026-12-24"]?.offered == 1)
  }

  @Test func `the log in memory decides at once`() async throws {
    let definitions = MemorySharedDefinitions { _ in }
    let log = MemorySessionLog(shared: definitions)
    let shared = try await sell(InventorySettings(capacity: 1), in: definitions)
    let sessions = try create(2, using: shared, in: log)
    let outcomes = sessions.map { log.append(entry([.hold], of: $0), of: $0) }
    guard case .decided(let first) = outcomes[0], case .decided(let second) = outcomes[1] else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(first.refusal == nil && second.refusal?.code == .held)
    guard case .decided(let stored)? = log.entries(of: sessions[0]).first?.body else {
      Issue.record("the entry is not stored as decided")
      return
    }
    #expect(stored.outcome == first)
    _ = log.append(.ended(nil), of: sessions[0])
    let change = try await change(in: log, since: nil, of: sessions)
    #expect(change.keys["2026-12-24"]?.held ?? 0 == 0)
  }

  @Test func `two nodes sell the last places once`() async throws {
    let shelf = try Shelf(.postgres)
    let nodes = try [TestNode(shelf.database), TestNode(shelf.database, session: "t")]
    _ = try await sell(InventorySettings(capacity: 1), in: nodes[0].log)
    let keys = (1...28).map { "2026-12-\($0 < 10 ? "0" : "")\($0)" }
    let outcomes = await withTaskGroup(of: BookingOutcome.self) { group in
      for (index, key) in keys.enumerated() {
        for (number, node) in nodes.enumerated() {
          let booking = HostBooking(
            id: "\(number) \(key)", keys: [key, keys[(index + 1) % keys.count]], units: 1)
          group.addTask {
            await withCheckedContinuation { continuation in
              node.log.book(booking, in: "evening") { continuation.resume(returning: $0) }
            }
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let booked = outcomes.flatMap { outcome -> [String] in
      if case .booked(let booking, _) = outcome { booking.keys } else { [] }
    }
    #expect(Set(booked).count == booked.count && booked.count >= 18, "\(booked)")
    #expect(!outcomes.contains(.unavailable))
  }

  @Test func `a moved store has the same inventories`() async throws {
    let (old, new) = (try Shelf(), try Shelf(.postgres))
    var log: SQLSessionLog? = try old.store()
    var settings = InventorySettings(capacity: 1)
    settings.isWaiting = true
    let shared = try await sell(settings, in: log!)
    let sessions = try create(2, using: shared, in: log!)
    _ = log?.append(entry([.hold], of: sessions[0]), of: sessions[0])
    _ = log?.append(entry([.wait], of: sessions[1]), of: sessions[1])
    _ = try await outcomes(old, sessions)
    let booking = HostBooking(id: "order", keys: ["2026-12-25"], units: 1)
    let outcome = await withCheckedContinuation { [log] continuation in
      log!.book(booking, in: "evening") { continuation.resume(returning: $0) }
    }
    #expect(outcome == .booked(booking, isNew: true))
    let before = try await change(in: log!, since: nil, of: sessions)
    try await old.close(&log)

    _ = try StoreMove.move(from: old.path, to: new.address)

    let moved = try new.store()
    let after = try await change(in: moved, since: nil, of: sessions)
    #expect(after.number == before.number && after.keys == before.keys)
    #expect(after.claims == before.claims)
    let again = await withCheckedContinuation { continuation in
      moved.book(booking, in: "evening") { continuation.resume(returning: $0) }
    }
    #expect(again == .booked(booking, isNew: false))
  }
}

extension Shelf {
  /// What the store has reported as committed.
  fileprivate var committed: [(session: SessionID, count: Int, outcomes: [InventoryOutcome])] {
    all { if case .committed(let parts) = $0 { parts } else { nil } }.flatMap(\.self)
  }
}
