import Testing

@testable import PickerTerminal

@Suite struct CanvasTests {
  @Test func `text that does not fit is truncated with an ellipsis`() {
    var canvas = Canvas(width: 8, height: 2)

    canvas.put("a long line", x: 1, y: 0)
    canvas.put("below", x: 0, y: 2)

    #expect(canvas.lines == [" a long…", ""])
  }

  @Test func `a wide character takes two cells, a combining mark none`() {
    var canvas = Canvas(width: 8, height: 1)

    let end = canvas.put("年e\u{301}", x: 0, y: 0)
    canvas.put("|", x: end, y: 0)

    #expect(end == 3)
    #expect(canvas.lines == ["年e\u{301}|"])
  }

  @Test func `a wide character is never drawn by half`() {
    var canvas = Canvas(width: 3, height: 1)

    canvas.put("年年", x: 0, y: 0)

    #expect(canvas.lines == ["年…"])
  }

  @Test func `only changed rows are written`() {
    var before = Canvas(width: 4, height: 3)
    before.put("same", x: 0, y: 0)
    var after = before
    after.put("new", x: 0, y: 1)

    #expect(after.sequence(after: after, .none) == "")
    #expect(
      after.sequence(after: before, .none) == "\u{1B}[2;1H\u{1B}[0mnew \u{1B}[0m")
    #expect(after.sequence(after: nil, .none).contains("same"))
    let other = Canvas(width: 5, height: 3)
    #expect(after.sequence(after: other, .none).contains("same"), "a new size redraws everything")
  }

  @Test func `control characters in texts are not written to the terminal`() {
    var canvas = Canvas(width: 20, height: 1)

    canvas.put("a\u{1B}[2J\u{9B}1m\n\u{202E}b", x: 0, y: 0)

    #expect(canvas.lines == ["a [2J 1m  b"])
  }

  @Test(arguments: [
    (["TERM": "xterm", "COLORTERM": "truecolor"], ColorDepth.full),
    (["TERM": "xterm-256color"], .palette), (["TERM": "dumb"], .none), ([:], .none),
    (["TERM": "xterm", "NO_COLOR": "1"], .none), (["TERM": "xterm", "NO_COLOR": ""], .palette),
  ])
  func `the environment determines the colour depth`(
    environment: [String: String], depth: ColorDepth
  ) {
    #expect(ColorDepth(environment) == depth)
  }

  @Test func `a colour is a palette code or an RGB code`() {
    #expect(ColorDepth.full.code(of: "#d1495b") == "38;2;209;73;91")
    #expect(ColorDepth.palette.code(of: "#ffffff") == "38;5;231")
    #expect(ColorDepth.palette.code(of: "#000000") == "38;5;16")
    #expect(ColorDepth.none.code(of: "#d1495b") == nil)
    #expect(ColorDepth.full.code(of: "red") == nil)
  }
}
