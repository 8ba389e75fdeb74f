import CivilTime
import Foundation
import JSONText
import PickerModel
import Synchronization
import Testing

@testable import PickerSession

/// The system's time zones, each read once.
enum Zones {
  private static let known = Mutex<[String: ZoneRules]>([:])

  static func named(_ name: String) -> ZoneRules? {
    known.withLock { known in
      if let zone = known[name] { return zone }
      guard let data = FileManager.default.contents(atPath: "/usr/share/zoneinfo/\(name)"),
        let zone = try? TZifFile.parse(Array(data), name: name)
      else { return nil }
      known[name] = zone
      return zone
    }
  }
}

/// A session of `Tests/golden/availability.json` and its steps.
struct AvailabilityVector: CustomTestStringConvertible {
  let name: String
  let tree: JSONTree

  var testDescription: String { name }

  static let all: [AvailabilityVector] = {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = tests.appending(path: "golden/availability.json")
    let tree = try! JSONTree.parse(Array(try! Data(contentsOf: file)))
    return tree.array!.map { AvailabilityVector(name: $0["name"]!.string!, tree: $0) }
  }()
}

@Suite struct AvailabilityGoldenTests {
  @Test func `all vectors are found`() {
    #expect(AvailabilityVector.all.count == 36)
  }

  @Test(arguments: AvailabilityVector.all)
  func `the session reproduces every golden vector`(_ vector: AvailabilityVector) throws {
    var run = GoldenRun()
    for (index, step) in vector.tree["steps"]!.array!.enumerated() {
      try run.perform(step, definition: vector.tree["definition"]!)
      let wrong = run.differences(from: step["expect"]!)
      #expect(wrong == [], "step \(index) of \(vector.name)")
      #expect(run.fold?.picker._checkInvariants() == nil, "step \(index) of \(vector.name)")
      run.checkRestored(at: index)
    }
  }
}

private struct GoldenRun {
  var fold: SessionFold?
  private var effects: [Effect] = []
  private var error: String?
  private var layoutZone: String?
  private var before: Availability?
  private var refs: [String: Int] = [:]

  mutating func perform(_ step: JSONTree, definition: JSONTree) throws {
    let now = Instant(rfc3339: step["now"]!.string!.utf8)!
    let action = step["do"]!
    (effects, error, layoutZone) = ([], nil, nil)
    if action["create"] != nil {
      do throws(DefinitionProblem) {
        let made = try Definition.make(from: definition, now: now, zone: Zones.named)
        let origin = SessionOrigin(id: SessionID("s"), epoch: "e", definition: made, createdAt: now)
        fold = try SessionFold(origin)
        join("owner", at: now)
      } catch {
        self.error = "badDefinition"
      }
      return
    }
    let name = step["by"]?.string ?? "owner"
    join(name, at: now)
    before = fold!.picker.availability
    let body: LogEntry.Body
    if let new = action["define"] {
      effects = fold!.apply(LogEntry(at: now, body: .tick))
      do throws(DefinitionProblem) {
        let made = try Definition.make(from: new, now: now, zone: Zones.named)
        if made.isSame(as: fold!.definition) { return }
        let change = DefinitionChange(version: fold!.version + 1, definition: made, source: .whole)
        effects += fold!.apply(LogEntry(at: now, body: .revised(.init(definition: change))))
      } catch {
        self.error = "badDefinition"
      }
      return
    } else if let look = action["look"] {
      layoutZone = look["timeZone"]?.string ?? ""
      return
    } else if action["tick"] != nil {
      body = now < fold!.reached ? .clockSet : .tick
    } else {
      refs[name, default: 0] += 1
      body = .command(MemberID(name), ref: refs[name]!, command(action))
    }
    effects = fold!.apply(LogEntry(at: now, body: body))
  }

  private mutating func join(_ name: String, at now: Instant) {
    let joining = LogEntry.Joining(
      member: MemberID(name), secret: SecretHash([]), name: name, role: nil)
    _ = fold!.apply(LogEntry(at: now, body: .joined(joining)))
  }

  private func command(_ action: JSONTree) -> Command {
    let generation = fold!.picker.availability!.generation
    if let mark = action["mark"] {
      let cells = mark["cells"]!.array!.map { $0.array![0].integer!..<$0.array![1].integer! }
      return .act(
        .mark(CellMark(grade: mark["grade"]?.string, cells: cells, generation: generation)))
    }
    if let confirm = action["confirm"] {
      guard let cell = confirm["cell"]?.integer else { return .confirm }
      return .confirmWindow(WindowChoice(cell: cell, generation: generation))
    }
    return action["clear"] != nil ? .act(.clear) : .reopen
  }

  /// Checks that a stored session goes on as this one.
  func checkRestored(at step: Int) {
    guard let fold else { return }
    let state = StoredPicker(tree: fold.picker.state.tree)
    #expect(state == fold.picker.state, "step \(step)")
    guard let state, state.fits(fold.picker.definition) else {
      Issue.record("step \(step) cannot be restored")
      return
    }
    let restored = Picker(fold.picker.definition, state: state)
    #expect(restored == fold.picker && restored.result == fold.picker.result)
    #expect(restored.availability?.best == fold.picker.availability?.best)
    #expect(restored.nextTick == fold.picker.nextTick)
  }

  func differences(from expect: JSONTree) -> [String] {
    expect.members!.compactMap { member in
      let found = found(member.key)
      guard !found.isSameValue(as: member.value) else { return nil }
      return "\(member.key): \(String(decoding: found.serialized(), as: UTF8.self))"
    }
  }

  private func found(_ name: String) -> JSONTree {
    switch name {
    case "error": error.map(JSONTree.string) ?? .null
    case "rejected": refusal.map { .string($0.code.rawValue) } ?? .null
    case "unchanged": .bool(isReply)
    case "result": fold!.picker.result.tree
    case "availability": availability
    case "marks": marks
    case "renumbered": .bool(before!.generation != fold!.picker.availability!.generation)
    case "layout": layout
    default: .string("a member that no test knows")
    }
  }

  private var refusal: Refusal? {
    for case .answered(_, let answer) in effects {
      if case .refused(let refusal, _) = answer.body { return refusal }
    }
    return nil
  }

  private var isReply: Bool {
    effects.count == 1
      && effects.contains {
        if case .answered(_, let answer) = $0, case .reply = answer.body { true } else { false }
      }
  }

  private var availability: JSONTree {
    let state = fold!.picker.availability!
    let starts: [String] =
      switch state.cells.content {
      case .dates(let dates): dates.map(\.iso)
      case .times(let starts, _): starts.map { Instant(seconds: $0).rfc3339Seconds }
      }
    return .object([
      .init("cells", .integer(state.cells.count)),
      .init("first", starts.first.map(JSONTree.string) ?? .null),
      .init("last", starts.last.map(JSONTree.string) ?? .null),
      .init("past", .integer(state.past)), .init("closed", .bool(state.isClosed)),
      .init("respondents", .integer(state.respondentCount)),
      .init(
        "heat",
        .array(
          state.heatRuns.map { run in
            integers([
              run.cells.lowerBound, run.cells.upperBound, run.counts.yes, run.counts.maybe,
              run.counts.no,
            ])
          })),
      .init(
        "best",
        .array(
          state.best.map {
            integers([$0.cell, $0.counts.yes, $0.counts.maybe, $0.counts.no])
          })),
    ])
  }

  private func integers(_ values: [Int]) -> JSONTree { .array(values.map(JSONTree.integer)) }

  /// The whole marks of everybody whose marks changed, or are numbered anew.
  private var marks: JSONTree {
    let after = fold!.picker.availability!
    let isRenumbered = before!.generation != after.generation
    let names = Set(before!.marks.keys).union(after.marks.keys).sorted().filter {
      isRenumbered || before!.marks[$0] != after.marks[$0]
    }
    return .object(
      names.map { name in
        .init(
          name,
          .array(
            (after.marks[name]?.runs ?? []).map { run in
              .array([
                .integer(run.cells.lowerBound), .integer(run.cells.upperBound),
                .string("\(run.grade!.name)"),
              ])
            }))
      })
  }

  private var layout: JSONTree {
    let change = CellsChange(of: fold!.picker.availability!)
    let zone = layoutZone.flatMap { $0.isEmpty ? nil : Zones.named($0) } ?? change.zone.rules
    func runs(_ runs: [CellLayout.Run]) -> JSONTree {
      .array(runs.map { integers([$0.first, $0.count, $0.position]) })
    }
    switch CellLayout(change.cells, in: zone, firstWeekday: change.firstWeekday) {
    case .times(let rows, let days):
      func indexes(where isWanted: (CellLayout.Row) -> Bool) -> JSONTree {
        integers(rows.indices.filter { isWanted(rows[$0]) })
      }
      return .object([
        .init("days", .array(days.map { .array([.string($0.date.iso), runs($0.runs)]) })),
        .init("rows", .array(rows.map { .string(EnglishTexts().time($0.minute)) })),
        .init("again", indexes { $0.isAgain }), .init("gap", indexes { $0.isGap }),
      ])
    case .months(let months):
      return .object([
        .init("months", .array(months.map { .array([.string($0.month.iso), runs($0.runs)]) }))
      ])
    }
  }
}
