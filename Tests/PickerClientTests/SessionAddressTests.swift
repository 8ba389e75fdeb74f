import Testing

@testable import PickerClient

@Suite struct SessionAddressTests {
  @Test(arguments: [
    ("http://127.0.0.1:7681/#/s/abc", "ws://127.0.0.1:7681/v1/sessions/abc"),
    ("http://host/#/s/abc?token=t", "ws://host/v1/sessions/abc"),
    ("http://host/s/abc#token=t", "ws://host/v1/sessions/abc"),
    ("https://host/pick/s/abc", "wss://host/pick/v1/sessions/abc"),
    ("https://host/pick/index.html#/s/abc", "wss://host/pick/v1/sessions/abc"),
    ("ws://host:80/v1/sessions/abc", "ws://host/v1/sessions/abc"),
    ("wss://host:443/v1/sessions/abc", "wss://host/v1/sessions/abc"),
    ("http://host:7681/v1/sessions/abc/events?x=1", "ws://host:7681/v1/sessions/abc"),
    ("http://[::1]:7681/#/s/abc", "ws://[::1]:7681/v1/sessions/abc"),
    ("HTTPS://host:8443/p/v1/sessions/abc", "wss://host:8443/p/v1/sessions/abc"),
  ])
  func `a link determines the socket URL`(link: String, socket: String) {
    #expect(SessionAddress(link)?.socketURL == socket)
  }

  @Test(arguments: [
    "", "host", "ftp://host/v1/sessions/a", "http://host/", "http://host/v1/sessions/",
    "http:///v1/sessions/a", "http://host:0/v1/sessions/a", "http://host:70000/v1/sessions/a",
    "http://::1/v1/sessions/a", "http://user@host/v1/sessions/a", "http://host/v1/sessions/ä",
    "http://ho st/v1/sessions/a", "http://host/#/s/", "http://host/s/",
  ])
  func `an invalid link is refused`(link: String) {
    #expect(SessionAddress(link) == nil)
  }

  @Test(arguments: [
    ("http://host/s/abc#token=t%2F1", "t/1"), ("http://host/#/s/abc?token=t%2F1", "t/1"),
    ("http://host/#/s/abc", nil),
    ("http://host/#/s/abc?token=", nil), ("http://host/#/s/abc?token=%zz", nil),
    ("http://host/#/s/abc?token=%+A", nil), ("http://host/#/s/abc?token=%-0", nil),
    ("http://host/#/s/abc?x=1&token=t&y=2", "t"),
  ])
  func `a link may contain a token`(link: String, token: String?) {
    #expect(SessionAddress(link)?.token == token)
  }

  @Test func `days and months have predecessors and successors`() {
    let day = PickerDay("2026-01-31")!

    #expect(day.adding(months: 1)?.iso == "2026-02-28")
    #expect(day.adding(days: 1)?.iso == "2026-02-01")
    #expect(PickerDay("9999-12-31")?.adding(days: 1) == nil)
    #expect(PickerMonth("2026-11")!.months(since: PickerMonth("2025-12")!) == 11)
    #expect(PickerDay("2026-02-29") == nil)
  }
}
