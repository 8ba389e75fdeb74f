import PickerClient
import Testing

@testable import PickerTerminal

/// A stay and its price in a terminal.
@Suite struct StayTextTests {
  private func state(total: String = "", cells: String = "", range: String = "null")
    -> PickerState
  {
    var machine = ClientMachine()
    _ = machine.handle(.start, at: 0)
    _ = machine.handle(.opened, at: 0)
    let result =
      range == "null" ? #"{"start":"2026-12-12","end":"2026-12-15","nights":3\#(total)}"# : "null"
    let welcome = """
      {"type":"welcome","member":{"id":"m","secret":"s","name":"Ana","role":"owner",\
      "color":"#d1495b"},"locale":"en","epoch":"e","revision":0,"resumed":false,\
      "now":"2026-11-20T10:00:00.000Z","snapshot":{"definition":{"kind":"calendar",\
      "unit":"nights"},"status":"open","result":\(result),"calendar":{"months":\
      {"first":"2026-12","last":"2026-12","count":1},"range":\(range)}},"members":[]}
      """
    _ = machine.handle(.received(Array(welcome.utf8)), at: 0)
    _ = machine.handle(.look(from: PickerMonth("2026-12")!, count: 1), at: 0)
    let months = """
      {"type":"months","revision":0,"months":[{"month":"2026-12","title":"December 2026",\
      "cells":[\(cells)],"bands":[]}]}
      """
    _ = machine.handle(.received(Array(months.utf8)), at: 0)
    return machine.state
  }

  @Test(arguments: [
    ("", ""), (#","total":{"amount":380,"currency":"EUR"}"#, ", 380 EUR"),
    (#","total":{"amount":1380.5,"currency":"CHF"}"#, ", 1,380.50 CHF"),
    (#","total":{"amount":1000000.05}"#, ", 1,000,000.05"), (#","total":{"amount":0}"#, ", 0"),
  ])
  func `the result has the nights and the total`(total: String, text: String) {
    #expect(Sentences.chosen(state(total: total)) == "2026-12-12 to 2026-12-15, 3 nights" + text)
  }

  @Test func `a change of the price is a line`() {
    let total = PickerTotal(amount: PickerAmount(hundredths: 420_00), currency: "EUR")
    let notice = PickerNotice.repriced(total, before: nil)
    #expect(Sentences.notice(notice, in: state()) == "the total is now 420 EUR")
    let gone = PickerNotice.repriced(nil, before: total)
    #expect(Sentences.notice(gone, in: state()) == "there is no total now")
  }

  @Test func `an open stay has one end`() {
    let range = #"{"start":"2026-12-12","end":"2026-12-12","hits":1}"#
    #expect(Sentences.chosen(state(range: range)) == "one end is 2026-12-12, no other yet")
  }

  @Test func `a day that is only an arrival or a departure is marked`() {
    let cells =
      #"{"date":"2026-12-12","text":"12","only":"arrival"},"#
      + #"{"date":"2026-12-13","text":"13"},{"date":"2026-12-14","text":"14","disabled":true},"#
      + #"{"date":"2026-12-15","text":"15","only":"departure"}"#
    let state = state(cells: cells)
    #expect(PlainFormat().picture(of: state).contains("2026-12: >12 13 15>"))
    let document = StateDocument.members(state, isWhole: true)
    let months = document.first { $0.key == "months" }?.value
    #expect(months?.array?[0]["cells"]?.array?[0]["only"]?.string == "arrival")
  }
}
