import JSONText
import PickerModel
import Testing

/// A tree of values to compare with.
private struct TreeNode {
  let text: String
  let key: String
  let children: [TreeNode]

  static func grow(levels: Int, using random: inout RandomSource) -> [TreeNode] {
    guard levels > 0 else { return [] }
    let keys = ["a", "b", "c", "d"].shuffled(using: &random).prefix(
      .random(in: 1...3, using: &random))
    return keys.map { key in
      let isLeaf = Int.random(in: 0..<4, using: &random) == 0
      let children = isLeaf ? [] : grow(levels: levels - 1, using: &random)
      return TreeNode(text: key.uppercased(), key: key, children: children)
    }
  }

  var json: String {
    let children = children.map(\.json).joined(separator: ",")
    return #"{"text":"\#(text)","key":"\#(key)","children":[\#(children)]}"#
  }

  var depth: Int { 1 + (children.map(\.depth).max() ?? 0) }
}

@Suite struct CascadeKindTests {
  /// The rows of every column and the selected keys, found by walking the tree from its root.
  private func columns(
    _ roots: [TreeNode], wanted: [String], depth: Int
  ) -> (rows: [[String]], keys: [String]) {
    var (siblings, rows, keys) = (roots, [[String]](), [String]())
    for level in 0..<depth {
      rows.append(siblings.map(\.key))
      guard !siblings.isEmpty else { continue }
      let wantedKey = level < wanted.count ? wanted[level] : ""
      let node = siblings.first { $0.key == wantedKey } ?? siblings[0]
      keys.append(node.key)
      siblings = node.children
    }
    return (rows, keys)
  }

  @Test(arguments: ["first", "keep"])
  func `columns of random trees equal those found by a walk`(_ onParentChange: String) throws {
    var random = RandomSource(seed: 11)
    for _ in 0..<60 {
      let roots = TreeNode.grow(levels: 4, using: &random)
      let depth = roots.map(\.depth).max()!
      let nodes = roots.map(\.json).joined(separator: ",")
      var picker = try Picker(
        #"{"kind":"cascade","onParentChange":"\#(onParentChange)","nodes":[\#(nodes)]}"#,
        at: "2018-01-01T00:00:00Z")
      #expect(picker.columns.count == depth)
      var expected = columns(roots, wanted: [], depth: depth)
      for _ in 0..<20 {
        let column = Int.random(in: 0..<depth, using: &random)
        guard let key = expected.rows[column].randomElement(using: &random) else { continue }
        let before = expected
        let generations = picker.columns.map(\.generation)
        let upper = before.keys.prefix(column) + [key]
        let rest = onParentChange == "keep" ? before.keys.dropFirst(column + 1) : []
        let isSame = before.keys[column] == key
        if !isSame { expected = columns(roots, wanted: Array(upper + rest), depth: depth) }

        let changes = try picker.select(key: key, column: column)

        #expect(picker.columns.map(\.rows.keys) == expected.rows)
        #expect(picker.keys == expected.keys)
        #expect(picker._checkInvariants() == nil)
        #expect(summary(changes) == changesExpected(before, expected, column, generations))
      }
    }
  }

  private func changesExpected(
    _ before: (rows: [[String]], keys: [String]), _ after: (rows: [[String]], keys: [String]),
    _ touched: Int, _ generations: [Int]
  ) -> [String] {
    var (reloads, moves) = ([String](), [String]())
    for column in 0..<after.rows.count {
      if before.rows[column] != after.rows[column] {
        reloads.append(
          "reload \(column) #\(generations[column] + 1) of \(after.rows[column].count)")
      }
      let held = column < before.keys.count ? before.keys[column] : nil
      guard column < after.keys.count, after.keys[column] != held else { continue }
      moves.append("row \(column) \(after.keys[column]) \(column == touched ? "select" : "reset")")
    }
    return reloads + moves
  }

  @Test func `a column is reloaded only if its keys or texts change`() throws {
    let json = """
      {"kind":"cascade","nodes":[
        {"text":"A","children":[{"text":"x"},{"text":"y"}]},
        {"text":"B","children":[{"text":"x"},{"text":"y"}]},
        {"text":"C","children":[{"text":"X","key":"x"},{"text":"y"}]}]}
      """
    var picker = try Picker(json, at: "2018-01-01T00:00:00Z")

    #expect(summary(try picker.select(row: 1, column: 0)) == ["row 0 B select"])
    #expect(
      summary(try picker.select(row: 2, column: 0)) == ["reload 1 #2 of 2", "row 0 C select"])
    #expect(picker.columns[1].rows.text(at: 0, in: EnglishTexts()) == "X")
  }

  @Test func `every key is found in a column of twenty thousand rows`() throws {
    let rows = (0..<20_000).map { #""r\#($0)""# }.joined(separator: ",")
    let picker = try Picker(
      #"{"kind":"columns","columns":[[\#(rows)]]}"#, at: "2018-01-01T00:00:00Z")

    var found = 0
    for row in 0..<20_000 where picker.row(ofKey: "r\(row)", column: 0) == row { found += 1 }

    #expect(found == 20_000)
    #expect(picker.row(ofKey: "r20000", column: 0) == nil)
    #expect(picker.row(ofKey: "r1", column: 1) == nil)
    #expect(picker.nextTick == nil)
  }

  @Test func `refused selects name the columns and rows that exist`() throws {
    let json = #"{"kind":"cascade","nodes":[{"text":"A"},{"text":"B","children":[{"text":"b"}]}]}"#
    var picker = try Picker(json, at: "2018-01-01T00:00:00Z")
    let before = picker
    for (row, column, code) in [
      (0, 2, Rejection.noSuchColumn), (0, -1, .noSuchColumn), (2, 0, .noSuchRow),
      (-1, 0, .noSuchRow), (0, 1, .noSuchRow), (.max, 0, .noSuchRow), (.min, .max, .noSuchColumn),
    ] {
      #expect { try picker.select(row: row, column: column) } throws: {
        ($0 as? Refusal)?.code == code
      }
    }
    #expect { try picker.tap(.date(.first)) } throws: { ($0 as? Refusal)?.code == .wrongKind }
    #expect(picker == before)
    #expect(picker.clear() == [])
    #expect(picker.months == nil)
    #expect(picker.cells(of: .first) == nil)
  }
}
