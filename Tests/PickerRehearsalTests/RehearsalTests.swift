import Foundation
import JSONText
import Testing

@testable import PickerClient
@testable import PickerRehearsal

/// The Swift client as the kit drives it.
///
/// `@unchecked Sendable`: the kit calls it on one thread.
final class SwiftClient: RehearsedClient, @unchecked Sendable {
  private var picker: PickerConnection?

  func open(_ url: String) {
    picker = PickerConnection(to: SessionAddress(url)!)
    picker?.start()
  }

  func act(_ command: JSONTree) {
    guard let picker else { return }
    switch command["type"]?.string {
    case "tap": picker.send(.tap(PickerDay(command["date"]!.string!)!))
    case "select":
      let (row, column) = (command["row"]!.integer!, command["column"]!.integer!)
      picker.send(picker.state.selecting(row: row, column: column)!)
    case "mark":
      let cells = command["cells"]!.array!.map { $0.array![0].integer!..<$0.array![1].integer! }
      let grade = command["grade"]?.string.flatMap(PickerGrade.init)
      let generation = picker.state.availability?.generation ?? 0
      picker.send(.mark(grade, cells: cells, generation: generation))
    case "confirm": picker.send(.confirm)
    case "rename": picker.send(.rename(command["name"]!.string!))
    default: Issue.record("no scene has \(command)")
    }
  }

  func state(within seconds: Double) -> JSONTree? { picker.map { Self.document($0.state) } }

  func close() { picker?.stop() }

  private static func document(_ state: PickerState) -> JSONTree {
    let columns = state.columns.map { column in
      object([
        "generation": .integer(column.generation), "count": .integer(column.count),
        "row": column.row.map { .integer($0) } ?? .null,
        "rows": .array(column.rowsKnown.map { object(["key": .string($0.row.key)]) }),
      ])
    }
    var members: [String: JSONTree] = [
      "revision": .integer(state.revision), "status": .string(state.status.rawValue),
      "role": .string(state.me?.role.rawValue ?? ""), "unanswered": .integer(state.pendingCount),
      "result": result(state), "columns": .array(columns),
    ]
    if let list = state.monthList {
      let range = state.range.map { range in
        object([
          "start": .string(range.start.iso), "end": .string(range.end.iso),
          "hits": .integer(range.hits),
        ])
      }
      let months = object([
        "first": .string(list.first.iso), "last": .string(list.last.iso),
        "count": .integer(list.count),
      ])
      members["calendar"] = object(["months": months, "range": range ?? .null])
    }
    if let cells = state.availability { members["availability"] = document(cells) }
    return object(members)
  }

  /// Each cell is a run.
  private static func document(_ cells: PickerAvailability) -> JSONTree {
    func runs(_ values: [[JSONTree]]) -> JSONTree {
      .array(
        values.enumerated().map { cell, values in
          .array([.integer(cell), .integer(cell + 1)] + values)
        })
    }
    let marks = cells.respondents.map { respondent in
      object([
        "member": .string(respondent.id),
        "runs": runs(respondent.grades.map { [$0.map { .string($0.rawValue) } ?? .null] }),
      ])
    }
    return object([
      "generation": .integer(cells.generation), "count": .integer(cells.count),
      "past": .integer(cells.past), "closed": .bool(cells.isClosed), "marks": .array(marks),
      "respondents": cells.respondentCount.map { .integer($0) } ?? .null,
      "heat": runs(
        (cells.heat ?? []).map { [.integer($0.yes), .integer($0.maybe), .integer($0.no)] }),
      "best": .array((cells.best ?? []).map { object(["cell": .integer($0.cell)]) }),
    ])
  }

  private static func result(_ state: PickerState) -> JSONTree {
    switch state.result {
    case nil: .null
    case .day(let day)?: object(["date": .string(day.iso)])
    case .slot(let local)?:
      object([
        "local": .string(local), "instant": .string(state.resultInstant ?? ""),
        "until": state.resultUntil.map(JSONTree.string) ?? .null,
        "yes": .integer(state.resultCounts?.yes ?? 0),
        "maybe": .integer(state.resultCounts?.maybe ?? 0),
        "no": .integer(state.resultCounts?.no ?? 0),
      ])
    case .keys(let keys)?: object(["keys": .array(keys.map { .string($0) })])
    case .days(let start, let end)?:
      object([
        "start": .string(start.iso), "end": .string(end.iso),
        "days": .integer(end.days(since: start) + 1),
        "yes": .integer(state.resultCounts?.yes ?? 0),
        "maybe": .integer(state.resultCounts?.maybe ?? 0),
        "no": .integer(state.resultCounts?.no ?? 0),
      ])
    case .nights(let start, let end)?:
      object([
        "start": .string(start.iso), "end": .string(end.iso),
        "nights": .integer(end.days(since: start)),
        "total": state.resultTotal.map(total) ?? .null,
      ])
    }
  }

  private static func total(_ total: PickerTotal) -> JSONTree {
    let hundredths = total.amount.hundredths
    return object([
      "amount": hundredths % 100 == 0
        ? .integer(hundredths / 100) : .number(Double(hundredths) / 100),
      "currency": total.currency.map(JSONTree.string) ?? .null,
    ])
  }

  private static func object(_ members: [String: JSONTree]) -> JSONTree {
    .object(members.map { .init($0.key, $0.value) })
  }
}

@Suite struct RehearsalTests {
  private static let guide = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("web/guide/README.md")

  @Test func `every sentence of the contract is in the guide`() throws {
    let text = try String(contentsOf: Self.guide, encoding: .utf8)
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for clause in Clause.all { #expect(words.contains(clause.text), "\(clause.text)") }
  }

  @Test func `the guide has a table of the scenes and their kinds, and their number`() throws {
    let page = Self.guide.deletingLastPathComponent().appendingPathComponent("rehearse.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let rows = Scene.table.map { row in
      let kinds = SceneKind.allCases.map { row.kinds.contains($0) ? "x" : "" }
      return "| `\(row.title)` | \(kinds.joined(separator: " | ")) | \(row.summary) |"
    }
    let shown = text.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.hasSuffix(" |") }

    #expect(shown.map(String.init).filter { $0.split(separator: "|").count == 5 } == rows)
    #expect(text.contains("\(Scene.all.count - 1) of \(Scene.all.count) scenes passed"))
  }

  @Test func `a scene is called by its name, or by the title of its kinds`() {
    let called = { text in Scene.all.filter { $0.isCalled(text) }.map(\.name) }

    #expect(called("clamp") == ["clamp-wheels", "clamp-calendar"])
    #expect(called("clamp-wheels") == ["clamp-wheels"])
    #expect(called("gap") == ["gap"])
    #expect(Set(Scene.all.map(\.name)).count == Scene.all.count)
  }

  @Test func `the Swift client passes`() {
    let outcomes = Rehearsal(patience: 600) { SwiftClient() }.run(jobs: 8)

    #expect(outcomes.count == Scene.all.count)
    for outcome in outcomes where !outcome.isPassed {
      Issue.record("\(RehearsalReport.text(of: outcome))")
    }
  }

  @Test func `a report escapes characters that XML does not allow`() {
    let scene = Scene.all[0]
    let outcome = Rehearsal.Outcome(
      scene: scene, seconds: 0.25, clause: .fold, detail: "a < \"b\" & c\u{1}", notes: "")

    let report = RehearsalReport([outcome])

    #expect(report.junit.contains("message=\"a &lt; &quot;b&quot; &amp; c\""))
    #expect(report.junit.contains("tests=\"1\" failures=\"1\""))
    #expect(report.failureCount == 1)
  }
}
