import CivilTime
import Foundation
import JSONText
import PickerModel
import Testing

/// A picker of a golden file and its steps.
struct GoldenVector: CustomTestStringConvertible {
  let name: String
  let tree: JSONTree

  var testDescription: String { name }

  private static let families = [
    "date", "slot", "slot-hours", "columns", "calendar", "define", "nights", "set",
  ]

  static let all: [GoldenVector] = families.flatMap { family in
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = tests.appending(path: "golden/\(family).json")
    let tree = try! JSONTree.parse(Array(try! Data(contentsOf: file)))
    return tree.array!.map { GoldenVector(name: "\(family): \($0["name"]!.string!)", tree: $0) }
  }
}

@Suite struct GoldenTests {
  @Test func `all vectors are found`() {
    #expect(GoldenVector.all.count == 129)
  }

  @Test(arguments: GoldenVector.all)
  func `the picker reproduces every golden vector`(_ vector: GoldenVector) throws {
    var run = GoldenRun()

    for (index, step) in vector.tree["steps"]!.array!.enumerated() {
      try run.perform(step, definition: vector.tree["definition"]!)
      let wrong = run.differences(from: step["expect"]!)
      #expect(wrong == [], "step \(index) of \(vector.name)")
      #expect(run.picker?._checkInvariants() == nil)
    }
  }
}

/// Runs the steps of a vector.
private struct GoldenRun {
  var picker: Picker?
  private var changes: [PickerChange] = []
  private var refusal: Refusal?
  /// The values that undo and redo restore, the next one last.
  private var past: [PickerSelection] = []
  private var future: [PickerSelection] = []
  private var error: String?
  private var viewedMonth: CivilMonth?

  mutating func perform(_ step: JSONTree, definition: JSONTree) throws {
    let now = Instant(step["now"]!.string!)
    let action = step["do"]!
    (changes, refusal, error, viewedMonth) = ([], nil, nil, nil)
    if action["create"] != nil {
      do throws(DefinitionProblem) {
        let made = try Definition.make(from: definition, zone: Zones.named)
        picker = try Picker(made, now: now)
      } catch {
        self.error = "badDefinition"
      }
      return
    }
    let ticked = picker!.tick(now)
    if let new = action["define"] {
      do throws(DefinitionProblem) {
        let made = try Definition.make(from: new, now: now, zone: Zones.named)
        changes = try picker!.redefine(made).changes
      } catch {
        self.error = "badDefinition"
      }
      return
    }
    if action["undo"] != nil || action["redo"] != nil {
      return restore(isUndo: action["undo"] != nil)
    }
    let before = picker!.value
    do throws(Refusal) {
      if let select = action["select"] {
        changes = try picker!.select(
          row: select["row"]!.integer!, column: select["column"]!.integer!)
      } else if let tap = action["tap"] {
        changes = try picker!.tap(target(tap))
      } else if let result = action["set"] {
        changes = try picker!.set(try! ResultFields(result))
      } else if action["clear"] != nil {
        changes = picker!.clear()
      } else if let look = action["look"] {
        viewedMonth = CivilMonth(look["month"]!.string!)
      } else {
        changes = ticked.changes
      }
    } catch {
      refusal = error
    }
    if action["tick"] == nil, !changes.isEmpty { (past, future) = (past + [before], []) }
  }

  private mutating func restore(isUndo: Bool) {
    while let value = isUndo ? past.popLast() : future.popLast() {
      let before = picker!.value
      changes = picker!.restore(value)
      if changes.isEmpty { continue }
      if isUndo { future.append(before) } else { past.append(before) }
      return
    }
    refusal = Refusal(.nothingToUndo, "")
  }

  private func target(_ tap: JSONTree) -> TapTarget {
    if let date = tap["date"]?.string { return .date(CivilDate(date)) }
    let month = CivilMonth(tap["month"]!.string!)
    if let cell = tap["cell"]?.integer { return .cell(month, cell) }
    return .point(month, x: number(tap["x"]!), y: number(tap["y"]!))
  }

  private func number(_ tree: JSONTree) -> Double {
    if case .number(let value) = tree { return value }
    return Double(tree.integer!)
  }

  /// The members of `expect` that differ, each with the actual value.
  func differences(from expect: JSONTree) -> [String] {
    expect.members!.compactMap { member in
      let found = found(member.key, as: member.value)
      if member.key == "resets", areResets(member.value) { return nil }
      guard !matches(found, member.value, isPartial: member.key == "range") else { return nil }
      return "\(member.key): \(String(decoding: found.serialized(), as: UTF8.self))"
    }
  }

  /// Whether two values are equal, regardless of the order of members.
  ///
  /// - Parameter isPartial: Whether `left` may have more members.
  private func matches(_ left: JSONTree, _ right: JSONTree, isPartial: Bool = false) -> Bool {
    switch (left, right) {
    case (.object(let members), .object(let others)):
      if isPartial { return others.allSatisfy { matches(left[$0.key] ?? .null, $0.value) } }
      guard members.count == others.count else { return false }
      return members.allSatisfy { member in
        guard let other = right[member.key] else { return false }
        return matches(member.value, other)
      }
    case (.array(let elements), .array(let others)):
      guard elements.count == others.count else { return false }
      return zip(elements, others).allSatisfy { matches($0, $1) }
    default: return left == right
    }
  }

  /// - Parameter expected: What is expected; members that only some families have are left out if
  ///   it does not have them.
  private func found(_ name: String, as expected: JSONTree) -> JSONTree {
    switch name {
    case "error": error.map(JSONTree.string) ?? .null
    case "rejected": refusal.map { .string($0.code.rawValue) } ?? .null
    case "params": .object(refusal?.params ?? [])
    case "result": picker!.result.tree
    case "columns": .array(picker!.columns.map(column))
    case "calendar": calendar(as: expected)
    case "month": month(as: expected)
    case "range": range
    case "clamp": tapClamp
    case "reloaded":
      .array(
        changes.compactMap { change in
          switch change {
          case .columns(.reload(let column, _)), .columns(.removal(let column, _)): .integer(column)
          case .columns(.row), .calendar, .availability: nil
          }
        })
    case "sets": .array(moves(.set).map { .integer($0.column) })
    case "clamps": .array(moves(.clamp).map(clamp))
    case "resets": .array(resets.map(JSONTree.integer))
    default: .string("a member that no test knows")
    }
  }

  private func moves(_ cause: MoveCause) -> [(column: Int, move: RowMove)] {
    changes.compactMap {
      guard case .columns(.row(let column, let move)) = $0, move.cause == cause else { return nil }
      return (column, move)
    }
  }

  private var resets: [Int] { moves(.reset).map(\.column) }

  /// Some vectors list a column that became empty, which is only reloaded, among the resets.
  private func areResets(_ expected: JSONTree) -> Bool {
    let emptied = changes.compactMap { change -> Int? in
      guard case .columns(.reload(let column, let state)) = change, state.rows.count == 0 else {
        return nil
      }
      return column
    }
    let named = Set(expected.array!.map { $0.integer! })
    return named.isSuperset(of: resets) && named.subtracting(resets).isSubset(of: emptied)
  }

  private func clamp(_ column: Int, _ move: RowMove) -> JSONTree {
    .object([
      .init("column", .integer(column)), .init("from", .string(move.wanted!)),
      .init("to", .string(move.key)), .init("reason", .string(move.reason!.rawValue)),
    ])
  }

  private func column(_ state: ColumnState) -> JSONTree {
    func key(_ row: Int?) -> JSONTree { row.map { .string(state.rows.key(at: $0)) } ?? .null }
    let count = state.rows.count
    return .object([
      .init("count", .integer(count)), .init("first", key(count > 0 ? 0 : nil)),
      .init("last", key(count > 0 ? count - 1 : nil)), .init("selected", key(state.selected)),
    ])
  }

  private func calendar(as expected: JSONTree) -> JSONTree {
    let months = picker!.months!
    let range = picker!.range
    return .object(
      [
        .init("months", .integer(months.count)), .init("first", .string(months.first.iso)),
        .init("last", .string(months.last.iso)),
        .init("start", range.map { .string($0.start.iso) } ?? .null),
        .init("end", range.map { .string($0.end.iso) } ?? .null),
        .init("hits", .integer(range?.hits ?? 0)),
      ] + (expected["reach"] == nil ? [] : [.init("reach", reach(picker!.reach) ?? .null)]))
  }

  private func reach(_ reach: ClosedRange<CivilDate>?) -> JSONTree? {
    reach.map {
      .object([
        .init("from", .string($0.lowerBound.iso)), .init("through", .string($0.upperBound.iso)),
      ])
    }
  }

  /// The range change of a definition change with the members that are present.
  private var range: JSONTree {
    let moved = changes.compactMap {
      if case .calendar(.range(let change)) = $0 { change } else { nil }
    }
    guard let change = moved.first else { return .null }
    var members: [JSONTree.Member] = [.init("cause", .string(change.cause.rawValue))]
    if let reason = change.reason { members.append(.init("reason", .string(reason.rawValue))) }
    if let wanted = change.wanted { members.append(.init("wanted", .string(wanted.iso))) }
    if let reach = reach(change.reach) { members.append(.init("reach", reach)) }
    return .object(members)
  }

  private func month(as expected: JSONTree) -> JSONTree {
    let cells = picker!.cells(of: viewedMonth!)!
    let bands = picker!.bands(of: viewedMonth!).map { band in
      JSONTree.object([
        .init("row", .integer(band.row)), .init("from", .integer(band.from)),
        .init("to", .integer(band.to)), .init("head", .bool(band.head)),
        .init("tail", .bool(band.tail)), .init("shape", .string(band.shape.rawValue)),
      ])
    }
    func indexes(_ name: String, _ isListed: (Cell) -> Bool) -> [JSONTree.Member] {
      guard expected[name] != nil else { return [] }
      let listed = cells.indices.filter { !cells[$0].isOutside && isListed(cells[$0]) }
      return [.init(name, .array(listed.map(JSONTree.integer)))]
    }
    let shared: [JSONTree.Member] = [
      .init("month", .string(viewedMonth!.iso)), .init("cells", .integer(cells.count)),
      .init("firstCell", .string(cells.first!.date.iso)),
      .init("lastCell", .string(cells.last!.date.iso)),
      .init("lead", .integer(cells.firstIndex { !$0.isOutside }!)), .init("bands", .array(bands)),
    ]
    return .object(
      shared + indexes("disabled") { $0.isDisabled }
        + indexes("onlyArrival") { $0.only == .arrival }
        + indexes("onlyDeparture") { $0.only == .departure })
  }

  private var tapClamp: JSONTree {
    guard case .calendar(.range(let change))? = changes.first, let wanted = change.wanted else {
      return .null
    }
    let range = change.range!
    let end = range.end < wanted ? range.end : range.start
    return .object([
      .init("from", .string(wanted.iso)), .init("to", .string(end.iso)),
      .init("reason", .string(change.reason!.rawValue)),
    ])
  }
}
