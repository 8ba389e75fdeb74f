import JSONText
import Testing

@testable import PickerClient

/// Rows and months in view, and touches.
@Suite struct LookingTests {
  private let long = """
    "definition":{"kind":"columns"},"status":"open","result":null,"columns":[{"generation":4,\
    "count":1000,"from":400,"rows":[{"key":"k400","text":"400"}],"row":400}]
    """

  @Test func `rows are requested once, in windows`() {
    var ana = ClientFixture()
    ana.join(long)

    ana.give(.want(column: 0, rows: 390...410))
    ana.give(.want(column: 0, rows: 395...405))

    let asked = ana.sent().map { [$0["from"]?.integer, $0["count"]?.integer] }
    #expect(asked == [[200, 200], [400, 200]])
  }

  @Test func `rows of another generation are ignored`() {
    var ana = ClientFixture()
    ana.join(long)

    ana.receive(
      #"{"type":"rows","column":0,"generation":3,"from":0,"rows":[{"key":"old","text":"old"}]}"#)
    ana.receive(
      #"{"type":"rows","column":0,"generation":4,"from":1,"rows":[{"key":"k1","text":"1"}]}"#)

    #expect(ana.state.columns[0][0] == nil)
    #expect(ana.state.columns[0][1]?.key == "k1")
  }

  @Test func `months refused with tooMany are requested again`() {
    var ana = ClientFixture()
    ana.join(calendar)
    ana.give(.look(from: PickerMonth("2026-11")!, count: 2))
    ana.effects = []

    ana.receive(
      #"{"type":"refused","code":"tooMany","detail":"slow down","revision":0,"changes":[]}"#)
    ana.wait(1_000)

    #expect(ana.sentTypes() == ["months"])
  }

  @Test func `months that come into view during the join are requested after the welcome`() {
    var ana = ClientFixture()
    ana.give(.look(from: PickerMonth("2026-11")!, count: 1))
    ana.open()
    ana.give(.look(from: PickerMonth("2026-12")!, count: 1))
    ana.effects = []

    ana.receive(welcome(calendar))

    #expect(ana.sent().map { $0["from"]?.string } == ["2026-12"])
  }

  @Test func `a request for months is limited to the server's maximum`() {
    var ana = ClientFixture()
    ana.join(calendar)

    ana.give(.look(from: PickerMonth("2026-11")!, count: 1_000))

    #expect(ana.sent().last?["count"]?.integer == 24)
  }

  @Test func `the same months are requested once`() {
    var ana = ClientFixture()
    ana.join(calendar)

    for _ in 0..<3 { ana.give(.look(from: PickerMonth("2026-11")!, count: 2)) }

    #expect(ana.sentTypes() == ["months"])
  }

  @Test func `at most ten touches a second are sent, always including the last`() {
    var ana = ClientFixture()
    ana.join()

    for row in 0..<3 { ana.give(.touch(.row(column: 0, row: row))) }
    #expect(ana.sent().map { $0["row"]?.integer } == [0])
    ana.wait(100)
    #expect(ana.sent().map { $0["row"]?.integer } == [2])
    ana.give(.touch(nil))
    ana.wait(100)

    #expect(ana.sent() == [.object([.init("type", .string("touch"))])])
  }

  @Test func `a pointer that moves over rows is sent at most ten times a second`() {
    var ana = ClientFixture()
    ana.join()

    for row in 0..<3 { ana.give(.touch(.row(column: 0, row: row), isHover: true)) }
    #expect(ana.sent().map { [$0["row"], $0["hover"]] } == [[.integer(0), .bool(true)]])
    ana.wait(100)
    #expect(ana.sent().map { [$0["row"], $0["hover"]] } == [[.integer(2), .bool(true)]])
    ana.wait(100)
    ana.give(.touch(.row(column: 0, row: 2)))

    #expect(ana.sent().map { $0["hover"] } == [nil], "the pointer's button is pressed")
  }

  @Test func `touches are dropped without a connection`() {
    var ana = ClientFixture()
    ana.join()
    ana.give(.closed(code: 1006))
    ana.effects = []

    ana.give(.touch(.day(PickerDay("2026-11-20")!)))

    #expect(ana.sent() == [])
  }
}
