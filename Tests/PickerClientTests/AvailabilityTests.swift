import JSONText
import Testing

@testable import PickerClient

/// An availability: its cells, marks and counts, and the commands that mark.
@Suite struct AvailabilityTests {
  private func joined(_ more: String = "") -> ClientFixture {
    var ana = ClientFixture(ClientProfile(name: "Ana", timeZone: "Asia/Tokyo"))
    ana.join(
      """
      "definition":{"kind":"availability","length":2,"maybe":false},"status":"open","result":null,\
      "availability":{"generation":1,"count":200,"past":2,"closed":false,"timeZone":"Asia/Tokyo",\
      "days":[{"date":"2026-11-23","text":"Mon","cells":[[0,200,0]]}],"rows":[\
      {"time":"09:00","text":"9"}],"marks":[{"member":"b","name":"Bo","color":"#2e9e5b",\
      "runs":[[3,5,"yes"]]}]\(more)}
      """)
    return ana
  }

  @Test func `marks, counts and best windows are folded, and cells forget them`() throws {
    var ana = joined(#","respondents":1,"heat":[[3,5,1,0,0]],"best":[]"#)
    ana.receive(
      """
      {"type":"delta","revision":1,"by":"b","at":"2026-11-20T10:00:00.000Z","changes":[\
      {"change":"marks","member":"b","name":"Bo","color":"#2e9e5b","runs":[[4,6,"no"]]},\
      {"change":"heat","respondents":1,"runs":[[4,6,0,0,1]]},{"change":"best","windows":[\
      {"cell":3,"text":"Mon, 9","yes":1,"maybe":0,"no":0}]},{"change":"past","past":3}]}
      """)

    let cells = try #require(ana.state.availability)
    #expect(cells.respondents[0].grades[3...6] == [.yes, .no, .no, nil])
    #expect(cells.heat?[3...5].map(\.yes) == [1, 0, 0] && cells.heat?[4].no == 1)
    #expect(cells.best?.map(\.cell) == [3] && cells.past == 3)
    #expect(cells.cell(day: 0, row: 7) == 7 && cells.cell(day: 0, row: 200) == nil)

    ana.receive(
      """
      {"type":"delta","revision":2,"at":"2026-11-20T10:00:00.000Z","changes":[\
      {"change":"cells","generation":2,"count":3,"past":0,"timeZone":"UTC","days":[\
      {"date":"2026-11-23","text":"Mon","day":"23"}],"months":[{"month":"2026-11","title":"Nov",\
      "cells":[[0,3,23]]}],"weekdays":["S","M","T","W","T","F","S"]},\
      {"change":"closed","closed":true}]}
      """)

    let dates = try #require(ana.state.availability)
    #expect(dates.areDates && dates.isClosed && dates.respondents.isEmpty)
    #expect(dates.heat == Array(repeating: PickerGradeCounts(), count: 3))
    #expect(dates.cell(of: 0, position: 24) == 1)
  }

  @Test func `what is hidden stays hidden`() {
    let ana = joined()
    #expect(ana.state.availability?.heat == nil && ana.state.availability?.best == nil)
    #expect(ana.state.availability?.respondentCount == nil)
  }

  @Test func `a join has the zone, and marks are sent in messages of 64 runs and shown at once`() {
    var ana = joined()
    var again = joined()
    again.readd()
    let join = again.sent().first
    #expect(join?["timeZone"] == .string("Asia/Tokyo"))
    let cells = (0..<80).map { 2 * $0 }

    let commands = ana.state.marking(cells, as: .yes)
    for command in commands { ana.give(.command(command)) }

    // Cell 0 is past.
    let sent = ana.sent()
    let marks = sent.filter { $0["type"]?.string == "mark" }
    #expect(marks.map { $0["cells"]?.array?.count } == [64, 15])
    #expect(marks[0]["cells"]?.array?.first == .array([.integer(2), .integer(3)]))
    #expect(ana.state.availability?.shownGrades[2...5] == [.yes, nil, .yes, nil])
    #expect(ana.state.marking(cells, as: .yes) == [])
    #expect(ana.state.marking([2], as: nil).count == 1)
  }

  @Test func `a mark is not sent again after a later one of the same cells`() {
    var pending = PendingCommands(ref: 0)
    for command in [
      PickerCommand.mark(.yes, cells: [0..<4], generation: 1),
      .mark(.no, cells: [3..<5], generation: 1), .mark(.no, cells: [8..<9], generation: 1),
    ] {
      _ = pending.add(command, seen: nil)
      pending.sent(pending.ref)
    }

    let isFirstHeld = pending.hold(1)
    let isLastHeld = pending.hold(3)
    #expect(!isFirstHeld && isLastHeld)
  }

  @Test func `runs that the server would close the connection for are not sent`() {
    for runs in [[], [3..<4, 2..<3], [1..<1], [-1..<2], Array(repeating: 0..<1, count: 65)] {
      var ana = joined()
      ana.give(.command(.mark(.yes, cells: runs, generation: 1)))
      #expect(ana.effects.contains(.settled(ref: 1, .failure(.badCells))))
    }
  }
}
