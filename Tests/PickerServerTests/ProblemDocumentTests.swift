import JSONText
import Testing

@testable import PickerServer

@Suite struct ProblemDocumentTests {
  @Test func `a problem has type, title, status, code and detail`() {
    let problem = ProblemDocument(
      status: 422, code: "badDefinition", detail: "7 does not divide 60", pointer: "/stepMinutes")

    #expect(
      String(decoding: problem.bytes, as: UTF8.self)
        == #"{"type":"about:blank","title":"Unprocessable Content","status":422,"#
        + #""code":"badDefinition","detail":"7 does not divide 60","pointer":"/stepMinutes"}"#)
  }

  @Test func `a pointer to the root is encoded, an absent one is not`() throws {
    let root = ProblemDocument(status: 422, code: "badDefinition", detail: "no object", pointer: "")
    let none = ProblemDocument(status: 404, code: "noSuchSession", detail: "no such session")

    #expect(try JSONTree.parse(root.bytes)["pointer"] == .string(""))
    #expect(try JSONTree.parse(none.bytes)["pointer"] == nil)
  }

  @Test func `quoted text in a detail is escaped`() throws {
    let detail = "\u{0}\u{1f}\"\\\n\u{2028}𝄞" + String(repeating: "é", count: 1_000)
    let problem = ProblemDocument(status: 400, code: "badRequest", detail: detail)

    #expect(try JSONTree.parse(problem.bytes)["detail"] == .string(detail))
  }

  @Test(arguments: [400, 401, 403, 404, 405, 413, 421, 422, 426, 429, 503])
  func `every status that pickerd sends has a reason phrase`(status: Int) throws {
    let problem = ProblemDocument(status: status, code: "x", detail: "x")

    let title = try JSONTree.parse(problem.bytes)["title"]?.string

    #expect(title != nil && title != "Client Error" && title != "Server Error")
  }
}
