import CivilTime
import JSONText
import PickerModel
import Testing

@testable import PickerSession

/// What the feed reports of a session, as a function of its log.
@Suite struct FeedTests {
  /// A session and the events of the entries that were applied.
  private struct Reported {
    var fold: SessionFold
    var events: [FeedEvent]

    init(
      _ definition: String = #"{"kind":"columns","columns":[["x","y","z"]]}"#,
      title: String? = nil, host: HostFields = HostFields(), uses: SharedUse? = nil
    ) throws {
      let made = try Definition.make(from: try JSONTree.parse(Array(definition.utf8))) { _ in .utc }
      var origin = SessionOrigin(
        id: SessionID("s"), epoch: "e", definition: made, title: title.map(Note.Text.same),
        createdAt: noon, host: host)
      origin.uses = uses
      fold = try SessionFold(origin)
      events = [fold.creationEvent]
    }

    mutating func apply(_ body: LogEntry.Body, after milliseconds: Int64 = 0) {
      let entry = LogEntry(at: noon.adding(milliseconds: milliseconds), body: body)
      events += fold.apply(entry).flatMap { fold.events(of: $0, at: entry.at) }
    }

    mutating func join(_ member: MemberID) {
      apply(.joined(.init(member: member, secret: SecretHash([]), name: member.text, role: nil)))
    }

    mutating func give(_ ref: Int, _ command: Command, after milliseconds: Int64 = 0) {
      apply(.command(ana, ref: ref, command), after: milliseconds)
    }

    mutating func select(_ ref: Int, row: Int, after milliseconds: Int64) {
      let selection = RowSelection(column: 0, row: row, generation: 1, key: nil)
      give(ref, .act(.select(selection)), after: milliseconds)
    }

    func data(_ index: Int) -> String { String(decoding: events[index].data, as: UTF8.self) }
  }

  @Test func `each change of the status is one event with its result and author`() throws {
    var session = try Reported()
    session.join(ana)

    session.give(1, .confirm)
    session.give(2, .reopen)
    session.give(3, .cancel)

    #expect(
      session.events.map(\.type) == [.created, .confirmed, .reopened, .cancelled])
    #expect(
      session.data(1)
        == #"{"session":"s","epoch":"e","revision":1,"status":"confirmed","result":{"keys":["x"]},"#
        + #""by":{"member":"Ana"}}"#)
  }

  @Test func `an event has the host's own fields and the title`() throws {
    let meta = VerbatimJSON(stored: #"{"a":[1.50]}"#)
    let session = try Reported(
      title: "Cut \"1\"", host: HostFields(external: "order-7", meta: meta))

    #expect(
      session.data(0)
        == #"{"session":"s","epoch":"e","revision":0,"external":"order-7","title":"Cut \"1\"","#
        + #""meta":{"a":[1.50]},"status":"open","result":{"keys":["x"]}}"#)
  }

  @Test func `taps, joins and refusals are not reported unless they are watched`() throws {
    var session = try Reported()
    session.join(ana)
    session.select(1, row: 1, after: 0)
    session.give(2, .unknown(type: "wink"))
    session.apply(.tick, after: 60_000)
    session.apply(.left(ana), after: 60_000)

    #expect(session.events.map(\.type) == [.created])
    #expect(session.fold.nextTick == nil)
  }

  @Test func `another definition is reported with its version`() throws {
    var session = try Reported()
    let tree = try JSONTree.parse(Array(#"{"kind":"columns","columns":[["z"]]}"#.utf8))
    let definition = try Definition.make(from: tree) { _ in .utc }

    session.apply(
      .revised(
        .init(definition: DefinitionChange(version: 2, definition: definition, source: .whole))))

    #expect(session.events.map(\.type) == [.created, .definitionChanged])
    #expect(session.data(1).hasSuffix(#""result":{"keys":["z"]},"version":2}"#))
  }

  /// The shared definition is reported, once for all sessions.
  @Test(arguments: [[], [.result, .members], [.definition]] as [Set<HostFields.Watched>])
  func `of a session that uses a shared definition changes are reported if they are watched`(
    watched: Set<HostFields.Watched>
  ) throws {
    let use = SharedUse(name: "room", version: 1, own: .object([]))
    var session = try Reported(host: HostFields(watched: watched), uses: use)
    let tree = try JSONTree.parse(Array(#"{"kind":"columns","columns":[["z"]]}"#.utf8))
    let definition = try Definition.make(from: tree) { _ in .utc }
    let change = DefinitionChange(version: 2, definition: definition, source: .whole)

    session.apply(.revised(.init(definition: change)))

    let changes = session.events.map(\.type).filter { $0 == .definitionChanged }
    #expect(changes.count == (watched.contains(.definition) ? 1 : 0))
  }

  @Test func `a watched result is reported when it has not changed for 2 s`() throws {
    var session = try Reported(host: HostFields(watched: [.result]))
    session.join(ana)
    session.select(1, row: 1, after: 0)
    session.select(2, row: 2, after: 1500)
    #expect(session.fold.nextTick == noon.adding(milliseconds: 3500))

    session.apply(.tick, after: 3499)
    #expect(session.events.count == 1)
    session.apply(.tick, after: 3500)
    session.apply(.tick, after: 9000)

    #expect(session.events.map(\.type) == [.created, .resultChanged])
    #expect(session.events[1].timestamp == noon.adding(milliseconds: 3500))
    #expect(
      session.data(1)
        == #"{"session":"s","epoch":"e","revision":2,"status":"open","result":{"keys":["z"]}}"#)
  }

  @Test func `the same result is reported whichever entry comes first`() throws {
    let bodies: [LogEntry.Body] = [
      .tick, .command(ana, ref: 2, .confirm), .command(ana, ref: 2, .unknown(type: "?")),
      .command(ana, ref: 2, .act(.select(.init(column: 0, row: 2, generation: 1, key: nil)))),
    ]
    let reports = try bodies.map { body in
      var session = try Reported(host: HostFields(watched: [.result]))
      session.join(ana)
      session.select(1, row: 1, after: 0)
      session.apply(body, after: 7000)
      return session.events[1]
    }

    #expect(Set(reports).count == 1)
    #expect(reports[0].type == .resultChanged)
  }

  @Test func `an entry that reported a result is never dropped from the log`() throws {
    var session = try Reported(host: HostFields(watched: [.result]))
    session.join(ana)
    session.select(1, row: 1, after: 0)
    session.give(2, .unknown(type: "wink"), after: 2000)
    #expect(session.fold.remnant == .tick)

    session.select(3, row: 2, after: 3000)
    session.apply(.tick, after: 5000)
    #expect(session.fold.remnant == .entry)
  }

  @Test func `a result that keeps changing is reported after 30 s`() throws {
    var session = try Reported(host: HostFields(watched: [.result]))
    session.join(ana)
    for second in 0...60 {
      session.select(second + 1, row: second % 2 + 1, after: Int64(second) * 1000)
    }

    let reports = session.events.dropFirst()
    #expect(reports.map(\.type) == [.resultChanged, .resultChanged])
    #expect(reports.first?.timestamp == noon.adding(milliseconds: 30_000))
    #expect(reports.last?.timestamp == noon.adding(milliseconds: 60_000))
  }

  @Test func `a clock that is set back reports at once, one that is corrected does not`() throws {
    var session = try Reported(host: HostFields(watched: [.result]))
    session.join(ana)
    session.select(1, row: 1, after: 3_600_000)

    session.apply(.clockSet, after: 3_599_500)
    #expect(session.events.map(\.type) == [.created])
    session.apply(.clockSet, after: 0)

    #expect(session.events.map(\.type) == [.created, .resultChanged])
    #expect(session.events[1].timestamp == noon)
  }

  /// A repeated command does not tick: as a tick in a compacted log it would.
  @Test func `a repeated command does not report`() throws {
    var session = try Reported(host: HostFields(watched: [.result]))
    session.join(ana)
    session.select(1, row: 1, after: 0)
    session.select(1, row: 1, after: 5000)

    #expect(session.events.map(\.type) == [.created])
    #expect(session.fold.remnant == .nothing)
  }

  @Test func `watched members are reported each time they come and go`() throws {
    var session = try Reported(host: HostFields(watched: [.members]))
    session.join(ana)
    session.apply(.left(ana))
    session.apply(.returned(ana, nil))
    session.apply(.left(ana))

    #expect(
      session.events.map(\.type)
        == [.created, .memberJoined, .memberLeft, .memberJoined, .memberLeft])
    #expect(Set(session.events.map(\.identity)).count == 5)
    #expect(
      session.data(2).hasSuffix(#""member":{"id":"Ana","name":"Ana","role":"owner"}}"#))
  }

  @Test func `an event never has more than 20,000 bytes`() throws {
    let key = String(repeating: "𝄞", count: 200)
    let columns = [String](repeating: #"["\#(key)"]"#, count: 32).joined(separator: ",")
    let meta = VerbatimJSON(stored: "\"" + String(repeating: "m", count: 4094) + "\"")
    var session = try Reported(
      #"{"kind":"columns","columns":[\#(columns)]}"#, title: String(repeating: "\u{1}", count: 200),
      host: HostFields(
        external: String(repeating: "\u{2}", count: 200), meta: meta, watched: [.members]))
    session.join(ana)
    session.give(1, .confirm)

    #expect(session.events.count == 3)
    for event in session.events {
      #expect(event.data.count <= FeedEvent.dataByteCountMax)
      #expect(String(decoding: event.data, as: UTF8.self).contains(#""resultOmitted":true"#))
      #expect((try? JSONTree.parse(event.data)) != nil)
    }
  }

  @Test func `a result is left out only if the event would be too large`() throws {
    let columns = { (count: Int) in
      let key = String(repeating: "k", count: 190)
      return [String](repeating: #"["\#(key)"]"#, count: count).joined(separator: ",")
    }
    let session = try Reported(#"{"kind":"columns","columns":[\#(columns(32))]}"#)

    #expect(!session.data(0).contains("resultOmitted"))
  }

  @Test func `the end has the last state and its reason`() throws {
    var session = try Reported()
    session.join(ana)
    session.give(1, .confirm)

    let event = session.fold.endEvent(.expired, at: noon)

    #expect(
      String(decoding: event.data, as: UTF8.self)
        == #"{"session":"s","epoch":"e","revision":1,"status":"confirmed","result":{"keys":["x"]},"#
        + #""reason":"expired"}"#)
  }
}
