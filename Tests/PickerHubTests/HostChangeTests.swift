import CivilTime
import JSONText
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

extension HubFixture {
  /// Replaces the definition, as the host does.
  @discardableResult
  func put(_ definition: String) -> Result<JSONTree, HubProblem>? {
    var result: Result<JSONTree, HubProblem>?
    let request = DocumentRequest(
      format: .whole, body: Array(definition.utf8), versions: nil, valuesMax: .max)
    hub.begin { [self] host throws(HubProblem) in
      try await host.change(.definition, of: session, request, token: nil, at: now)
    } answer: { answer in
      result = answer.map { (try? JSONTree.parse($0.body)) ?? .null }
    }
    return result
  }
}

/// Changes of the host for members that read slowly, and changes that are prepared on another
/// thread.
@Suite struct HostChangeTests {
  private func slow(_ definition: String, _ fields: String = "") throws -> HubFixture {
    var configuration = HubConfiguration()
    configuration.limits.outboxBytes = 600
    let fixture = try HubFixture(definition, configuration)
    fixture.join(1)
    fixture.join(2, fields)
    fixture.forgetAll()
    fixture.port.full = [2]
    fixture.send(2, #"{"type":"undo","ref":1}"#)
    return fixture
  }

  private func note(_ fixture: HubFixture, _ count: Int, _ patch: (Int) -> String) throws {
    for number in 1...count {
      _ = try #require(fixture.note(patch(number))).get()
      fixture.wait(100)
    }
    fixture.port.full = []
    fixture.becomeWritable(2)
  }

  @Test func `a slow reader gets the notes of rows in one snapshot`() throws {
    let fixture = try slow(letters)

    try note(fixture, 40) { #"{"columns":{"0":{"b":{"text":"€ \#($0)"},"c":null}}}"# }

    let received = fixture.received(2).filter { $0["type"]?.string != "refused" }
    #expect(received.map { $0["type"]?.string } == ["snapshot"])
    #expect(received[0]["revision"] == .integer(40))
    let rows = received[0]["snapshot"]?["columns"]?.array?[0]["rows"]?.array
    #expect(rows?.map { $0["note"]?["text"]?.string } == [nil, "€ 40", nil])
  }

  @Test func `a slow reader gets the notes of days with one snapshot and its months`() throws {
    let fixture = try slow(
      calendar, #","months":{"from":"2026-12","count":1},"locale":"zh-Hans""#)

    try note(fixture, 40) {
      #"{"days":{"2026-12-24":{"text":{"en":"few \#($0)","zh":"少 \#($0)"}},"2026-12-\#(10 + $0 % 9)":"#
        + ($0 % 2 == 0 ? "null" : #"{"text":"x"}"#) + "}}"
    }

    let received = fixture.received(2).filter { $0["type"]?.string != "refused" }
    #expect(received.map { $0["type"]?.string } == ["snapshot", "months"])
    let cells = received[1]["months"]?.array?[0]["cells"]?.array ?? []
    let noted = cells.filter { $0["note"] != nil }
    let days = fixture.fold.notes.days
    #expect(noted.compactMap { $0["date"]?.string } == days.keys.sorted().map(\.iso))
    #expect(noted.last?["note"]?["text"] == .string("少 40"))
    fixture.note(#"{"days":{"2026-12-24":null}}"#)
    #expect(fixture.received(2).last?["changes"]?.array?[0]["days"]?["2026-12-24"] == .null)
  }

  @Test func `a slow reader's refusal for a column that was removed has no changes`() throws {
    let fixture = try slow(letters)
    fixture.send(2, select(2, 1, 7))
    for number in 1...9 { fixture.send(1, select(number, 0, number % 3)) }

    _ = try #require(fixture.put(#"{"kind":"columns","columns":[["a","b","c"]]}"#)).get()
    fixture.port.full = []
    fixture.becomeWritable(2)

    let received = fixture.received(2)
    let types = received.compactMap { $0["type"]?.string }
    #expect(types == ["refused", "snapshot", "refused"])
    let refused = received.first { $0["ref"] == .integer(2) }
    #expect(refused?["code"] == .string("noSuchRow") && refused?["changes"] == .array([]))
  }

  @Test func `a large patch of notes is parsed in the background, and later ones wait for it`()
    throws
  {
    let fixture = try HubFixture(letters)
    fixture.port.backgroundWork = []
    let rows = (0..<800).map { #""row \#($0)":{"text":"€ \#($0)"}"# }.joined(separator: ",")

    let first = fixture.note(#"{"columns":{"0":{\#(rows)}}}"#)
    let second = fixture.note(#"{"columns":{"0":{"row 1":null}}}"#)
    #expect(first == nil && second == nil && fixture.fold.revision == 0)
    #expect(fixture.port.backgroundWork?.count == 1)
    fixture.port.finishBackgroundWork()

    #expect(fixture.fold.revision == 2)
    #expect(fixture.fold.notes.columns[0]?.count == 799)
  }

  @Test func `a large patch of notes that is not JSON is rejected, and the next one is applied`()
    throws
  {
    let fixture = try HubFixture(letters)
    fixture.port.backgroundWork = []
    var problems: [HubProblem] = []
    for body in [String(repeating: "[", count: 20_000), #"{"columns":{"0":{"a":{"text":"x"}}}}"#] {
      let request = DocumentRequest(
        format: .mergePatch, body: Array(body.utf8), versions: nil, valuesMax: .max)
      fixture.hub.begin { host throws(HubProblem) in
        try await host.change(.notes, of: fixture.session, request, token: nil, at: fixture.now)
      } answer: {
        if case .failure(let problem) = $0 { problems.append(problem) }
      }
    }
    fixture.port.finishBackgroundWork()

    guard case .badRequest? = problems.first, problems.count == 1 else {
      Issue.record("\(problems)")
      return
    }
    #expect(fixture.fold.revision == 1)
  }
}
