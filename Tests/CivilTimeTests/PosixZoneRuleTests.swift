import CivilTime
import Testing

@Suite struct PosixZoneRuleTests {
  private func zone(_ text: String) throws -> ZoneRules {
    try ZoneRules(
      name: text, initialOffsetSeconds: 0, transitions: [],
      footer: PosixZoneRule.parse(text.utf8))
  }

  private func changes(_ text: String, in year: Int) throws -> [String] {
    try zone(text).changes(from: "\(year)-01-01T00:00:00Z", to: "\(year + 1)-01-01T00:00:00Z")
      .map { Instant(seconds: $0).rfc3339Seconds }
  }

  @Test(arguments: [
    ("EST5EDT,M3.2.0,M11.1.0", "2018-03-11T07:00:00Z", "2018-11-04T06:00:00Z"),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2018-03-25T01:00:00Z", "2018-10-28T01:00:00Z"),
    ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2018-03-31T15:00:00Z", "2018-10-06T15:30:00Z"),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2018-03-25T01:00:00Z", "2018-10-28T01:00:00Z"),
    ("IST-1GMT0,M10.5.0,M3.5.0/1", "2018-03-25T01:00:00Z", "2018-10-28T01:00:00Z"),
    ("AAA0BBB,J60/0,J300/1", "2018-03-01T00:00:00Z", "2018-10-27T00:00:00Z"),
    ("AAA0BBB,59/0,299/1", "2018-03-01T00:00:00Z", "2018-10-27T00:00:00Z"),
    ("EET-2EEST,M3.4.4/50,M10.4.4/50", "2018-03-24T00:00:00Z", "2018-10-26T23:00:00Z"),
  ])
  func `a rule changes clocks twice a year`(
    _ text: String, _ first: String, _ second: String
  ) throws {
    #expect(try changes(text, in: 2018) == [first, second])
  }

  @Test func `J60 is 1 March in leap years too, 59 is 29 February`() throws {
    #expect(try changes("AAA0BBB,J60/0,J300/1", in: 2016).first == "2016-03-01T00:00:00Z")
    #expect(try changes("AAA0BBB,59/0,299/1", in: 2016).first == "2016-02-29T00:00:00Z")
  }

  @Test func `daylight time all year never changes`() throws {
    let zone = try zone("QST3EDT4,0/0,J365/23")
    #expect(zone.changes(from: "2018-01-01T00:00:00Z", to: "2030-01-01T00:00:00Z") == [])
    #expect(zone.offsetSeconds(at: Instant(rfc3339: "2019-01-01T03:00:00Z".utf8)!) == -14_400)
    #expect(zone.offsetSeconds(at: Instant(rfc3339: "2019-01-01T02:59:59Z".utf8)!) == -14_400)
  }

  @Test func `both changes may be at the end of the year`() throws {
    let text = "AAA0BBB,J365/20,J365/22"
    let changes = try changes(text, in: 2018)
    #expect(changes == ["2018-12-31T20:00:00Z", "2018-12-31T21:00:00Z"])
    let morning = Instant(rfc3339: "2018-12-31T10:00:00Z".utf8)!
    #expect(try zone(text).offsetSeconds(at: morning) == 0)
  }

  @Test(arguments: [
    "", "A0", "AB0", "ABC", "ABC+", "ABC25", "ABC1:60", "ABC1:00:60", "<A>0", "<ABC0", "ABC0DEF",
    "ABC0DEF1", "ABC0DEF,M3.2.0", "ABC0DEF,M13.1.0,M1.1.0", "ABC0DEF,M0.1.0,M1.1.0",
    "ABC0DEF,M1.6.0,M1.1.0", "ABC0DEF,M1.0.0,M1.1.0", "ABC0DEF,M1.1.7,M1.1.0", "ABC0DEF,J0,J1",
    "ABC0DEF,J366,J1", "ABC0DEF,366,1", "ABC0DEF,M3.2.0/168,M11.1.0", "ABC0DEF,M3.2.0,M11.1.0x",
    "ABC0 ", "ABC0DEF,M3.2.0,",
  ])
  func `malformed TZ strings are refused`(_ text: String) {
    #expect(throws: ZoneDataError.self) { try PosixZoneRule.parse(text.utf8) }
  }

  @Test func `an offset is positive west of Greenwich and may have minutes and seconds`() throws {
    #expect(try PosixZoneRule.parse("ABC-5:45".utf8).standardOffsetSeconds == 20_700)
    #expect(try PosixZoneRule.parse("<-004430>0:44:30".utf8).standardOffsetSeconds == -2_670)
    #expect(try PosixZoneRule.parse("ABC+3".utf8).standardOffsetSeconds == -10_800)
  }
}

@Suite struct TZifFileTests {
  @Test func `every zone of the system is parsed`() throws {
    #expect(ZoneFiles.names.count > 300)
    for name in ZoneFiles.names {
      #expect(throws: Never.self) { try TZifFile.parse(ZoneFiles.bytes(name), name: name) }
    }
  }

  @Test func `the footer agrees with the listed changes where both exist`() throws {
    var compared = 0
    for name in ZoneFiles.names {
      let bytes = ZoneFiles.bytes(name)
      let footer = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .dropLast().last!
      guard !footer.isEmpty else { continue }
      let rule = try PosixZoneRule.parse(footer)
      let byRule = ZoneRules(name: name, initialOffsetSeconds: 0, transitions: [], footer: rule)
      let listed = try TZifFile.parse(bytes, name: name)
      let (first, last) = ("2030-01-01T00:00:00Z", "2037-01-01T00:00:00Z")
      // Their clock changes follow the lunar calendar, which no footer can express.
      guard !["Africa/Casablanca", "Africa/El_Aaiun", "Asia/Gaza", "Asia/Hebron"].contains(name)
      else { continue }
      #expect(byRule.changes(from: first, to: last) == listed.changes(from: first, to: last))
      compared += listed.changes(from: first, to: last).count
    }
    #expect(compared > 1_000)
  }

  /// A file with one transition from +1 h to +2 h at 1970-01-01T00:16:40Z, with optional errors.
  private func file(
    mark: String = "2", times: [Int64] = [1_000], types: [UInt8] = [1], leapCount: UInt8 = 0,
    offset: Int32 = 7_200, footer: String = "\n<+02>-2\n"
  ) -> [UInt8] {
    func header(_ times: Int, _ typeCount: UInt8, _ names: UInt8, _ leaps: UInt8) -> [UInt8] {
      Array("TZif\(mark)".utf8) + [UInt8](repeating: 0, count: 15 + 8)
        + [0, 0, 0, leaps, 0, 0, 0, UInt8(times), 0, 0, 0, typeCount, 0, 0, 0, names]
    }
    func big(_ value: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
    let types = types + big(Int32(3_600)) + [0, 0] + big(offset) + [1, 0] + [0]
    let short = header(0, 0, 0, 0)
    let long = header(times.count, 2, 1, leapCount)
    guard mark >= "2" else { return long + times.flatMap { big(Int32($0)) } + types }
    return short + long + times.flatMap { big($0) } + types + Array(footer.utf8)
  }

  @Test func `a small file is parsed`() throws {
    let zone = try TZifFile.parse(file(), name: "Test/Small")
    #expect(zone.offsetSeconds(at: Instant(seconds: 999)) == 3_600)
    #expect(zone.offsetSeconds(at: Instant(seconds: 1_000)) == 7_200)
    #expect(zone.nextTransition(after: Instant(seconds: 0))?.at == 1_000)
    #expect(zone.nextTransition(after: Instant(seconds: 1_000)) == nil)
  }

  @Test func `a file of version 1 is parsed`() throws {
    let zone = try TZifFile.parse(file(mark: "\0"), name: "Test/Old")
    #expect(zone.offsetSeconds(at: Instant(seconds: 999)) == 3_600)
    #expect(zone.offsetSeconds(at: Instant(seconds: 1_000)) == 7_200)
  }

  @Test func `the footer overrides the last listed offset`() throws {
    let zone = try TZifFile.parse(file(footer: "\n<+03>-3\n"), name: "Test/Footer")
    #expect(zone.offsetSeconds(at: Instant(seconds: 1_000)) == 10_800)
    #expect(zone.nextTransition(after: Instant(seconds: 0))?.at == 1_000)
  }

  @Test func `malformed files are refused`() {
    let good = file()
    for count in 0..<good.count {
      #expect(throws: ZoneDataError.self) {
        try TZifFile.parse(Array(good.prefix(count)), name: "")
      }
    }
    let bad = [
      Array("GIF8".utf8) + good.dropFirst(4), file(times: [5, 5], types: [1, 0]),
      file(times: [5, 4], types: [1, 0]), file(types: [2]), file(leapCount: 1),
      file(offset: 100_000), file(offset: .min), file(footer: "\nnonsense\n"), file(footer: "x"),
      file(footer: "\n"),
    ]
    for bytes in bad {
      #expect(throws: ZoneDataError.self) { try TZifFile.parse(bytes, name: "") }
    }
  }
}
