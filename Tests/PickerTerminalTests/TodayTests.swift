import PickerClient
import Testing

@testable import PickerTerminal

/// The date of the first month that is loaded.
@Suite struct TodayTests {
  private func state(_ timeZone: String, now: String) -> PickerState {
    var machine = ClientMachine()
    _ = machine.handle(.start, at: 0)
    _ = machine.handle(.opened, at: 0)
    let welcome = """
      {"type":"welcome","member":{"id":"m","secret":"s","name":"Ana","role":"owner",\
      "color":"#d1495b"},"locale":"en",\
      "epoch":"e","revision":0,"resumed":false,"now":"\(now)","snapshot":\
      {"definition":{"kind":"calendar","timeZone":"\(timeZone)"},"status":"open","result":null,\
      "calendar":{"months":{"first":"2026-01","last":"2026-12","count":12},"range":null}},\
      "members":[]}
      """
    _ = machine.handle(.received(Array(welcome.utf8)), at: 0)
    return machine.state
  }

  @Test(arguments: [
    ("Asia/Tokyo", "2026-10-31T23:00:00.000Z", "2026-11-01"),
    ("America/New_York", "2026-11-01T02:00:00.000Z", "2026-10-31"),
    ("UTC", "2026-11-01T02:00:00.000Z", "2026-11-01"),
  ])
  func `is that of the session's time zone`(zone: String, now: String, today: String) {
    #expect(state(zone, now: now).today == PickerDay(today))
  }
}
