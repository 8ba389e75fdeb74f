import JSONText
import PickerSession
import PickerWire
import Testing

@testable import PickerHub

/// Long messages to many listeners are sent to one after the other.
@Suite struct TurnTests {
  private static let listenerCount: UInt64 = 40

  /// Two weeks of quarters of an hour.
  private static func weeks(_ timeZone: String) -> String {
    #"{"kind":"availability","timeZone":"\#(timeZone)","stepMinutes":15,"#
      + #""dates":{"from":"2026-11-23","through":"2026-12-04"},"#
      + #""hours":[{"from":"00:00","until":"24:00"}]}"#
  }

  /// A session whose members have marked 384 runs each.
  private func marked() throws -> HubFixture {
    let fixture = try HubFixture(TurnTests.weeks("UTC"))
    for raw in 1...TurnTests.listenerCount {
      fixture.join(raw)
      for part in 0..<6 {
        let runs = (0..<64).map { "[\(128 * part + 2 * $0),\(128 * part + 2 * $0 + 1)]" }
        fixture.send(raw, mark(part + 1, runs.joined(separator: ","), generation: 1))
      }
    }
    fixture.wait(1000)
    fixture.forgetAll()
    return fixture
  }

  private func mark(_ ref: Int, _ runs: String, generation: Int) -> String {
    #"{"type":"mark","ref":\#(ref),"grade":"yes","cells":[\#(runs)],"#
      + #""generation":\#(generation)}"#
  }

  private func served(_ fixture: HubFixture) -> Int {
    fixture.port.frames.count { !$0.value.isEmpty }
  }

  @Test func `cells that are numbered anew with many marks are sent as snapshots in turn`() throws {
    let fixture = try marked()
    #expect(fixture.fold.picker.state.marks != nil && fixture.fold.revision == 240)

    _ = try fixture.put(TurnTests.weeks("UTC").replacing("\"24:00\"", with: "\"23:45\""))?.get()
    #expect(fixture.fold.revision == 241 && served(fixture) == 0)
    fixture.wait(0)
    #expect((1...4).contains(served(fixture)), "256 KiB in a millisecond")
    // What happens meanwhile is in the snapshots of those that wait, and a delta of the others.
    fixture.send(40, mark(7, "[1,2]", generation: 2))
    #expect(fixture.received(40).isEmpty)
    fixture.wait(100)

    #expect(served(fixture) == 40)
    let last = fixture.port.frames[39]?.last
    #expect(last === fixture.port.frames[38]?.last, "it is encoded once")
    #expect(fixture.types(1) == ["snapshot", "delta"])
    let own = fixture.received(40)
    #expect(own.compactMap { $0["type"]?.string } == ["snapshot", "reply"])
    #expect(own.map { $0["revision"]?.integer } == [242, 242] && own[1]["ref"]?.integer == 7)
  }

  @Test func `a snapshot that is sent is retained as long as others wait for theirs`() throws {
    let fixture = try marked()
    _ = try fixture.put(TurnTests.weeks("UTC").replacing("\"24:00\"", with: "\"23:45\""))?.get()
    fixture.wait(0)
    weak var snapshot = fixture.port.frames.values.compactMap(\.last).first
    fixture.forgetAll()
    #expect(snapshot != nil)

    fixture.wait(100)
    #expect(served(fixture) > 30)
    fixture.forgetAll()
    #expect(snapshot == nil)
  }

  @Test func `the others wait for a quarter of a second for what is not read`() {
    let schedule = HubSchedule(HubBuffers())
    for raw in 1...8 { schedule.addTurn(ConnectionID(raw: UInt64(raw))) }
    var taken: [UInt64] = []
    func take(at milliseconds: Int64, isBlocked: Bool) {
      schedule.takeTurns(at: HubTime(session: noon, machine: milliseconds)) { connection in
        taken.append(connection.raw)
        return 8 << 20
      } isBlocked: { _ in
        isBlocked
      }
    }

    for time in 1...100 { take(at: Int64(time), isBlocked: true) }
    #expect(taken == [1, 2], "16 MiB are not read")
    take(at: 251, isBlocked: true)
    take(at: 252, isBlocked: true)
    #expect(taken == [1, 2, 3, 4])
    for time in 253...260 { take(at: Int64(time), isBlocked: false) }
    #expect(taken == [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test func `a long delta is sent to one listener after the other`() throws {
    let fixture = try HubFixture(letters)
    for raw in 1...TurnTests.listenerCount { fixture.join(raw) }
    fixture.wait(1000)
    fixture.forgetAll()

    let rows = (0..<200).map { "\"\($0)\(String(repeating: "x", count: 190))\"" }
    _ = try fixture.put(#"{"kind":"columns","columns":[[\#(rows.joined(separator: ","))]]}"#)?.get()
    #expect(served(fixture) == 0)
    fixture.wait(0)
    let first = served(fixture)
    fixture.send(40, select(1, 0, 3).replacing("\"generation\":1", with: "\"generation\":2"))
    fixture.wait(100)

    #expect((1..<40).contains(first) && served(fixture) == 40)
    #expect(fixture.types(1) == ["delta", "delta"] && fixture.types(40) == ["delta", "delta"])
  }
}
