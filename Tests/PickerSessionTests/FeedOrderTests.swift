import CivilTime
import JSONText
import PickerModel
import Testing

@testable import PickerSession

/// The events of one session: each has the state after its revision, and they are in order.
@Suite struct FeedOrderTests {
  private let data = VerbatimJSON(stored: #"{"booking":1.10}"#)

  /// A session of Ana with `["x", "y", "z"]`, and the events of its entries.
  fileprivate struct Reported {
    var fold: SessionFold
    var events: [FeedEvent] = []

    init(_ host: HostFields, _ definition: Definition? = nil) throws {
      fold = try SessionFold(
        SessionOrigin(
          id: SessionID("s"), epoch: "e",
          definition: definition ?? Reported.definition("x", "y", "z"),
          createdAt: noon, host: host))
      join(ana)
    }

    static func definition(_ keys: String...) throws -> Definition {
      let rows = keys.map { "\"\($0)\"" }.joined(separator: ",")
      return try parsed(#"{"kind":"columns","columns":[[\#(rows)]]}"#)
    }

    static func parsed(_ text: String) throws -> Definition {
      try Definition.make(from: try JSONTree.parse(Array(text.utf8))) { _ in .utc }
    }

    mutating func join(_ member: MemberID) {
      apply(.joined(.init(member: member, secret: SecretHash([]), name: member.text, role: nil)))
    }

    mutating func apply(_ body: LogEntry.Body, after milliseconds: Int64 = 0) {
      let entry = LogEntry(at: noon.adding(milliseconds: milliseconds), body: body)
      events += fold.apply(entry).flatMap { fold.events(of: $0, at: entry.at) }
    }

    mutating func give(_ ref: Int, _ command: Command, after milliseconds: Int64 = 0) {
      apply(.command(ana, ref: ref, command), after: milliseconds)
    }

    mutating func select(_ ref: Int, row: Int, after milliseconds: Int64 = 0) {
      give(
        ref, .act(.select(.init(column: 0, row: row, generation: 1, key: nil))), after: milliseconds
      )
    }

    var op: String { fold.decision.confirmation?.op ?? "" }
    var types: [FeedEventType] { events.map(\.type) }
    var texts: [String] { events.map { String(decoding: $0.data, as: UTF8.self) } }
    var revisions: [Int] {
      events.map { (try? JSONTree.parse($0.data))?["revision"]?.integer ?? -1 }
    }
  }

  /// The ways from `confirming` to `open`.
  enum Way: CaseIterable {
    case denied, cancelled, timeout, lateCommand

    fileprivate func open(_ session: inout Reported) {
      switch self {
      case .denied: session.apply(.settle(Settle(op: session.op, isGranted: false)))
      case .cancelled: session.give(9, .cancel)
      case .timeout: session.apply(.tick, after: 60_000)
      case .lateCommand: session.select(9, row: 0, after: 60_000)
      }
    }
  }

  @Test(arguments: Way.allCases)
  func `the end of a confirmation has its op, and the result before what waited`(way: Way) throws {
    var session = try Reported(HostFields(decideSeconds: 60))
    session.give(1, .confirm)
    let op = session.op
    let definition = try Reported.definition("q")
    session.apply(
      .revised(
        .init(definition: DefinitionChange(version: 2, definition: definition, source: .whole))))

    way.open(&session)

    #expect(session.types == [.confirming, .definitionChanged, .reopened])
    #expect(session.fold.result == .keys(["q"]) && session.fold.revision > 3)
    let event = session.texts[2]
    #expect(event.contains(#""revision":3,"status":"open","result":{"keys":["x"]}"#))
    #expect(event.contains(#""op":"\#(op)""#))
  }

  @Test func `a reopened session's event has the result before the definition that waited`() throws
  {
    var session = try Reported(HostFields())
    session.give(1, .confirm)
    let definition = try Reported.definition("q")
    session.apply(
      .revised(
        .init(definition: DefinitionChange(version: 2, definition: definition, source: .whole))))
    session.give(2, .reopen)

    #expect(session.types == [.confirmed, .definitionChanged, .reopened])
    #expect(session.fold.result == .keys(["q"]))
    #expect(session.texts[2].contains(#""revision":3,"status":"open","result":{"keys":["x"]}"#))
  }

  @Test func `a changed result is reported before the status changes`() throws {
    var session = try Reported(HostFields(watched: [.result]))
    session.select(1, row: 1)
    session.give(2, .reopen, after: 400)
    #expect(session.types == [], "the session is open already")

    session.give(3, .confirm, after: 500)
    session.apply(.tick, after: 9000)

    #expect(session.types == [.resultChanged, .confirmed])
    #expect(session.events[0].timestamp == noon.adding(milliseconds: 500))
    let result = #""result":{"keys":["y"]}"#
    #expect(session.texts[0].contains(#""revision":1,"status":"open",\#(result)"#))
    #expect(session.texts[1].contains(#""revision":2,"status":"confirmed",\#(result)"#))
  }

  @Test func `a result with the host's data is reported with the status that it belongs to`() throws
  {
    var session = try Reported(HostFields(decideSeconds: 60, watched: [.result]))
    session.give(1, .confirm)
    session.apply(.settle(Settle(op: session.op, isGranted: true, data: data)), after: 1000)
    #expect(session.fold.nextTick == noon.adding(milliseconds: 3000))
    session.give(2, .reopen, after: 2000)

    #expect(session.types == [.confirming, .confirmed, .resultChanged, .reopened])
    #expect(session.revisions == [1, 2, 2, 3])
    let confirmed = #""status":"confirmed","result":{"keys":["x"],"data":{"booking":1.10}}"#
    #expect(session.texts[2].contains(confirmed))
    #expect(session.texts[3].contains(#""status":"open","result":{"keys":["x"]}"#))
  }

  /// Regression: the result of before had the window that the confirmation chose, and the chosen one
  /// the window of after.
  @Test(arguments: Way.allCases)
  func `a revision has one result in all events, also when a window is confirmed and given up`(
    way: Way
  ) throws {
    let definition = try Reported.parsed(
      #"{"kind":"availability","dates":{"from":"2026-11-23","through":"2026-11-25"}}"#)
    var session = try Reported(HostFields(decideSeconds: 60, watched: [.result]), definition)
    let generation = try #require(session.fold.picker.availability?.generation)
    let yes = CellMark(grade: "yes", cells: [0..<1], generation: generation)
    session.give(1, .act(.mark(yes)))
    let best = session.fold.result
    session.give(2, .confirmWindow(WindowChoice(cell: 2, generation: generation)))
    let chosen = session.fold.result
    way.open(&session)

    #expect(best != chosen && session.fold.result == best)
    #expect(session.types.prefix(3) == [.resultChanged, .confirming, .resultChanged])
    #expect(session.types.contains(.reopened))
    for (revision, text) in zip(session.revisions, session.texts) {
      #expect(text.contains("2026-11-25") == (revision == 2), "\(revision): \(text)")
    }
  }

  @Test func `revisions never decrease, whatever comes before a result is reported`() throws {
    var session = try Reported(HostFields(watched: [.result, .members]))
    session.select(1, row: 1)
    let patch = try JSONTree.parse(Array(#"{"columns":{"0":{"x":{"text":"new"}}}}"#.utf8))
    session.apply(.revised(.init(notes: NotesPatch(patch))))
    session.join(bo)
    session.apply(.tick, after: 2000)

    #expect(session.types == [.memberJoined, .memberJoined, .resultChanged])
    #expect(session.revisions == [0, 2, 2])
  }

  @Test func `a denial comes back with its reason and data`() throws {
    var session = try Reported(HostFields(decideSeconds: 60))
    session.give(1, .confirm)
    let op = session.op
    let tree = try JSONTree.parse(Array(#"{"de":"voll","en":"full"}"#.utf8))
    let reason = try Note.Text(tree, at: "reason")
    session.apply(.settle(Settle(op: op, isGranted: false, reason: reason, data: data)))

    #expect(
      session.texts[1].hasSuffix(
        #""op":"\#(op)","reason":"denied","detail":{"de":"voll","en":"full"},"#
          + #""data":{"booking":1.10}}"#))
  }

  @Test func `a longer reason than 4 KiB is left out, so that the event has its maximum`() throws {
    let long = VerbatimJSON(stored: "\"" + String(repeating: "m", count: 4094) + "\"")
    var session = try Reported(
      HostFields(
        external: String(repeating: "\u{1}", count: 200), meta: long, decideSeconds: 60))
    for (ref, count) in [(1, 4094), (2, 4095)] {
      session.give(ref, .confirm)
      let text = JSONTree.string(String(repeating: "r", count: count))
      let reason = try Note.Text(text, at: "reason", countMax: count)
      session.apply(.settle(Settle(op: session.op, isGranted: false, reason: reason, data: long)))
    }

    #expect(session.texts[1].contains(#""detail":"rrr"#))
    #expect(!session.texts[3].contains(#""detail""#) && session.texts[3].hasSuffix(long.text + "}"))
    for event in session.events { #expect(event.data.count <= FeedEvent.dataByteCountMax) }
  }
}
