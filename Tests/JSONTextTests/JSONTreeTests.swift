import JSONText
import Testing

/// The tree parsed from a text, or the error.
private func tree(_ text: String, depthMax: Int = 64) -> Result<JSONTree, JSONError> {
  Result { () throws(JSONError) in try JSONTree.parse(Array(text.utf8), depthMax: depthMax) }
}

@Suite struct `A JSON text` {
  @Test func `has its members in the order of the text`() throws {
    let read = try tree(#" {"b": [1, -2, true, null], "a": {"": "x"}} "#).get()

    #expect(
      read
        == .object([
          .init("b", .array([.integer(1), .integer(-2), .bool(true), .null])),
          .init("a", .object([.init("", .string("x"))])),
        ]))
  }

  /// Regression: it was written as `inf`, so that what was stored could not be read.
  @Test(arguments: ["[1e400,-1e400]", "[1.5,-0.0,1e-7]"])
  func `fractions of any size are read as they were written`(text: String) throws {
    let tree = try JSONTree.parse(Array(text.utf8))
    #expect(try JSONTree.parse(tree.serialized()) == tree)
  }

  @Test(arguments: [
    ("0", JSONTree.integer(0)), ("-0", .integer(0)), ("9007199254740991", .integer(1 << 53 - 1)),
    ("9223372036854775807", .integer(.max)), ("9223372036854775808", .integer(.max)),
    ("-9223372036854775808", .integer(.min)), ("-99999999999999999999", .integer(.min)),
    ("1.0", .number(1)), ("1e2", .number(100)), ("-0.5E-1", .number(-0.05)),
  ])
  func `distinguishes integers from other numbers`(text: String, expected: JSONTree) throws {
    #expect(try tree(text).get() == expected)
  }

  @Test func `may have a number beyond binary64`() throws {
    #expect(try tree("1e400").get() == .number(.infinity))
  }

  @Test(arguments: [
    #""\"\\\/\b\f\n\r\t""#: "\"\\/\u{8}\u{C}\n\r\t", #""\u00e9\u4E2d""#: "é中",
    #""\ud83d\uDE00""#: "😀", #""日本""#: "日本",
  ])
  func `has its escapes resolved`(text: String, expected: String) throws {
    #expect(try tree(text).get() == .string(expected))
  }

  @Test(arguments: [
    "", " ", "{", "}", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}",
    "tru", "nulL", "+1", "01", "-", "1.", ".5", "1e", "1e+", "0x1", "NaN", "Infinity",
    "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\u{1}\"", "\"\t\"", "1 1", "[]]",
    "\u{FEFF}1", "/**/1",
  ])
  func `is refused if RFC 8259 does not allow it`(text: String) {
    #expect(throws: JSONError.self) { try tree(text).get() }
  }

  @Test(arguments: [#""\ud83d""#, #""\ude00""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\ud83d""#])
  func `is refused if a surrogate is unpaired`(text: String) {
    #expect(throws: JSONError.self) { try tree(text).get() }
  }

  @Test func `is refused if it is invalid UTF-8`() {
    for bytes: [UInt8] in [
      [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xFF, 0x22],
    ] {
      #expect(throws: JSONError.self) { try JSONTree.parse(bytes) }
    }
  }

  @Test func `is refused if an object has duplicate names`() {
    #expect(
      tree(#"{"a":1,"b":2,"a":3}"#)
        == .failure(JSONError(offset: 13, reason: "duplicate member name")))
  }

  @Test func `may have names that differ only in Unicode normalization`() throws {
    let read = try tree(#"{"\u00e9":1,"e\u0301":2}"#).get()

    #expect(read["\u{E9}"] == .integer(1))
    #expect(read["e\u{301}"] == .integer(2))
    #expect(read["e"] == nil)
  }

  @Test func `equals another tree only if their strings have the same bytes`() {
    let composed = JSONTree.string("\u{E9}")
    let decomposed = JSONTree.string("e\u{301}")

    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, composed]).count == 2)
    #expect(JSONTree.array([composed]) != .array([decomposed]))
    #expect(JSONTree.object([.init("\u{E9}", .null)]) != .object([.init("e\u{301}", .null)]))
  }

  @Test func `is refused over the maximum depth`() {
    let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)

    #expect(throws: Never.self) { try tree(deepest).get() }
    #expect(throws: JSONError.self) { try tree("[" + deepest + "]").get() }
  }

  @Test func `is refused over the maximum number of values`() {
    let four = Array(#"{"a":[1,"x"]}"#.utf8)

    #expect(throws: Never.self) { try JSONTree.parse(four, valuesMax: 4) }
    #expect(throws: JSONError.self) { try JSONTree.parse(four, valuesMax: 3) }
  }

  @Test func `is not parsed beyond the first value over the limit`() throws {
    let text = Array(("[" + String(repeating: "0,", count: 100_000) + "0]").utf8)

    let problem = #expect(throws: JSONError.self) { try JSONTree.parse(text, valuesMax: 10) }

    #expect((problem?.offset ?? .max) < 30)
  }

  @Test func `is refused over the maximum length of strings and names`() {
    for text in [#"["abcd"]"#, #"{"abcd":0}"#, #"["\u0041"]"#] {
      let text = Array(text.utf8)
      #expect(throws: Never.self) { try JSONTree.parse(text, stringBytesMax: 8) }
      #expect(throws: JSONError.self) { try JSONTree.parse(text, stringBytesMax: 5) }
    }
  }

  @Test func `names the value that exceeds a limit, and none for an error of syntax`() {
    func place(_ text: String) -> [String]? {
      let read = Result { () throws(JSONError) in
        try JSONTree.parse(Array(text.utf8), depthMax: 3, valuesMax: 6, stringBytesMax: 5)
      }
      guard case .failure(let error) = read else { return ["read"] }
      return error.place
    }

    #expect(place(#"{"a":[0,{"b":[]}]}"#) == ["a", "1", "b"])
    #expect(place(#"{"a":[0,1,2,3,4]}"#) == ["a", "4"])
    #expect(place(#"["abcdef"]"#) == ["0"])
    #expect(place(#"[0,{"abcdef":0}]"#) == ["1"])
    #expect(place(#""abcdef""#) == [])
    #expect(place(#"{"a":[0,}"#) == nil)
  }

  @Test func `finds duplicates among few names and among many`() throws {
    for count in [1, 2, 7, 8, 9, 50] {
      let members = (0..<count).map { "\"n\($0)\":0" }
      #expect(try tree("{" + members.joined(separator: ",") + "}").get().members?.count == count)
      for repeated in [0, count / 2, count - 1] {
        let twice = members + ["\"n\(repeated)\":0"]
        #expect(throws: JSONError.self, "\(count), \(repeated)") {
          try tree("{" + twice.joined(separator: ",") + "}").get()
        }
      }
    }
  }

  @Test(arguments: [
    #"{"b":[1,-2,true,null,false],"a":{"":"x"}}"#, #""\"\\\n\r\t\u0001\u001f/é😀""#, "[]", "{}",
    "-9223372036854775808", "1234567890123", "0.25",
  ])
  func `is serialized as it was parsed`(text: String) throws {
    #expect(String(decoding: try tree(text).get().serialized(), as: UTF8.self) == text)
  }
}
