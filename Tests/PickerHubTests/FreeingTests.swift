import JSONText
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// Freeing the rows of large definitions takes as long as a tap may wait, so the hub's thread never
/// releases the last reference to them.
@Suite struct FreeingTests {
  private static let maker = DefinitionMaker(
    limits: DefinitionLimits(), zone: { $0 == "UTC" ? .utc : nil }, digest: { $0 })

  private func columns(_ name: String) -> String {
    let rows = (0..<600).map { #""\#(name) \#($0)""# }
    return #"{"kind":"columns","columns":[[\#(rows.joined(separator: ","))]]}"#
  }

  /// Refers to a definition without retaining it.
  private struct Reference {
    weak var definition: Definition?
  }

  /// References to the definitions of a session: the first one and those of its history.
  private func references(_ fixture: HubFixture) -> [Reference] {
    let fold = fixture.fold
    let later = fold.history.compactMap { delta -> Definition? in
      guard case .definition(let redefinition, _, tappedBy: _, rangeBefore: _) = delta.change
      else { return nil }
      return redefinition.definition
    }
    return ([fold.origin.definition] + later).map { Reference(definition: $0) }
  }

  private enum Departure: CaseIterable {
    case deleted, expired, evicted, lost, failed
  }

  @Test(arguments: Departure.allCases)
  private func `the definitions of a session that leaves memory are freed on another thread`(
    departure: Departure
  ) throws {
    let fixture = try HubFixture(
      columns("first"), fields: #","ttlSeconds":60"#, canLoad: departure != .expired)
    _ = fixture.put(columns("second"))
    let references = references(fixture)
    fixture.port.freed = []
    switch departure {
    case .deleted: fixture.hub.host.delete(fixture.session, token: nil, at: fixture.now) { _ in }
    case .expired: fixture.wait(61_000)
    case .evicted: fixture.wait(6_000)
    case .lost: fixture.hub.lost([fixture.session], at: fixture.now)
    case .failed:
      fixture.log.outcome = .failed
      _ = fixture.put(letters)
    }
    (fixture.log.records, fixture.log.snapshots) = ([], [])

    #expect(fixture.hub.session(fixture.session) == nil)
    #expect(references.count == 2 && references.allSatisfy { $0.definition != nil })
    fixture.port.freed = []
    #expect(references.allSatisfy { $0.definition == nil })
  }

  @Test func `a small session that leaves memory is freed at once`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.send(1, select(1, 0, 1))
    fixture.hub.host.delete(fixture.session, token: nil, at: fixture.now) { _ in }
    #expect(fixture.port.freed.isEmpty)
  }

  @Test func `a definition for which the history has no more room is freed on another thread`()
    throws
  {
    var configuration = HubConfiguration()
    configuration.limits.session.history = 2
    let fixture = try HubFixture(letters, configuration)
    fixture.join(1)
    for name in ["a", "b"] { _ = fixture.put(columns(name)) }
    let references = references(fixture)
    fixture.port.freed = []
    _ = fixture.put(letters)
    fixture.send(1, #"{"type":"select","ref":1,"column":0,"row":1,"generation":1,"key":"b"}"#)
    fixture.log.records = []

    #expect(fixture.port.freed.count == 2, "one by a change of the host, one by a tap")
    #expect(references.allSatisfy { $0.definition != nil })
    fixture.port.freed = []
    #expect(references.map { $0.definition == nil } == [false, true, true])
  }

  @Test func `a definition that was prepared for an ended session is freed on another thread`()
    throws
  {
    let fixture = try HubFixture(letters)
    fixture.port.backgroundWork = []
    let request = DefinitionRequest(
      format: .whole, body: Array((columns("a") + String(repeating: " ", count: 20_000)).utf8),
      versions: nil, valuesMax: .max, maker: FreeingTests.maker)
    fixture.hub.redefine(fixture.session, request, token: nil, at: fixture.now) { _ in }
    fixture.hub.host.delete(fixture.session, token: nil, at: fixture.now) { _ in }
    fixture.port.finishBackgroundWork()

    let prepared = fixture.port.freed.compactMap { $0 as? Result<DefinitionChange?, HubProblem> }
    #expect(prepared.count == 1 && (try? prepared[0].get()) != nil)
  }

  @Test func `deltas read for the log of a session are freed on another thread`() throws {
    let fixture = try HubFixture(letters)
    _ = fixture.put(columns("a"))
    fixture.port.freed = []
    var page: LogPage?
    fixture.hub.logLines(fixture.session, token: nil, after: 0, at: fixture.now) {
      page = try? $0.get()
    }
    #expect(page?.next == nil)
    #expect(fixture.port.freed.compactMap { $0 as? ArraySlice<Delta> }.map(\.count) == [1])
  }
}
