import CivilTime
import Testing

@Suite struct InstantTests {
  @Test func `instants written one after the other are as written alone`() {
    var writer = InstantWriter()
    var milliseconds: [Int64] = [0, 1, 999, 1_000, 999, 1_001, -1, -1_000, 86_399_999, 86_400_000]
    milliseconds += (0..<200).map { 1_795_000_000_000 + $0 * 37 % 4_001 }
    for instant in milliseconds.map({ Instant(milliseconds: $0) }) {
      let text = String(unsafeUninitializedCapacity: 24) {
        writer.write(instant, to: $0)
        return 24
      }
      #expect(text == instant.rfc3339)
    }
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59.999Z", -1),
    ("2018-11-23T10:20:00+08:00", 1_542_939_600_000), ("2018-11-23t02:20:00z", 1_542_939_600_000),
    ("2018-11-22T21:20:00-05:00", 1_542_939_600_000),
    ("2018-11-23T02:20:00.5Z", 1_542_939_600_500),
    ("2018-11-23T02:20:00.05Z", 1_542_939_600_050),
    ("2018-11-23T02:20:00.1239999Z", 1_542_939_600_123),
    ("2018-11-23T02:20:00-00:00", 1_542_939_600_000),
    ("0001-01-01T00:00:00Z", -62_135_596_800_000),
    ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
  ])
  func `RFC 3339 date-times are parsed`(_ text: String, _ milliseconds: Int) {
    #expect(Instant(rfc3339: text.utf8)?.milliseconds == Int64(milliseconds))
  }

  @Test(arguments: [
    "", "2018-11-23", "2018-11-23T02:20Z", "2018-11-23T02:20:00", "2018-11-23 02:20:00Z",
    "2018-11-23T24:00:00Z", "2018-11-23T02:60:00Z", "2018-12-31T23:59:60Z",
    "2018-11-23T02:20:00.Z", "2018-11-23T02:20:00,5Z", "2018-11-23T02:20:00+8:00",
    "2018-11-23T02:20:00+0800", "2018-11-23T02:20:00+24:00", "2018-11-23T02:20:00+08:60",
    "2018-11-23T02:20:00+08:00Z", "2018-11-31T02:20:00Z", "0000-12-31T23:59:59Z",
    "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2018-11-23T2:20:00Z",
    "2018-11-23T02:20:00Z ",
  ])
  func `malformed date-times are refused`(_ text: String) {
    #expect(Instant(rfc3339: text.utf8) == nil)
  }

  @Test func `instants are formatted as they are parsed`() {
    for text in [
      "2018-11-23T02:20:00.000Z", "1969-12-31T23:59:59.001Z", "0001-01-01T00:00:00.000Z",
      "9999-12-31T23:59:59.999Z", "2000-02-29T12:34:56.789Z",
    ] {
      #expect(Instant(rfc3339: text.utf8)?.rfc3339 == text)
    }
    #expect(Instant(milliseconds: -1).rfc3339Seconds == "1969-12-31T23:59:59Z")
    #expect(Instant.first.rfc3339 == "0001-01-01T00:00:00.000Z")
    #expect(Instant.last.rfc3339 == "9999-12-31T23:59:59.999Z")
  }

  @Test func `seconds are rounded down, even before 1970`() {
    #expect(Instant(milliseconds: 1_999).seconds == 1)
    #expect(Instant(milliseconds: -1).seconds == -1)
    #expect(Instant(milliseconds: -1_000).seconds == -1)
    #expect(Instant(milliseconds: -1_001).seconds == -2)
    #expect(Instant(seconds: 60).adding(minutes: -1) == Instant(milliseconds: 0))
  }
}
