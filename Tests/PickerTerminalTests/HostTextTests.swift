import Testing

@testable import PickerClient
@testable import PickerTerminal

/// What the host does, in a terminal.
@Suite struct HostTextTests {
  private func state(_ snapshot: String) -> PickerState {
    var machine = ClientMachine()
    _ = machine.handle(.start, at: 0)
    _ = machine.handle(.opened, at: 0)
    let welcome = """
      {"type":"welcome","member":{"id":"m","secret":"s","name":"Ana","role":"owner",\
      "color":"#d1495b"},"locale":"en","epoch":"e","revision":0,"resumed":false,\
      "snapshot":{"definition":{"kind":"slot"},"columns":[],\(snapshot)},"members":[]}
      """
    _ = machine.handle(.received(Array(welcome.utf8)), at: 0)
    return machine.state
  }

  @Test func `the reason of a cancel is beside the status, in its own letters`() {
    let state = state(
      #""status":"cancelled","reason":"Dr. Weber is ill","result":{"local":"2026-11-30T08:00"}"#)
    #expect(Sentences.status(state) == "cancelled: Dr. Weber is ill")
    #expect(
      Sentences.notice(.status(.cancelled, by: PickerNotice.host), in: state)
        == "the host: cancelled: Dr. Weber is ill")
    #expect(PlainFormat().picture(of: state)[0].hasSuffix(", cancelled: Dr. Weber is ill"))
  }

  @Test func `a confirmation that the host cancels has its text`() {
    let notice = PickerNotice.notConfirmed(reason: "cancelled", detail: "Dr. Weber is ill")
    let text = Sentences.notice(notice, in: state(#""status":"open","result":null"#))
    #expect(text == "not confirmed: Dr. Weber is ill")
  }

  @Test(arguments: [
    (PickerSlotLoss.taken, "has just been booked"), (.closed, "is closed"),
    (.rules, "is not available any more"),
  ])
  func `a slot that is gone says what was selected and what is now`(
    loss: PickerSlotLoss, text: String
  ) {
    let notice = PickerNotice.slotGone(wanted: "2026-11-30T08:00", because: loss)
    let next = state(#""status":"open","result":{"local":"2026-11-30T08:30"}"#)
    #expect(
      Sentences.notice(notice, in: next) == "2026-11-30 08:00 \(text), now 2026-11-30 08:30")
    let none = state(#""status":"open","result":null"#)
    #expect(Sentences.notice(notice, in: none) == "2026-11-30 08:00 \(text), no time is left")
  }
}
