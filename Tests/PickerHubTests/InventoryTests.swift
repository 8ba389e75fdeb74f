import JSONText
import PickerHost
import PickerModel
import Testing

@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// What sessions see of the inventory of their shared definition.
@Suite struct InventoryTests {
  private let fixture: HubFixture
  private let day = "2026-12-24"

  init() throws {
    fixture = try HubFixture(calendar)
    let tree = try JSONTree.parse(Array((calendar.dropLast() + #","selection":"single"}"#).utf8))
    let definition = try Definition.make(from: tree) { _ in nil }
    fixture.log.shared["room"] = SharedDefinition(
      name: "room", version: 1, document: definition.document(full: true), notes: Notes(),
      inventory: InventorySettings(capacity: 1))
  }

  /// The counts at a change, with the units of the day that are held.
  private func counts(_ number: Int, held: Int) -> InventoryChange {
    var count = KeyCount(capacity: 1)
    count.held = held
    return InventoryChange(
      name: "room", number: number, lineNumber: 0, isWhole: true,
      keys: held == 0 ? [:] : [day: count], claims: [:])
  }

  /// Creates a session that has selected the day.
  private func create() throws -> SessionID {
    let request = try CreateRequest(Array(#"{"uses":"room","result":{"date":"\#(day)"}}"#.utf8))
    var created: SessionID?
    fixture.hub.begin { host throws(HubProblem) in
      try await host.create(request, socketBase: "", at: fixture.now)
    } answer: {
      created = try? $0.get().id
    }
    return try #require(created)
  }

  @Test func `an older change that is still being read takes nothing from a new session`() throws {
    fixture.log.counts = counts(1, held: 0)
    _ = try create()
    fixture.hub.inventoryChanged("room", number: 2, at: fixture.now)
    fixture.wait(300)
    #expect(fixture.log.countings.count == 1)
    fixture.log.counts = counts(3, held: 0)
    let new = try create()

    fixture.log.countings[0].answer(.found(counts(2, held: 1)))
    fixture.wait(100)

    let fold = try #require(fixture.hub.session(new)?.fold)
    #expect(fold.picker.keys == [day] && fold.revision == 0)
  }

  @Test func `a session that is created reads the claims of no other`() throws {
    fixture.log.counts = counts(1, held: 0)
    _ = try create()
    fixture.hub.inventoryChanged("room", number: 2, at: fixture.now)
    fixture.log.counts = counts(3, held: 0)
    _ = try create()
    fixture.wait(300)
    #expect(fixture.log.countings.map(\.since) == [1])
  }

  @Test func `places in the line are read again that were due while something was read`() throws {
    fixture.log.counts = counts(1, held: 0)
    _ = try create()
    func change(_ number: Int) {
      fixture.hub.inventoryChanged("room", number: number, at: fixture.now)
    }
    func answer(_ number: Int, line: Int) {
      let answer = fixture.log.countings.removeFirst().answer
      answer(
        .found(
          InventoryChange(
            name: "room", number: number, lineNumber: line, isWhole: false, keys: [:],
            claims: [:])))
    }
    change(2)
    fixture.wait(300)
    answer(2, line: 2)
    // The places are read every 4 s: these wait.
    change(3)
    fixture.wait(300)
    answer(3, line: 3)
    fixture.wait(3300)
    change(4)
    fixture.wait(300)
    #expect(fixture.log.countings.map(\.places) == [nil])
    fixture.wait(300)
    answer(4, line: 3)
    fixture.wait(100)

    #expect(fixture.log.countings.map(\.places) == [2])
  }
}
