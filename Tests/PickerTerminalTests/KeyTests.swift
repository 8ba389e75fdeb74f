import Testing

@testable import PickerTerminal

@Suite struct KeyTests {
  private func keys(_ pieces: String...) -> [Key] {
    var reader = KeyReader()
    return pieces.flatMap { reader.take(Array($0.utf8)) }
  }

  @Test func `letters and control keys are recognised`() {
    #expect(keys("u\t\r\u{3}") == [.letter("u"), .tab, .enter, .interrupt])
  }

  @Test(arguments: [
    ("\u{1B}[A", Key.up), ("\u{1B}OB", .down), ("\u{1B}[1;5C", .right), ("\u{1B}[D", .left),
    ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown), ("\u{1B}[H", .home), ("\u{1B}[4~", .end),
    ("\u{1B}[Z", .backTab), ("\u{1B}[6;2~", .pageDown),
  ])
  func `an escape sequence is a key`(text: String, key: Key) {
    #expect(keys(text) == [key])
  }

  @Test func `an escape sequence may arrive in parts`() {
    #expect(keys("\u{1B}", "[", "A", "\u{1B}[", "5", "~") == [.up, .pageUp])
  }

  @Test func `an escape is a key if nothing follows`() {
    var reader = KeyReader()

    #expect(reader.take([0x1B]) == [])
    #expect(reader.isIncomplete)
    #expect(reader.timeOut() == [.escape])
    #expect(!reader.isIncomplete)
    #expect(reader.timeOut() == [])
  }

  @Test func `two escapes are a key and the start of a sequence`() {
    var reader = KeyReader()

    #expect(reader.take([0x1B, 0x1B]) == [.escape])
    #expect(reader.timeOut() == [.escape])
  }

  @Test func `a character of several bytes may arrive in parts`() {
    var reader = KeyReader()
    let bytes = Array("ä年\u{7F}".utf8)

    #expect(bytes.flatMap { reader.take([$0]) } == [.letter("ä"), .letter("年"), .backspace])
    #expect(reader.take([0x80, 0xE5]) == [] && reader.isIncomplete)
    #expect(reader.timeOut() == [], "not the Escape key")
  }

  @Test func `unknown sequences are ignored`() {
    #expect(keys("\u{1B}[200~", "\u{1B}[99Q", "x") == [.letter("x")])
  }
}
