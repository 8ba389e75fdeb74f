import JSONText
import PickerHost
import PickerHub
import PickerModel
import PickerSession
import Testing

@testable import PickerClient

/// A session whose host changes definition and notes in random order while a member uses the
/// picker, for all five kinds.
@Suite struct HostedSessionTests {
  /// Random numbers from a seed.
  private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = state
      bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
      return bits ^ (bits >> 31)
    }
  }

  /// Definitions of one kind; a test changes from any of them to any other.
  private static let definitions: [[String]] = [
    [
      #"{"kind":"date","min":"2026-01-01","max":"today+P1M"}"#, #"{"kind":"date","max":"today"}"#,
      #"{"kind":"date","min":"2024-02-29","max":"2028-02-29","rememberDay":true}"#,
      #"{"kind":"date","min":"today","max":"today+P3D","locale":"zh-Hans"}"#,
    ],
    [
      #"{"kind":"slot","stepMinutes":30,"days":3}"#,
      #"{"kind":"slot","stepMinutes":15,"days":2,"hours":[{"from":"09:00","until":"12:00"}]}"#,
      #"{"kind":"slot","stepMinutes":30,"hours":[],"minutes":60}"#,
      #"{"kind":"slot","stepMinutes":60,"days":5,"bufferMinutes":30,"onParentChange":"keep","#
        + #""taken":{"a":{"from":"2026-11-20T10:00","until":"2026-11-22T15:00"}}}"#,
      #"{"kind":"slot","stepMinutes":60,"dates":{"2026-11-21":[]}}"#,
    ],
    [
      #"{"kind":"cascade","nodes":[{"text":"a","children":[{"text":"x"},"#
        + #"{"text":"y"}]},{"text":"b"}]}"#,
      #"{"kind":"cascade","nodes":[{"text":"b","children":[{"text":"y","#
        + #""children":[{"text":"1"}]}]}]}"#,
      #"{"kind":"cascade","nodes":[{"text":"c"}],"onParentChange":"keep"}"#,
      #"{"kind":"cascade","nodes":[{"text":"b","children":[{"text":"z"},"#
        + #"{"text":"x"}]},{"text":"a"}]}"#,
    ],
    [
      #"{"kind":"columns","columns":[["a","b","c"],["x","y"]]}"#,
      #"{"kind":"columns","columns":[["c","b"],["y"],["m","n"]]}"#,
      #"{"kind":"columns","columns":[["d"]]}"#,
      #"{"kind":"columns","columns":[[{"text":"B","key":"b"},"a"],["x"],["n"],["q"]]}"#,
    ],
    [
      #"{"kind":"calendar","months":{"from":"2026-10","through":"2027-01"}}"#,
      #"{"kind":"calendar","months":{"from":"2026-11","through":"2026-12"},"maxDays":4,"#
        + #""blocked":[{"weekdays":[1]}]}"#,
      #"{"kind":"calendar","months":{"from":"thisMonth","through":"thisMonth+P2M"},"#
        + #""selection":"single","min":"today","firstWeekday":2}"#,
      #"{"kind":"calendar","months":{"from":"2026-11","through":"2027-02"},"#
        + #""minDays":3,"weeks":"fit","#
        + #""taken":{"a":{"from":"2026-11-25","through":"2026-11-27"}}}"#,
    ],
  ]

  private static let view = (from: PickerMonth("2026-11")!, count: 3)

  private static let notes = [
    #"{"columns":{"0":{"a":{"text":"€ 5","tone":"low"},"b":null,"2026":{"text":"now"}}}}"#,
    #"{"columns":{"0":{"b":{"text":{"en":"few","zh":"少"}}},"1":{"x":{"text":"x"},"#
      + #""11":{"text":"y"}}}}"#,
    #"{"columns":{"1":null,"2":{"n":{"text":"n"},"20":{"text":"d"}}}}"#, #"{"columns":null}"#,
    #"{"days":{"2026-11-24":{"text":"€ 120"},"2026-12-01":{"text":"full","tone":"bad"}}}"#,
    #"{"days":{"2026-11-24":null,"2026-11-30":{"text":{"zh-Hans":"满"}}}}"#, #"{"days":null}"#,
    #"{"days":{"2026-11-30":{"tone":"high"}}}"#,
  ]

  @Test(arguments: UInt64(0)..<60)
  func `the value stays legal, folding the deltas gives the snapshot, and the log the session`(
    seed: UInt64
  ) throws {
    var random = Seeded(state: seed)
    let kind = Int(seed % 5)
    let definitions = HostedSessionTests.definitions[kind]
    let world = try HostedWorld(definitions[0], view: HostedSessionTests.view)
    for _ in 0..<60 {
      step(world, definitions, &random)
      let fold = world.fold
      if fold.status == .open { try check(fold) }
      try compare(world.member.state, world.fresh())
      #expect(world.member.state.connection == .live)
    }
    let replayed = try world.replayed()
    #expect(replayed.state == world.fold.state)
    #expect(replayed.history.elementsEqual(world.fold.history))
    #expect(SessionFold(replayed.origin, state: replayed.state).state == replayed.state)
  }

  private func step(_ world: HostedWorld, _ definitions: [String], _ random: inout Seeded) {
    let state = world.member.state
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<4: _ = world.change(.whole, definitions.randomElement(using: &random)!)
    case 4:
      let locale = ["de", "en"].randomElement(using: &random)!
      _ = world.change(.mergePatch, #"{"locale":"\#(locale)","hours":null}"#)
    case 5: _ = world.change(.jsonPatch, #"[{"op":"remove","path":"/columns/0/0"}]"#)
    case 6..<9: _ = world.note(HostedSessionTests.notes.randomElement(using: &random)!)
    case 9: world.give(.undo)
    case 10: world.give(.redo)
    case 11: world.wait(Int64.random(in: 0..<200_000_000, using: &random))
    case 12: world.give([.confirm, .cancel].randomElement(using: &random)!)
    case 13, 14: world.give(.reopen)
    case 15 where state.isCalendar: world.give(.clear)
    default:
      guard state.isCalendar else {
        guard let column = state.columns.indices.randomElement(using: &random),
          state.columns[column].count > 0,
          let command = state.selecting(
            row: Int.random(in: 0..<state.columns[column].count, using: &random), column: column)
        else { return }
        return world.give(command)
      }
      let day = PickerDay("2026-11-15")!.adding(days: Int.random(in: 0..<40, using: &random))!
      world.give(.tap(day))
    }
  }

  /// Whether the value of an open session is legal, or none.
  private func check(_ fold: SessionFold) throws {
    #expect(fold.picker._checkInvariants() == nil)
    var same = fold.picker
    #expect(try same.redefine(fold.definition).changes.isEmpty, "its own definition allows it")
    #expect(fold.picker.definition === fold.definition)
  }

  private func compare(
    _ folded: PickerClient.PickerState, _ fresh: PickerClient.PickerState
  ) throws {
    #expect(folded.revision == fresh.revision && folded.status == fresh.status)
    #expect(folded.definition == fresh.definition && folded.result == fresh.result)
    #expect(folded.monthList == fresh.monthList && folded.weekdays == fresh.weekdays)
    #expect(folded.range == fresh.range && folded.months == fresh.months)
    #expect(folded.columns.count == fresh.columns.count)
    for (mine, theirs) in zip(folded.columns, fresh.columns) {
      #expect(mine.generation == theirs.generation && mine.row == theirs.row)
      #expect(mine.rowsKnown.map(\.row) == theirs.rowsKnown.map(\.row))
    }
  }

  @Test(arguments: 0..<5)
  func `a definition equal to the current one takes no revision`(kind: Int) throws {
    let definitions = HostedSessionTests.definitions[kind]
    for definition in definitions {
      let world = try HostedWorld(definitions[0], view: HostedSessionTests.view)
      _ = try world.change(.whole, definition)?.get()
      let (revision, version) = (world.fold.revision, world.fold.version)
      let same = world.fold.definition.document(full: true).serialized()
      for format in [DocumentRequest.Format.whole, .mergePatch] {
        let answer = try #require(world.change(format, String(decoding: same, as: UTF8.self)))
          .get()
        #expect(answer["changes"] == .array([]) && answer["revision"] == .integer(revision))
      }
      let answer = try #require(world.change(.jsonPatch, "[]")).get()
      #expect(answer["changes"] == .array([]))
      #expect(world.fold.revision == revision && world.fold.version == version)
    }
  }

  /// Each patch is a version of its own, so that every patch is compared with one PUT.
  @Test(arguments: 0..<5)
  func `patches and the equivalent PUTs give snapshots with the same bytes`(kind: Int) throws {
    let definitions = HostedSessionTests.definitions[kind]
    let (patched, put) = (
      try HostedWorld(definitions[0], view: HostedSessionTests.view),
      try HostedWorld(definitions[0], view: HostedSessionTests.view)
    )
    for text in definitions + definitions.reversed() {
      let target = try HostedWorld(text, view: HostedSessionTests.view)
        .fold.definition.document(full: true)
      for (format, patch) in HostedSessionTests.patches(
        from: patched.fold.definition.document(full: true), to: target)
      {
        _ = try patched.change(format, patch)?.get()
        let whole = patched.fold.definition.document(full: true).serialized()
        _ = try put.change(.whole, String(decoding: whole, as: UTF8.self))?.get()
        #expect(try patched.snapshot() == put.snapshot())
      }
      #expect(patched.fold.definition.document(full: true).isSameValue(as: target))
    }
    #expect(patched.fold.version > definitions.count)
  }

  /// One JSON Patch of several operations, or several merge patches, that make `target`.
  private static func patches(
    from document: JSONTree, to target: JSONTree
  ) -> [(DocumentRequest.Format, String)] {
    let removals = document.members!.filter { target[$0.key] == nil }.map {
      #"{"op":"remove","path":"/\#($0.key)"}"#
    }
    let members = target.members!.filter { document[$0.key] != $0.value }
    let additions = members.map {
      let value = String(decoding: $0.value.serialized(), as: UTF8.self)
      return #"{"op":"add","path":"/\#($0.key)","value":\#(value)}"#
    }
    if document.members!.count.isMultiple(of: 2) {
      return [(.jsonPatch, "[\((removals + additions).joined(separator: ","))]")]
    }
    let rest = String(decoding: target.serialized(), as: UTF8.self)
    return [(.jsonPatch, "[\(removals.joined(separator: ","))]"), (.mergePatch, rest)]
  }
}
