import Foundation
import JSONText
import Testing

@testable import PickerClient

/// The effect of each message on the state.
@Suite struct FoldTests {
  @Test func `a reload replaces a column's rows`() {
    var ana = ClientFixture()
    ana.join()

    ana.receive(
      delta(
        1,
        #"{"change":"reload","column":1,"generation":2,"count":1,"from":0,"#
          + #""rows":[{"key":"z","text":"Z"}],"row":0},"#
          + moved(0, 2, "c") + "," + moved(1, 0, "z")))

    #expect(ana.state.columns[1].generation == 2)
    #expect(ana.state.columns[1].count == 1)
    #expect(ana.state.columns.map(\.selected?.key) == ["c", "z"])
  }

  @Test func `a row with a level keeps it when it is selected`() {
    var ana = ClientFixture()
    ana.join()
    ana.receive(
      delta(
        1,
        #"{"change":"reload","column":1,"generation":1,"count":2,"from":0,"row":0,"#
          + #""rows":[{"key":"x","text":"X"},{"key":"y","text":"Y","level":"few","left":2}]},"#
          + moved(1, 0, "x")))

    ana.receive(delta(2, moved(1, 1, "y")))

    #expect(ana.state.columns[1].selected?.level == .few(left: 2))
  }

  @Test func `the host's data in a result may have 127 levels`() {
    var ana = ClientFixture()
    ana.join()
    let data = String(repeating: "[", count: 127) + String(repeating: "]", count: 127)

    ana.receive(
      delta(
        1,
        #"{"change":"status","status":"confirmed","result":{"keys":["a","x"],"data":\#(data)}}"#))

    #expect(ana.state.status == .confirmed)
  }

  @Test func `keys that differ only in Unicode normalization are distinct`() {
    var ana = ClientFixture()
    ana.join(
      """
      "definition":{"kind":"columns","timeZone":"UTC","locale":"en"},"status":"open","result":null,\
      "columns":[{"generation":1,"count":2,"from":0,"rows":[{"key":"\u{E9}","text":"one scalar"},\
      {"key":"e\u{301}","text":"two"}],"row":0}]
      """)

    #expect(ana.state.columns[0].row(ofKey: "\u{E9}") == 0)
    #expect(ana.state.columns[0].row(ofKey: "e\u{301}") == 1)
    ana.receive(delta(1, moved(0, 1, "e\u{301}")))

    #expect(ana.state.columns[0].row == 1)
    #expect(PickerRow(key: "\u{E9}", text: "") != PickerRow(key: "e\u{301}", text: ""))
  }

  @Test func `a correction has the text of the wanted row`() {
    var ana = ClientFixture()
    ana.join()

    ana.receive(
      delta(
        1, moved(0, 1, "b", #","reason":"max","wanted":"c""#)))

    #expect(
      ana.notices() == [
        .moved(
          column: 0, to: PickerRow(key: "b", text: "B"), cause: "select",
          correction: PickerCorrection(wanted: "C", reason: "max"), by: "m_bo")
      ])
  }

  @Test func `a range is opened, closed and cleared`() {
    var ana = ClientFixture()
    ana.join(calendar)

    ana.receive(
      delta(
        1,
        ranged(
          "2026-11-20", "2026-11-20", hits: 1,
          #","by":"m_bo","reach":{"from":"2026-11-10","through":"2026-11-30"}"#)))
    #expect(ana.state.range?.reach?.upperBound == PickerDay("2026-11-30"))
    let result = #"{"start":"2026-11-20","end":"2026-11-24","days":5}"#
    ana.receive(
      delta(
        2,
        ranged("2026-11-20", "2026-11-24", hits: 2)
          + #",{"change":"result","result":\#(result)}"#))
    #expect(
      ana.state.result == .days(PickerDay("2026-11-20")!, through: PickerDay("2026-11-24")!))
    ana.receive(
      delta(
        3,
        #"{"change":"range","start":null,"end":null,"hits":0,"cause":"clear"},"#
          + #"{"change":"result","result":null}"#))

    #expect(ana.state.range == nil)
    #expect(ana.state.result == nil)
  }

  @Test func `bands follow the range across week rows`() {
    var ana = ClientFixture()
    ana.join(calendarSnapshot(range: #"{"start":"2026-11-20","end":"2026-11-23","hits":2}"#))

    let bands = ana.state.bands(of: PickerMonth("2026-11")!)

    #expect(
      bands == [
        PickerBand(row: 2, from: 5, to: 6, isHead: true, isTail: false),
        PickerBand(row: 3, from: 0, to: 1, isHead: false, isTail: true),
      ])
    #expect(ana.state.bands(of: PickerMonth("2026-12")!) == [])
  }

  @Test func `months are loaded when they come into view and released afterwards`() {
    var ana = ClientFixture()
    ana.join(calendar)
    ana.give(.look(from: PickerMonth("2026-11")!, count: 1))

    ana.receive(monthsMessage("2026-11"))
    #expect(ana.state.months[PickerMonth("2026-11")!]?.cells.count == 42)
    ana.give(.look(from: PickerMonth("2026-12")!, count: 1))
    ana.receive(monthsMessage("2026-12"))

    #expect(ana.state.months.keys.map(\.iso) == ["2026-12"])
  }

  @Test func `a change of the list of months is applied`() {
    var ana = ClientFixture()
    ana.join(calendar)

    ana.receive(
      delta(1, #"{"change":"months","first":"2026-12","last":"2027-01","count":2}"#))

    #expect(ana.state.monthList?.first.iso == "2026-12")
    #expect(ana.state.monthList?.count == 2)
  }

  @Test func `a confirmation changes the status`() {
    var ana = ClientFixture()
    ana.join()

    ana.receive(delta(1, #"{"change":"status","status":"confirmed","result":{"keys":["a","x"]}}"#))

    #expect(ana.state.status == .confirmed)
    #expect(!ana.state.canEdit)
    #expect(ana.notices() == [.status(.confirmed, by: "m_bo")])
  }

  private func welcomeInGerman(_ snapshot: String, ref: Int = 0) -> String {
    welcome(snapshot).replacing(
      #""locale":"en","epoch""#, with: #""ref":\#(ref),"locale":"de","epoch""#)
  }

  @Test func `the result is taken from the server`() {
    var ana = ClientFixture()
    ana.open()
    ana.receive(welcomeInGerman(letters))
    #expect(ana.state.result == nil, "the result in the snapshot is null")

    let result = #"{"change":"result","result":{"local":"2018-11-23T10:20","instant":"I"}}"#
    ana.receive(delta(1, moved(0, 1, "b") + "," + result))

    #expect(ana.state.result == .slot(local: "2018-11-23T10:20"))
    #expect(ana.state.resultInstant == "I")
    #expect(ana.state.locale == "de")
  }

  @Test func `refs continue after the ref in the welcome`() {
    var ana = ClientFixture()
    ana.open()
    ana.receive(welcomeInGerman(letters, ref: 77))
    ana.effects = []

    ana.give(.command(.undo))

    #expect(ana.sent().map { $0["ref"]?.integer } == [78])
  }

  @Test func `a member's new role is taken from the server`() {
    var ana = ClientFixture()
    ana.open()
    ana.receive(welcomeInGerman(letters).replacing("owner", with: "editor"))
    ana.receive(
      ##"{"type":"presence","joined":[{"id":"m_o","name":"O","role":"owner","color":"#000000","##
        + #""online":true}]}"#)
    ana.receive(#"{"type":"presence","left":["m_o"]}"#)
    #expect(ana.state.me?.role == .editor, "an offline member may have become the owner")

    ana.receive(
      #"{"type":"presence","changed":[{"id":"m_ana","name":"Ana","role":"owner","#
        + ##""color":"#d1495b","online":true}]}"##)

    #expect(ana.state.me?.role == .owner)
  }

  @Test func `a changed definition can append and remove columns`() {
    var ana = ClientFixture()
    ana.join()
    let rows = #""from":0,"rows":[{"key":"z","text":"Z"}],"row":0}"#
    ana.receive(delta(1, #"{"change":"reload","column":2,"generation":1,"count":1,"# + rows))
    #expect(ana.state.columns.count == 3)

    ana.receive(
      delta(
        2,
        #"{"change":"reload","column":2,"generation":2,"count":0,"from":0,"rows":[],"row":null,"#
          + #""removed":true}"#))

    #expect(ana.state.columns.count == 2)
  }

  @Test func `one definition change can append and remove several columns`() {
    var ana = ClientFixture()
    ana.join()
    func column(_ number: Int, _ generation: Int, _ rest: String) -> String {
      #"{"change":"reload","column":\#(number),"generation":\#(generation),"from":0,\#(rest)}"#
    }
    let rows = #""count":1,"rows":[{"key":"m","text":"M"}],"row":0"#
    ana.receive(delta(1, column(2, 1, rows) + "," + column(3, 1, rows)))
    #expect(ana.state.columns.count == 4)

    let gone = #""count":0,"rows":[],"row":null,"removed":true"#
    ana.receive(delta(2, column(1, 2, gone) + "," + column(2, 2, gone) + "," + column(3, 2, gone)))

    #expect(ana.state.columns.count == 1 && ana.state.connection == .live)
    ana.receive(delta(3, column(1, 3, rows)))
    #expect(ana.state.columns.count == 2 && ana.state.columns[1].generation == 3)
  }

  @Test func `rows have notes, which a selected row retains`() {
    var ana = ClientFixture()
    ana.join()
    let low = #"{"change":"notes","column":0,"rows":{"b":{"text":"€ 5","tone":"low"},"q":null}}"#
    ana.receive(delta(1, low))
    #expect(ana.state.columns[0][1]?.note == PickerNote(text: "€ 5", tone: "low"))
    ana.receive(delta(2, moved(0, 1, "b")))
    #expect(ana.state.columns[0].selected?.note?.text == "€ 5")
    ana.receive(delta(3, #"{"change":"notes","column":0,"rows":{"b":null}}"#))
    #expect(ana.state.columns[0][1]?.note == nil)
    ana.receive(delta(4, #"{"change":"notes","column":7,"rows":{"b":{"text":"x"}}}"#))
    #expect(ana.state.connection == .live)
  }

  @Test func `a stay has a total, and a change of it alone is a notice`() {
    var ana = ClientFixture()
    ana.join(calendarSnapshot(#","unit":"nights""#))
    func result(_ amount: String) -> String {
      #"{"change":"result","result":{"start":"2026-11-10","end":"2026-11-12","nights":2,"#
        + #""total":{"amount":\#(amount),"currency":"EUR"}}}"#
    }
    ana.receive(delta(1, result("240.5")))
    #expect(
      ana.state.result == .nights(PickerDay("2026-11-10")!, until: PickerDay("2026-11-12")!))
    #expect(ana.state.resultTotal?.amount.hundredths == 240_50)
    #expect(ana.state.resultTotal?.currency == "EUR")
    let first = ana.notices()
    #expect(first.isEmpty)

    ana.receive(delta(2, result("300")))

    let before = PickerTotal(amount: PickerAmount(hundredths: 240_50), currency: "EUR")
    let notices = ana.notices()
    #expect(notices == [.repriced(ana.state.resultTotal, before: before)])
  }

  @Test func `a command of the host has no member, and the host alone may reopen the session`() {
    var ana = ClientFixture()
    ana.join(letters.replacing(#""status":"open""#, with: #""status":"open","reopen":"host""#))
    #expect(ana.state.isReopenedByHost)
    ana.receive(
      #"{"type":"delta","revision":1,"host":true,"at":"2026-11-23T10:00:00.000Z","changes":["#
        + #"{"change":"status","status":"confirmed","result":{"keys":["a"]}}]}"#)
    let notices = ana.notices()
    #expect(notices == [.status(.confirmed, by: PickerNotice.host)])
  }

  @Test func `the host's cancel has a reason until the next status`() {
    var ana = ClientFixture()
    let closed = #""status":"cancelled","reason":"Dr. Weber is ill","cancel":"host""#
    ana.join(letters.replacing(#""status":"open""#, with: closed))
    #expect(ana.state.isCancelledByHost && ana.state.cancelReason == "Dr. Weber is ill")
    func status(_ revision: Int, _ change: String) -> String {
      #"{"type":"delta","revision":\#(revision),"host":true,"at":"2026-11-23T10:00:00.000Z","#
        + #""changes":[{"change":"status",\#(change)}]}"#
    }
    ana.receive(status(1, #""status":"open""#))
    #expect(ana.state.cancelReason == nil)
    ana.receive(status(2, #""status":"cancelled","reason":"closed""#))
    #expect(ana.state.cancelReason == "closed")
    let cancelled = ana.notices()
    #expect(
      cancelled == [
        .status(.open, by: PickerNotice.host), .status(.cancelled, by: PickerNotice.host),
      ])
    ana.receive(status(3, #""status":"open","detail":"Dr. Weber is ill""#))
    let taken = ana.notices()
    #expect(taken.last == .notConfirmed(reason: "cancelled", detail: "Dr. Weber is ill"))
  }

  @Test func `a slot that is gone says what was selected and why`() {
    func column(_ keys: String...) -> String {
      let rows = keys.map { #"{"key":"\#($0)","text":"\#($0)"}"# }.joined(separator: ",")
      return #""generation":1,"count":\#(keys.count),"from":0,"rows":[\#(rows)]"#
    }
    var ana = ClientFixture()
    ana.join(
      #""definition":{"kind":"slot"},"status":"open","result":{"local":"2026-11-30T08:00","#
        + #""instant":"2026-11-30T08:00:00Z"},"columns":[{\#(column("2026-11-30")),"row":0},"#
        + #"{\#(column("08")),"row":0},{\#(column("00", "30")),"row":0}]"#)
    let result = #"{"change":"result","result":{"local":"2026-11-30T08:30","#
      + #""instant":"2026-11-30T08:30:00Z"}}"#
    ana.receive(
      delta(
        1,
        #"{"change":"reload","column":2,\#(column("30")),"row":0},{"change":"row","column":2,"#
          + #""row":0,"key":"30","text":"30","cause":"clamp","reason":"gone","wanted":"00","#
          + #""because":"taken"},"# + result))
    let moved = ana.notices()
    #expect(moved.last == .slotGone(wanted: "2026-11-30T08:00", because: .taken))
    #expect(ana.state.result == .slot(local: "2026-11-30T08:30"))

    ana.receive(
      delta(2, #"{"change":"result","result":null,"reason":"gone","because":"strike"}"#))
    let emptied = ana.notices()
    #expect(emptied == [.slotGone(wanted: "2026-11-30T08:30", because: .rules)])
  }

  @Test func `days in view have notes, including cells of adjacent months`() {
    var ana = ClientFixture()
    ana.join(calendar)
    ana.give(.look(from: PickerMonth("2026-11")!, count: 1))
    ana.receive(
      #"{"type":"months","revision":0,"months":[{"month":"2026-11","title":"","bands":[],"cells":["#
        + #"{"date":"2026-11-30","text":"30","note":{"text":"old"}},"#
        + #"{"date":"2026-12-01","text":"1","outside":true}]}]}"#)
    func notes() -> [String?] {
      ana.state.months.values.flatMap { $0.cells.map { $0.note?.text } }
    }
    #expect(notes() == ["old", nil])
    ana.receive(
      delta(
        1,
        #"{"change":"notes","days":{"2026-11-30":null,"2026-12-01":{"text":"full","tone":"bad"},"#
          + #""2026-12-24":{"text":"unseen"}}}"#))
    #expect(notes() == [nil, "full"])
  }

  @Test func `a month has the server's title and weekdays`() {
    var ana = ClientFixture()
    ana.give(.look(from: PickerMonth("2026-11")!, count: 1))
    ana.open()
    let days = ["So", "Mo", "Di", "Mi", "Do", "Fr", "Sa"]
    let names = days.map { #""\#($0)""# }.joined(separator: ",")
    ana.receive(
      welcome(calendar.replacing(#""range":null"#, with: #""range":null,"weekdays":[\#(names)]"#)))
    ana.receive(
      monthsMessage("2026-11").replacing(
        #""title":"2026-11""#, with: #""title":"November 2026""#))

    #expect(ana.state.weekdays == days)
    #expect(ana.state.months[PickerMonth("2026-11")!]?.title == "November 2026")
  }

  @Test func `a snapshot clears the touches`() {
    var ana = ClientFixture()
    ana.join()
    ana.receive(
      #"{"type":"presence","joined":[\#(bo)],"touching":[{"member":"m_bo","column":1,"row":0}]}"#)

    ana.receive(
      #"{"type":"snapshot","revision":3,"status":"open","snapshot":{\#(letters)},"#
        + #""members":[\#(bo)],"now":"2026-11-20T12:00:01.000Z"}"#)

    #expect(ana.state.touching == [:], "the current touches follow the snapshot")
  }

  @Test func `a pointer over a row differs from a finger on it`() {
    var ana = ClientFixture()
    ana.join()
    let hover =
      #"{"type":"presence","touching":[{"member":"m_bo","column":1,"row":0,"hover":true}]}"#

    ana.receive(#"{"type":"presence","joined":[\#(bo)]}"#)
    ana.receive(hover)
    #expect(ana.state.touching == ["m_bo": .row(column: 1, row: 0)])
    #expect(ana.state.hovering == ["m_bo"])
    ana.receive(hover.replacing(#","hover":true"#, with: ""))
    #expect(ana.state.hovering == [] && ana.state.touching.count == 1)
    ana.receive(hover)
    ana.receive(#"{"type":"presence","touching":[{"member":"m_bo"}]}"#)
    #expect(ana.state.hovering == [])
    ana.receive(hover)
    ana.receive(#"{"type":"presence","left":["m_bo"]}"#)

    #expect(ana.state.hovering == [])
  }

  @Test func `presence updates members and touches`() {
    var ana = ClientFixture()
    ana.join()

    ana.receive(#"{"type":"presence","joined":[\#(bo)]}"#)
    ana.receive(#"{"type":"presence","touching":[{"member":"m_bo","column":1,"row":0}]}"#)
    #expect(ana.state.touching == ["m_bo": .row(column: 1, row: 0)])
    let offline = bo.replacing("true", with: "false")
    ana.receive(#"{"type":"presence","changed":[\#(offline)]}"#)
    #expect(ana.state.touching == [:], "going offline removes the touch")
    ana.receive(#"{"type":"presence","changed":[\#(bo)]}"#)
    ana.receive(#"{"type":"presence","left":["m_bo"]}"#)

    #expect(ana.state.members.map(\.id) == ["m_ana"])
    let names = ana.notices().map { notice in
      switch notice {
      case .joined: "joined"
      case .wentOffline: "offline"
      case .cameBack: "back"
      case .left: "left"
      default: "other"
      }
    }
    #expect(names == ["joined", "offline", "back", "left"])
  }

  @Test func `unknown messages and changes are ignored`() {
    var ana = ClientFixture()
    ana.join()
    let before = ana.state.columns

    ana.receive(#"{"type":"weather","sun":true}"#)
    ana.receive(delta(1, #"{"change":"weather","sun":true}"#))

    #expect(ana.state.revision == 1)
    #expect(ana.state.columns == before)
    #expect(ana.state.connection == .live)
  }

  @Test(arguments: [
    "", "[]", "{", #"{"type":"delta","revision":1}"#,
    #"{"type":"delta","revision":1,"changes":[{"change":"row","column":9,"row":0,"key":"a","text":"A"}]}"#,
    "{\"type\":\"\u{1}\"}",
  ])
  func `an invalid message has no effect and reconnects`(text: String) {
    var ana = ClientFixture()
    ana.join()
    let columns = ana.state.columns

    ana.receive(text)

    #expect(ana.state.connection == .waiting)
    #expect(ana.state.revision == 0)
    #expect(ana.state.columns == columns)
    #expect(ana.takeEffects().contains(.disconnect))
    ana.wait(0)
    #expect(ana.state.connection == .connecting, "immediately")
  }

  @Test func `a snapshot replaces the state`() {
    var ana = ClientFixture()
    ana.join()
    ana.receive(delta(1, moved(0, 1, "b")))

    ana.receive(
      #"{"type":"snapshot","revision":9,"status":"confirmed","snapshot":{\#(letters)},"#
        + #""members":[\#(bo)],"now":"2026-11-20T13:00:00.000Z"}"#)

    #expect(ana.state.revision == 9)
    #expect(ana.state.status == .confirmed)
    #expect(ana.state.columns[0].selected?.key == "a")
    #expect(ana.state.members.map(\.name) == ["Bo"])
  }
}
