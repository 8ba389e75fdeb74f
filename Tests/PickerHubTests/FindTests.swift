import JSONText
import PickerModel
import Testing

@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

private func find(_ id: Int, _ text: String = "a", _ fields: String = "", column: Int = 0) -> String
{
  #"{"type":"find","id":\#(id),"column":\#(column),"text":"\#(text)"\#(fields)}"#
}

@Suite struct FindTests {
  /// A definition with 20,000 rows in all, whose texts need several parts.
  private let many =
    #"{"kind":"columns","columns":[["#
    + (0..<19_999).map { #""Wohnung Nummer \#($0)""# }.joined(separator: ",") + #"],["x"]]}"#

  private func answers(_ fixture: HubFixture, _ raw: UInt64 = 1) -> [String] {
    fixture.received(raw).map { message in
      let id = message["id"]?.integer.map(String.init) ?? ""
      return "\(message["type"]?.string ?? "") \(id)"
        + (message["code"]?.string.map { " \($0)" } ?? "")
    }
  }

  @Test func `the rows found are sent to the sender alone`() throws {
    let fixture = try HubFixture(
      #"{"kind":"columns","columns":[["b","xa","A",{"text":"c","terms":["aa"]}]]}"#)
    fixture.join(1)
    fixture.join(2)
    fixture.forgetAll()

    fixture.send(1, find(8, "a", #","limit":2"#))
    fixture.wait(0)

    #expect(
      fixture.received(1).last?.serialized()
        == Array(
          (#"{"type":"found","id":8,"column":0,"generation":1,"rows":["#
            + #"{"row":2,"key":"A","text":"A","at":[0,1]},{"row":3,"key":"c","text":"c"}],"more":true}"#)
            .utf8))
    #expect(fixture.received(2).isEmpty)
  }

  @Test func `a column that is missing, or a picker without columns, is refused with the id`()
    throws
  {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    let dates = try HubFixture(calendar)
    dates.join(1)
    _ = (fixture.received(1), dates.received(1))

    fixture.send(1, find(1, column: 2))
    fixture.wait(0)
    fixture.send(1, find(2, column: -1))
    fixture.wait(1)
    dates.send(1, find(3))
    dates.wait(0)

    #expect(answers(fixture) == ["refused 1 noSuchColumn", "refused 2 noSuchColumn"])
    let refused = dates.received(1)
    #expect(refused.map { $0["code"] } == [.string("wrongKind")])
    #expect(refused[0]["ref"] == nil && refused[0]["changes"]?.array?.isEmpty == true)
  }

  @Test func `viewers find, in every status, in their own language`() throws {
    var configuration = HubConfiguration()
    configuration.authentication = .token
    let fixture = try HubFixture(dates, configuration)
    let owner = #","token":"\#(fixture.tokens["owner"]!)""#
    let viewer = #","locale":"zh-Hans","token":"\#(fixture.tokens["viewer"]!)""#
    fixture.join(1, owner)
    fixture.join(2, viewer)
    fixture.send(1, #"{"type":"cancel","ref":1}"#)
    fixture.forgetAll()

    fixture.send(2, find(1, "11", column: 1))
    fixture.wait(0)

    let rows = fixture.received(2).first?["rows"]?.array
    #expect(rows?.map { $0["text"] } == [.string("11月")])
  }

  @Test func `a search is done in parts, and taps do not wait for it`() throws {
    let fixture = try HubFixture(many)
    fixture.join(1)
    fixture.join(2)
    fixture.forgetAll()

    fixture.send(1, find(1, "nummer 19998"))
    fixture.hub.timer(at: fixture.now)
    #expect(fixture.received(1).isEmpty)
    fixture.send(2, select(1, 1, 0))
    #expect(fixture.types(2) == ["reply"])
    // The next part is for another iteration of the loop.
    #expect(fixture.hub.nextTimer(at: fixture.now, clockRuns: true) == fixture.machine + 1)
    fixture.wait(10)

    let found = fixture.received(1)
    #expect(found.map { $0["rows"]?.array?.count } == [1])
    #expect(found[0]["rows"]?.array?[0]["row"] == .integer(19_998))
    #expect(
      fixture.hub.nextTimer(at: fixture.now, clockRuns: true).map { $0 > fixture.machine } ?? true)
  }

  @Test func `a newer find replaces one that is not answered`() throws {
    let fixture = try HubFixture(many)
    fixture.join(1)
    fixture.forgetAll()

    for id in 1...3 { fixture.send(1, find(id, "1")) }
    fixture.hub.timer(at: fixture.now)
    fixture.send(1, find(4, "wohnung nummer 7"))
    fixture.wait(10)

    #expect(answers(fixture) == ["found 4"])
  }

  @Test func `rows that changed during the search are searched from the beginning`() throws {
    let fixture = try HubFixture(many)
    fixture.join(1)
    fixture.forgetAll()
    fixture.send(1, find(1, "nummer"))
    fixture.hub.timer(at: fixture.now)

    _ = try #require(fixture.put(#"{"kind":"columns","columns":[["Nummer"]]}"#)).get()
    fixture.wait(10)

    let found = fixture.received(1).filter { $0["type"] == .string("found") }
    #expect(found.map { $0["generation"] } == [.integer(2)])
    #expect(found[0]["rows"]?.array?.map { $0["text"] } == [.string("Nummer")])
  }

  @Test func `more than ten searches in a second wait, and so does one over the message rate`()
    throws
  {
    var configuration = HubConfiguration()
    configuration.limits.messagesPerSecond = 13
    let fixture = try HubFixture(letters, configuration)
    fixture.join(1)
    fixture.forgetAll()

    for id in 1...13 {
      fixture.send(1, find(id))
      fixture.wait(2)
    }
    #expect(answers(fixture) == (1...10).map { "found \($0)" })
    fixture.send(1, find(14))
    fixture.wait(960)
    #expect(answers(fixture) == [])
    fixture.wait(20)
    #expect(answers(fixture) == ["found 14"])
    for id in 15...27 { fixture.send(1, #"{"type":"rows","column":0,"from":0,"count":\#(id)}"#) }
    fixture.send(1, find(28))
    fixture.wait(900)
    #expect(!answers(fixture).contains("found 28"))
    fixture.wait(200)
    #expect(answers(fixture) == ["found 28"])
  }

  @Test func `a write-blocked connection gets the answer to its last find when it reads again`()
    throws
  {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.forgetAll()
    fixture.hub.writeBlocked(ConnectionID(raw: 1))

    fixture.send(1, find(1))
    fixture.wait(5)
    fixture.send(1, find(2, "b"))
    fixture.wait(5)
    #expect(fixture.received(1).isEmpty)
    fixture.becomeWritable(1)
    fixture.wait(5)

    #expect(answers(fixture) == ["found 2"])
  }

  @Test func `a find behind a join that is not stored waits for the welcome`() throws {
    let fixture = try HubFixture(letters)
    fixture.log.outcome = .pending
    fixture.join(1)
    fixture.send(1, find(1))
    fixture.wait(5)
    #expect(fixture.received(1).isEmpty)
    fixture.store()
    fixture.wait(5)

    #expect(fixture.types(1) == ["welcome", "found"])
    fixture.send(1, find(2))
    fixture.disconnect(1)
    fixture.wait(5)
    #expect(fixture.received(1).isEmpty)
  }
}
