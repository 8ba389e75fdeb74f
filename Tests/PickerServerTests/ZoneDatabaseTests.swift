import CivilTime
import Foundation
import Testing

@testable import PickerServer

@Suite struct ZoneDatabaseTests {
  private let zones = ZoneDatabase()

  @Test(arguments: [
    "UTC", "Etc/UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Australia/Lord_Howe",
    "Asia/Kathmandu", "Asia/Katmandu", "US/Pacific", "GB", "EST5EDT", "Etc/GMT+12", "Etc/GMT-14",
    "GMT0", "America/Port-au-Prince", "America/North_Dakota/New_Salem", "PRC",
  ])
  func `zones and links of the database have rules`(name: String) {
    #expect(zones.rules(named: name)?.name == name)
  }

  @Test(arguments: [
    "", "/", ".", "..", "europe/berlin", "EUROPE/BERLIN", "Europe/berlin", "Europe", "Europe/",
    "/Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin", "Europe//Berlin",
    "Europe/../Europe/Berlin",
    "./Europe/Berlin", "Europe/Berlin\u{0}", "Europe/Berlin ", "Europe\\Berlin", "posixrules",
    "localtime", "Factory", "right/Europe/Berlin", "posix/Europe/Berlin", "right/UTC", "tzdata.zi",
    "zone.tab", "leapseconds", "+VERSION", "GMT+3", "UTC+3", "PST", "utc", "+03:00", "Z",
    "Mars/Olympus_Mons", "Eｕrope/Berlin", "a/b/c/d", "../../../etc/passwd",
  ])
  func `other names have no rules`(name: String) {
    #expect(zones.rules(named: name) == nil)
  }

  @Test func `a name of 10 KB has no rules`() {
    #expect(zones.rules(named: String(repeating: "A", count: 10_000)) == nil)
    #expect(zones.rules(named: String(repeating: "A/", count: 5_000)) == nil)
  }

  @Test func `rules are read once and shared`() throws {
    let first = try #require(zones.rules(named: "Europe/Berlin"))
    let second = try #require(zones.rules(named: "Europe/Berlin"))

    #expect(first === second)
    #expect(zones.rules(named: "UTC") === ZoneRules.utc)
  }

  @Test func `the summary has the database and its version`() throws {
    let version = try #require(zones.version)

    #expect(version.wholeMatch(of: /20\d\d[a-z]+/) != nil)
    #expect(zones.summary == "zone database: \(zones.directory), version \(version)")
  }

  @Test func `Foundation's copy is used and reported if the directory is empty`() throws {
    let folder = try TemporaryFolder()
    let zones = ZoneDatabase(directory: folder.path)
    let summer = try #require(Instant(rfc3339: "2018-07-01T00:00:00Z".utf8))
    let winter = try #require(Instant(rfc3339: "2018-01-01T00:00:00Z".utf8))

    let berlin = try #require(zones.rules(named: "Europe/Berlin"))

    #expect(berlin.offsetSeconds(at: summer) == 7_200)
    #expect(berlin.offsetSeconds(at: winter) == 3_600)
    #expect(zones.rules(named: "GMT+3") == nil)
    #expect(zones.rules(named: "PST") == nil)
    #expect(zones.rules(named: "europe/berlin") == nil)
    #expect(zones.summary.contains("not found in \(folder.path)"))
    #expect(zones.summary.contains(FoundationZones.version))
  }

  @Test func `a link without a file is read from its zone`() throws {
    let folder = try TemporaryFolder()
    let file = try #require(
      RegularFile.read(zones.directory + "/Asia/Kathmandu", byteCountMax: 65_536))
    try folder.write(
      "# version 2099z\nZ Asia/Kathmandu 5:41:16 - LMT 1920\n"
        + "L Asia/Kathmandu Asia/Katmandu\nL Round/A Round/B\nL Round/B Round/A\n", to: "tzdata.zi")
    try folder.write(file.bytes, to: "Asia/Kathmandu")
    try folder.write(file.bytes, to: "Asia/Unlisted")
    let some = ZoneDatabase(directory: folder.path)

    #expect(some.version == "2099z")
    #expect(some.rules(named: "Asia/Katmandu")?.name == "Asia/Katmandu")
    #expect(some.rules(named: "Asia/Unlisted") == nil, "the database does not list it")
    #expect(some.rules(named: "Round/A") == nil)
  }

  @Test func `a malformed TZif file is ignored`() throws {
    let folder = try TemporaryFolder()
    try folder.write("nonsense", to: "Asia/Nowhere")
    try folder.write([UInt8](repeating: 0, count: 70_000), to: "Asia/Large")
    let zones = ZoneDatabase(directory: folder.path)

    #expect(zones.rules(named: "Asia/Nowhere") == nil)
    #expect(zones.rules(named: "Asia/Large") == nil)
  }

  @Test func `the number of cached names is limited, and other names are still found`() throws {
    let folder = try TemporaryFolder()
    let file = try #require(RegularFile.read(zones.directory + "/GMT", byteCountMax: 65_536))
    let names = (0...ZoneDatabase.cachedNamesMax).map { "Test/Zone\($0)" }
    for name in names { try folder.write(file.bytes, to: name) }
    let many = ZoneDatabase(directory: folder.path)

    for name in names { #expect(many.rules(named: name)?.name == name) }

    #expect(many.rules(named: names[0]) === many.rules(named: names[0]))
    #expect(many.rules(named: names.last!) !== many.rules(named: names.last!))
  }

  @Test func `every listed zone and link can be read`() throws {
    let text = try #require(RegularFile.read(zones.directory + "/tzdata.zi", byteCountMax: 1 << 20))
    let catalog = ZoneCatalog(text: text.bytes)
    let listed = catalog.targets.keys.filter { $0 != "Factory" }

    let missing = listed.filter { zones.rules(named: $0)?.name != $0 }.sorted()

    #expect(listed.count > 500)
    #expect(missing == [])
  }
}
