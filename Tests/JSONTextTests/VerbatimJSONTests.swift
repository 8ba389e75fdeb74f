import JSONText
import Testing

@Suite struct VerbatimJSONTests {
  @Test(arguments: [
    (
      #"{"meta": { "a" : 1.10 ,\#n\#t "b" : [1e400, 12345678901234567890] } }"#,
      #"{"a":1.10,"b":[1e400,12345678901234567890]}"#
    ),
    (#"{"x":{"meta":1},"meta":"a \" b\\"}"#, #""a \" b\\""#),
    (#"{"meta":"\u00e9 é","meta2":0}"#, #""\u00e9 é""#),
    (#"{"m\u0065ta":null}"#, "null"),
  ])
  func `a member is taken as it was written, on one line`(body: String, text: String) throws {
    #expect(try VerbatimJSON(member: "meta", of: Array(body.utf8))?.text == text)
  }

  @Test func `a member that is not there is nil`() throws {
    #expect(try VerbatimJSON(member: "meta", of: Array("{}".utf8)) == nil)
    #expect(try VerbatimJSON(member: "meta", of: Array(#"{"Meta":1}"#.utf8)) == nil)
  }

  @Test(arguments: ["", "[]", #"{"meta":}"#, #"{"meta":1"#.appending("x"), #"{"a":"#])
  func `what is no object is refused`(body: String) {
    #expect(throws: JSONError.self) {
      // Read to the end: the second member is not there.
      _ = try VerbatimJSON(member: "none", of: Array(body.utf8))
    }
  }
}
