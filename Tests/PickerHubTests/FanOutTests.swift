import JSONText
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

@Suite struct FanOutTests {
  @Test func `members with the same locale share one frame, which is encoded once`() throws {
    let fixture = try HubFixture(dates)
    for raw in 1...20 {
      fixture.join(UInt64(raw), raw % 2 == 0 ? #","locale":"zh-Hans""# : #","locale":"en""#)
    }
    fixture.forgetAll()
    let before = fixture.hub.encoder.deltaEncodeCount

    fixture.send(1, select(1, 1, 0))

    let frames = (2...20).compactMap { fixture.port.frames[UInt64($0)]?.first }
    #expect(frames.count == 19)
    #expect(Set(frames.map { ObjectIdentifier($0) }).count == 2)
    #expect(fixture.hub.encoder.deltaEncodeCount - before == 2)
    let rows = [3, 2].map { fixture.received($0)[0]["changes"]?.array?.dropLast().last }
    #expect(rows.map { $0?["text"] } == [.string("January"), .string("01月")])
  }

  @Test(arguments: [16, 17])
  func `updates of a large session are posted as one to many, whatever the language`(
    count: Int
  ) throws {
    let fixture = try HubFixture(dates)
    for raw in 1...count {
      fixture.join(UInt64(raw), raw.isMultiple(of: 9) ? #","locale":"zh-Hans""# : "")
    }
    fixture.port.postedToFew = 0
    fixture.port.postedToMany = 0

    fixture.send(1, select(1, 1, 0))
    #expect(fixture.port.postedToFew + fixture.port.postedToMany == count)
    // The author's copy is one of few.
    #expect(fixture.port.postedToMany == (count > 16 ? count - 1 : 0))

    fixture.send(1, #"{"type":"touch","column":0,"row":1}"#)
    fixture.wait(60)
    #expect(fixture.port.postedToMany > (count > 16 ? count : -1))
    #expect(count > 16 || fixture.port.postedToMany == 0)
  }

  @Test func `a delta without texts is one frame for all locales`() throws {
    let fixture = try HubFixture(calendar)
    fixture.join(1)
    fixture.join(2, #","locale":"en""#)
    fixture.join(3, #","locale":"zh-Hans""#)
    fixture.forgetAll()

    fixture.send(1, #"{"type":"tap","ref":1,"date":"2026-11-20"}"#)

    #expect(fixture.port.frames[2]?.first === fixture.port.frames[3]?.first)
    #expect(fixture.port.frames[1]?.first !== fixture.port.frames[2]?.first)
  }

  @Test func `a month whose cells change is encoded once per language, whatever the view`() throws {
    let fixture = try HubFixture(calendar)
    for raw in 1...30 as ClosedRange<UInt64> {
      let from = raw.isMultiple(of: 3) ? "2026-10" : "2026-11"
      let locale = raw.isMultiple(of: 2) ? "en" : "zh-Hans"
      fixture.join(raw, #","months":{"from":"\#(from)","count":2},"locale":"\#(locale)""#)
    }
    fixture.forgetAll()
    let before = fixture.hub.encoder.monthEncodeCount

    fixture.wait(86_400_000)

    // October to December, in two languages.
    #expect(fixture.hub.encoder.monthEncodeCount - before == 6)
    for raw in 1...30 as ClosedRange<UInt64> {
      let months = fixture.received(raw).filter { $0["type"]?.string == "months" }
      let expected = raw.isMultiple(of: 3) ? ["2026-10", "2026-11"] : ["2026-11", "2026-12"]
      #expect(months.count == 1 && months[0]["revision"] == .integer(0))
      let named = months[0]["months"]?.array?.compactMap { $0["month"]?.string }
      let title = months[0]["months"]?.array?.last?["title"]?.string
      #expect(named == expected)
      #expect(title?.hasPrefix("2026") == !raw.isMultiple(of: 2))
    }
  }

  @Test func `presence of many members is sent less often`() throws {
    let fixture = try HubFixture(calendar)
    for raw in 1...200 as ClosedRange<UInt64> { fixture.join(raw) }
    fixture.wait(10_000)
    for raw in 1...200 as ClosedRange<UInt64> {
      fixture.send(raw, #"{"type":"touch","date":"2026-11-20"}"#)
    }
    fixture.wait(50)
    #expect(fixture.received(200).last?["touching"]?.array?.count == 198)
    fixture.send(1, #"{"type":"touch"}"#)

    // The 200 copies had 2.4 MB together.
    fixture.wait(60)
    #expect(fixture.received(200).isEmpty)
    fixture.wait(30)
    #expect(fixture.received(200).map { $0["type"]?.string } == ["presence"])
  }

  @Test func `only the author's copy carries the ref`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.join(2)
    fixture.forgetAll()

    fixture.send(1, select(7, 0, 1))

    #expect(fixture.received(1).map { $0["ref"] } == [.integer(7)])
    #expect(fixture.received(2).map { $0["ref"] } == [nil])
  }

  @Test func `only changed bands are sent, and only to subscribers of their months`() throws {
    let fixture = try HubFixture(calendar)
    fixture.join(1, #","months":{"from":"2026-10","count":3}"#)
    fixture.join(2)
    fixture.forgetAll()

    fixture.send(1, #"{"type":"tap","ref":1,"date":"2026-11-20"}"#)

    let changes = fixture.received(1)[0]["changes"]?.array ?? []
    #expect(changes.map { $0["change"]?.string } == ["range", "bands"])
    #expect(changes.last?["month"] == .string("2026-11"))
    #expect(fixture.received(2)[0]["changes"]?.array?.count == 1)
  }

  @Test func `members whose months overlap receive the bands of their own months`() throws {
    let fixture = try HubFixture(
      #"{"kind":"calendar","months":{"from":"2026-10","through":"2027-06"}}"#)
    let views = [("2026-10", 3), ("2026-11", 1), ("2026-11", 3), ("2026-12", 2), ("2027-03", 2)]
    for (number, view) in views.enumerated() {
      fixture.join(UInt64(number + 1), #","months":{"from":"\#(view.0)","count":\#(view.1)}"#)
    }
    fixture.send(1, #"{"type":"tap","ref":1,"date":"2026-11-20"}"#)
    fixture.forgetAll()

    fixture.send(1, #"{"type":"tap","ref":2,"date":"2027-01-05"}"#)

    let months = [["2026-11", "2026-12"], ["2026-11"], ["2026-11", "2026-12", "2027-01"]]
    for (number, expected) in (months + [["2026-12", "2027-01"], []]).enumerated() {
      let changes = fixture.received(UInt64(number + 1))[0]["changes"]?.array ?? []
      let bands = changes.filter { $0["change"] == .string("bands") }
      #expect(bands.compactMap { $0["month"]?.string } == expected)
      #expect(bands.allSatisfy { $0["bands"]?.array?.isEmpty == false })
    }
  }

  @Test(arguments: [
    (0, 9, 2), (2, 2, 1), (9, 9, 0), (-1, 2, 1), (0, -1, 0), (Int.max, Int.max, 0),
    (Int.min, Int.max, 0),
  ])
  func `a row window is limited to the maximum and to the rows of the column`(
    from: Int, count: Int, expected: Int
  ) throws {
    var configuration = HubConfiguration()
    configuration.limits.session.rows = 2
    let fixture = try HubFixture(letters, configuration)
    fixture.join(1)
    fixture.forgetAll()

    fixture.send(1, #"{"type":"rows","column":0,"from":\#(from),"count":\#(count)}"#)

    #expect(fixture.received(1).map { $0["rows"]?.array?.count } == [expected])
  }

  @Test(arguments: [("2026-10", 9, 2), ("2026-09", 2, 1), ("2026-10", -1, 0), ("9999-12", 3, 0)])
  func `a range of months is limited to the maximum and to the months of the calendar`(
    from: String, count: Int, expected: Int
  ) throws {
    var configuration = HubConfiguration()
    configuration.limits.session.months = 2
    let fixture = try HubFixture(calendar, configuration)
    fixture.join(1)
    fixture.forgetAll()

    fixture.send(1, #"{"type":"months","from":"\#(from)","count":\#(count)}"#)

    #expect(fixture.received(1).map { $0["months"]?.array?.count } == [expected])
  }

  @Test func `presence is merged into at most 20 messages a second`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.join(2)
    fixture.wait(100)
    fixture.forgetAll()

    for step in 0..<100 {
      fixture.send(1, #"{"type":"touch","column":0,"row":\#(step % 3)}"#)
      fixture.wait(10)
    }

    #expect((10...21).contains(fixture.types(2).count))
    #expect(fixture.types(1).isEmpty)
  }

  @Test func `a leave is broadcast even if the member's join was only in a welcome`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.join(2)
    let id = fixture.received(2)[0]["member"]!["id"]!

    // Cem's welcome has Bo, whose join has not been broadcast yet.
    fixture.join(3)
    fixture.send(2, #"{"type":"leave"}"#)
    fixture.wait(100)

    let left = fixture.received(3).compactMap { $0["left"]?.array }.joined()
    #expect(Array(left) == [id])
  }

  @Test func `a touch of a member that has disconnected is not retained`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.join(2)
    fixture.log.outcome = .pending
    fixture.send(2, select(1, 0, 1))
    fixture.send(2, #"{"type":"touch","column":0,"row":1}"#)
    fixture.disconnect(2)

    fixture.store()

    #expect(fixture.hub.session(fixture.session)?.touches.isEmpty == true)
  }

  @Test func `a finger is lifted from a row that ceases to exist`() throws {
    let fixture = try HubFixture(dates)
    fixture.join(1)
    fixture.join(2)
    fixture.send(1, #"{"type":"touch","column":2,"row":29}"#)
    fixture.send(2, #"{"type":"touch","column":1,"row":1}"#)
    fixture.wait(100)
    fixture.forgetAll()

    fixture.send(2, select(1, 1, 1))
    fixture.wait(100)

    let session = fixture.hub.session(fixture.session)!
    #expect(session.touches.values.map { $0 } == [.row(column: 1, row: 1)])
    let lifted = fixture.received(2).compactMap { $0["touching"]?.array }.joined()
    #expect(lifted.count == 1 && lifted.allSatisfy { $0["row"] == nil })
  }

  @Test func `the first GET in a locale is answered in it`() throws {
    let fixture = try HubFixture(dates)
    var body = ""

    fixture.hub.begin { host throws(HubProblem) in
      try await host.read(
        fixture.session, token: nil, locale: "zh-Hans", isFull: false, at: fixture.now
      )
    } answer: { result in
      if case .success(let bytes) = result { body = String(decoding: bytes, as: UTF8.self) }
    }

    #expect(body.contains("2026年"))
  }

  @Test func `messages over the rate get tooMany, ten times over the rate closes with 4529`() throws
  {
    var configuration = HubConfiguration()
    configuration.limits.messagesPerSecond = 2
    let fixture = try HubFixture(letters, configuration)
    fixture.join(1)
    fixture.forgetAll()

    for ref in 1...3 { fixture.send(1, #"{"type":"undo","ref":\#(ref)}"#) }
    let codes = fixture.received(1).map { $0["code"]?.string }
    #expect(codes == ["nothingToUndo", "nothingToUndo", "tooMany"])
    for ref in 4...20 { fixture.send(1, #"{"type":"undo","ref":\#(ref)}"#) }
    #expect(fixture.port.closes.isEmpty)
    fixture.send(1, #"{"type":"undo","ref":21}"#)

    #expect(fixture.port.closes == [1: 4529])
  }
}
