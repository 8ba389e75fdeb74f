import Foundation
import JSONText
import Logging
import Synchronization
import Testing

@testable import PickerServer

@Suite struct LineLogHandlerTests {
  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

  /// A logger and the lines that it writes.
  private static func logger(_ format: LogFormat, _ level: Logger.Level = .notice) -> (
    Logger, Lines
  ) {
    let lines = Lines()
    let logger = Logger(label: "test") { _ in
      LineLogHandler(level, format) { line in lines.all.withLock { $0.append(line) } }
    }
    return (logger, lines)
  }

  @Test func `a line of text has the time, the level, the message and the metadata`() throws {
    let (logger, lines) = Self.logger(.text)

    logger.warning("the store is slow", metadata: ["loop": "1", "batch": "7"])

    let line = try #require(lines.all.withLock { $0 }.first)
    #expect(line.hasSuffix("Z warning the store is slow batch=7 loop=1\n"))
  }

  @Test func `a line of JSON is one object`() throws {
    let (logger, lines) = Self.logger(.json)

    logger.error("a \"quote\"\nand a newline", metadata: ["connection": "c\u{1}"])

    let line = try #require(lines.all.withLock { $0 }.first)
    #expect(line.filter { $0 == "\n" }.count == 1)
    let object = try JSONTree.parse(Array(line.dropLast().utf8))
    #expect(object["level"]?.string == "error")
    #expect(object["message"]?.string == "a \"quote\"\nand a newline")
    #expect(object["connection"]?.string == "c\u{1}")
  }

  @Test func `newlines in messages are escaped`() {
    let (logger, lines) = Self.logger(.text)

    logger.notice("first\nsecond")

    #expect(lines.all.withLock { $0 }.first?.hasSuffix("first\\u{a}second\n") == true)
  }

  @Test func `long messages are truncated`() {
    let (logger, lines) = Self.logger(.text)

    logger.notice("\(String(repeating: "x", count: 100_000))")

    #expect(lines.all.withLock { $0 }.first?.filter { $0 == "x" }.count == 2000)
  }

  @Test func `events below the level are not written`() {
    let (logger, lines) = Self.logger(.text, .warning)

    logger.notice("a detail")

    #expect(lines.all.withLock { $0 } == [])
  }
}
