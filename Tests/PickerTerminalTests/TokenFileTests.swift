import Foundation
import JSONText
import Testing

@testable import PickerClient
@testable import PickerTerminal

/// The file of `--token-file`, and what the user reads while its token is not accepted.
@Suite struct TokenFileTests {
  @Test func `the same token is used again after 4301 only`() throws {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "token-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }
    try Data("first\n".utf8).write(to: url)
    let file = TokenFile(path: url.path)
    #expect(try file.read() == "first")

    #expect(try file.next(after: 4301) == "first")
    for code in [nil, 4302, 4403] {
      #expect(throws: TokenFile.Problem.self) { try file.next(after: code) }
    }
    try Data("second\n".utf8).write(to: url)

    #expect(try file.next(after: 4403) == "second")
  }

  /// A client whose token was rejected as often as given.
  private static func rejected(_ count: Int) -> [PickerState] {
    var machine = ClientMachine(ClientProfile(token: "t"), renewsTokens: true)
    var (now, states): (Int64, [PickerState]) = (0, [])
    func give(_ event: ClientEvent) {
      if machine.handle(event, at: now).contains(.changed) { states.append(machine.state) }
    }
    give(.start)
    for _ in 0..<count {
      give(.opened)
      give(.received(Array(#"{"type":"error","code":"badToken","detail":"unknown key"}"#.utf8)))
      give(.closed(code: 4301))
      now = machine.nextTick ?? now
      give(.tick)
      give(.tokenProvided("t"))
    }
    return states
  }

  @Test func `the user reads once that a token is missing, and why`() {
    var format = PlainFormat()

    let lines = Self.rejected(3).flatMap { format.lines(for: $0) }

    #expect(lines == ["* connecting", "* waiting for a token: unknown key"])
  }

  @Test func `with --json the waiting connection has the close code`() throws {
    var format = JSONFormat()
    let lines = Self.rejected(1).flatMap { format.lines(for: $0) }

    let waiting = try #require(lines.first { $0.contains(#""waiting""#) })
    let object = try JSONTree.parse(Array(waiting.utf8))
    #expect(object["waitingForToken"] == .bool(true) && object["close"]?.integer == 4301)
    #expect(object["detail"]?.string == "unknown key")
  }
}
