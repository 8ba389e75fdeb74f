import Foundation
import Testing

@testable import PickerClient

/// The examples of the documentation are compiled and work.
@Suite struct ExampleTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  private static func read(_ path: String) throws -> String {
    try String(contentsOfFile: root + "/" + path, encoding: .utf8)
  }

  /// The lines without indentation.
  private static func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { line in String(line.drop { $0 == " " }) }
  }

  @Test(arguments: ["WheelsAndCalendar", "PickerClient"])
  func `the code of an article is compiled`(article: String) throws {
    let text = try Self.read("Sources/PickerClient/PickerClient.docc/\(article).md")
    let blocks = text.components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    let compiled =
      try Self.lines(Self.read("Tests/PickerClientTests/WheelsAndCalendarExample.swift"))
      + Self.lines(Self.read("Tests/PickerClientTests/GettingStartedExample.swift"))
    #expect(!blocks.isEmpty)
    for block in blocks {
      let wanted = Self.lines(block)
      let found = compiled.indices.contains { compiled[$0...].starts(with: wanted) }
      #expect(found, "\(article): \(block)")
    }
  }

  @Test func `a wheel shows the rows around the selected one`() {
    var ana = ClientFixture()
    ana.join(
      """
      "definition":{"kind":"columns"},"status":"open","result":null,"columns":[{"generation":1,\
      "count":200,"from":10,"rows":[{"key":"k","text":"Ten"}],"row":10}]
      """)

    let rows = ana.state.columns[0].wheelRows(reach: 2)

    #expect(rows.map(\.id) == [8, 9, 10, 11, 12])
    #expect(rows.map(\.text) == ["…", "…", "Ten", "…", "…"])
  }

  @Test func `a month has weeks with bands and touches`() {
    var ana = ClientFixture()
    ana.join(calendarSnapshot(range: #"{"start":"2026-11-20","end":"2026-11-23","hits":2}"#))
    ana.give(.look(from: PickerMonth("2026-11")!, count: 1))
    ana.receive(monthsMessage("2026-11"))
    ana.receive(
      #"{"type":"presence","joined":[\#(bo)],"touching":[{"member":"m_bo","date":"2026-11-24"}]}"#)

    let weeks = ana.state.weeks(of: PickerMonth("2026-11")!)

    #expect(weeks.count == 6)
    #expect(weeks.allSatisfy { $0.count == 7 })
    let chosen = weeks.joined().filter { $0.band != nil }.map(\.id.iso)
    #expect(chosen == ["2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23"])
    #expect(weeks.joined().first { !$0.fingers.isEmpty }?.id.iso == "2026-11-24")
    #expect(ana.state.weeks(of: PickerMonth("2026-12")!) == [])
  }
}
