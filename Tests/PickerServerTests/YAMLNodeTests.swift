import Foundation
import Testing

@testable import PickerServer

@Suite struct YAMLNodeTests {
  private func problem(_ text: String) -> String {
    do throws(KeyFileProblem) {
      _ = try YAMLNode(Array(text.utf8))
      return "accepted"
    } catch {
      return error.description
    }
  }

  @Test func `JSON and YAML of the same content are equal`() throws {
    let yaml = """
      # The keys of the shop.
      a: 0012   # a text, not a number
      b:
        - x
        - "y\\tz"
      c: {d: [no, ~]}
      """
    let json = #"{"a":"0012","b":["x","y\tz"],"c":{"d":["no",null]}}"#
    for text in [yaml, json, json.replacing(",", with: " ,\n  "), "\u{FEFF}" + json] {
      let node = try YAMLNode(Array(text.utf8))
      #expect(node["a"]?.text == "0012")
      #expect(node["b"]?.list?.map(\.text) == ["x", "y\tz"])
      let list = node["c"]?["d"]?.list
      #expect(list?.count == 2 && list?[0].text == "no" && list?[1].text == nil)
    }
  }

  @Test func `a block scalar is a text with its line breaks`() throws {
    let node = try YAMLNode(Array("pem: |\n  -----BEGIN\n  abc\nnext: 1\n".utf8))
    #expect(node["pem"]?.text == "-----BEGIN\nabc\n")
    #expect(node["next"]?.position.line == 4)
  }

  @Test(arguments: [
    ("", "1:1: the file is empty"), ("# only a comment\n", "1:1: the file is empty"),
    ("a:\n\t- b", "2:1: "), ("a: b: c", "1:5: mapping values are not allowed"),
    ("a: [b", "2:1: "), ("{\"a\":", "2:1: "), ("a: 1\nb: 2\na: 3", "3:1: a second field a"),
    ("a: 1\n---\nb: 2", "2:1: a second document"), ("a: &x 1\nb: *x", "2:4: aliases"),
    ("a: !!int 1", "1:4: tags"), ("? [a]\n: b", "1:3: the name of a field"),
    ("a: \"\\ud83d\"", "1:7: "), ("é: \u{1}", "1:4: control characters are not allowed"),
    ("[[[[[[[[1]]]]]]]]", "1:9: the file has more than 8 levels"),
  ])
  func `text that is not a tree of texts is refused at its position`(text: String, start: String) {
    #expect(problem(text).hasPrefix(start), "\(problem(text))")
  }

  @Test func `bytes that are not UTF-8 are refused at their position`() {
    #expect {
      try YAMLNode(Array("a: 1\nbé: ".utf8) + [0xFF])
    } throws: { error in
      "\(error)".hasPrefix("2:5: ") && "\(error)".contains("UTF-8")
    }
  }

  @Test func `a tree has a maximum number of nodes`() throws {
    func list(_ count: Int) -> String {
      "[" + Array(repeating: "a", count: count).joined(separator: ",") + "]"
    }
    _ = try YAMLNode(Array(list(YAMLNode.nodesMax - 1).utf8))
    #expect(problem(list(YAMLNode.nodesMax)).contains("100000 values"))
  }

  @Test func `a billion laughs and deep brackets are refused`() {
    var bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    for (name, last) in zip("bcdefghij", "abcdefghi") {
      let laughs = Array(repeating: "*\(last)", count: 9).joined(separator: ",")
      bomb += "\(name): &\(name) [\(laughs)]\n"
    }
    #expect(problem(bomb).hasPrefix("2:8: aliases"))
    let depth = String(repeating: "[", count: 1_000_000)
    let blocks = String(repeating: "- ", count: 500_000)
    #expect(problem(depth).contains("8 levels") && problem(blocks).contains("8 levels"))
  }
}
