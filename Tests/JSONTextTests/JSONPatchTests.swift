import Foundation
import JSONText
import Testing

/// A case of the public test suite for RFC 6902.
struct PatchCase: CustomTestStringConvertible {
  let tree: JSONTree
  let name: String

  var testDescription: String { name }

  static let all: [PatchCase] = ["tests", "spec_tests"].flatMap { file in
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let data = try! Data(contentsOf: tests.appending(path: "golden/json-patch/\(file).json"))
    return cases(data).enumerated().map { index, tree in
      PatchCase(tree: tree, name: "\(file) \(index): \(tree["comment"]?.string ?? "")")
    }
  }

  /// Leaves out cases with duplicate names, which the strict parser refuses.
  private static func cases(_ data: Data) -> [JSONTree] {
    let all = try! JSONSerialization.jsonObject(with: data) as! [[String: Any]]
    return all.filter { $0["disabled"] as? Bool != true && $0["patch"] != nil }.map { one in
      let text = try! JSONSerialization.data(withJSONObject: one, options: [.fragmentsAllowed])
      return try! JSONTree.parse(Array(text))
    }
  }
}

@Suite struct JSONPatchTests {
  private func tree(_ text: String) throws -> JSONTree { try JSONTree.parse(Array(text.utf8)) }

  @Test func `all cases are found`() { #expect(PatchCase.all.count > 100) }

  @Test(arguments: PatchCase.all)
  func `the public test suite passes`(_ one: PatchCase) throws {
    let result = JSONPatchTests.apply(one.tree["patch"]!, to: one.tree["doc"]!)
    switch result {
    case .success(let patched):
      #expect(one.tree["error"] == nil, "\(one.name) must fail")
      if let expected = one.tree["expected"] {
        #expect(patched.isSameValue(as: expected), "\(one.name): \(patched)")
      }
    case .failure(let problem):
      #expect(one.tree["error"] != nil, "\(one.name): \(problem)")
    }
  }

  private static func apply(
    _ patch: JSONTree, to document: JSONTree, limits: JSONPatchLimits = JSONPatchLimits()
  ) -> Result<JSONTree, JSONPatchProblem> {
    do throws(JSONPatchProblem) {
      return .success(try JSONPatch(patch, limits: limits).apply(to: document))
    } catch {
      return .failure(error)
    }
  }

  @Test func `a patch is atomic, and malformed and failing patches are distinguished`() throws {
    let document = try tree(#"{"a":[1,2],"b":{"c":"d"}}"#)
    func problem(_ patch: String) throws -> JSONPatchProblem? {
      switch JSONPatchTests.apply(try tree(patch), to: document) {
      case .success: nil
      case .failure(let problem): problem
      }
    }
    for malformed in [
      "{}", "[1]", #"[{"op":"add","path":"/x"}]"#, #"[{"op":"add","path":"x","value":1}]"#,
      #"[{"op":"add","path":"/~2","value":1}]"#, #"[{"op":"move","path":"/x"}]"#,
      #"[{"op":"ADD","path":"/x","value":1}]"#, #"[{"op":"remove","path":7}]"#,
    ] {
      guard case .malformed? = try problem(malformed) else {
        Issue.record("\(malformed) was accepted")
        continue
      }
    }
    for failing in [
      #"[{"op":"remove","path":"/x"}]"#, #"[{"op":"remove","path":""}]"#,
      #"[{"op":"replace","path":"/a/2","value":1}]"#, #"[{"op":"add","path":"/a/3","value":1}]"#,
      #"[{"op":"add","path":"/a/01","value":1}]"#, #"[{"op":"add","path":"/b/c/d","value":1}]"#,
      #"[{"op":"move","from":"/b","path":"/b/c"}]"#, #"[{"op":"copy","from":"/x","path":"/y"}]"#,
      #"[{"op":"test","path":"/a/0","value":"1"}]"#, #"[{"op":"replace","path":"/a/-","value":1}]"#,
    ] {
      guard case .failed? = try problem(failing) else {
        Issue.record("\(failing) was applied")
        continue
      }
    }
  }

  /// Regression: a problem was as long as the patch.
  @Test func `a problem quotes the first 64 scalars of a path`() throws {
    let name = String(repeating: "a", count: 50_000)
    func patched(
      _ operation: String, _ document: JSONTree
    ) throws -> Result<JSONTree, JSONPatchProblem> {
      let patch = try tree(#"[{"op":"\#(operation)","path":"/\#(name)","value":1}]"#)
      return JSONPatchTests.apply(patch, to: document)
    }
    let quoted = "/" + name.prefix(63)
    for operation in ["remove", "replace", "test"] {
      let missing = try patched(operation, .object([]))
      #expect(missing == .failure(.failed("no value exists at \(quoted)")))
    }
    let failing = try patched("test", .object([.init(name, .integer(2))]))
    #expect(failing == .failure(.failed("the test at \(quoted) fails")))
  }

  @Test func `a patch that grows the document too much or has too many operations is refused`()
    throws
  {
    let copies = Array(
      repeating: #"{"op":"copy","from":"","path":"/-"}"#, count: 64
    ).joined(separator: ",")
    let doubled = JSONPatchTests.apply(try tree("[\(copies)]"), to: try tree("[1]"))
    guard case .failure(.tooLarge) = doubled else {
      Issue.record("the document was doubled 64 times")
      return
    }
    var limits = JSONPatchLimits()
    limits.operationsMax = 2
    let test = #"{"op":"test","path":"","value":{}}"#
    let empty = JSONTree.object([])
    guard
      case .success = JSONPatchTests.apply(try tree("[\(test),\(test)]"), to: empty, limits: limits),
      case .failure(.malformed) = JSONPatchTests.apply(
        try tree("[\(test),\(test),\(test)]"), to: empty, limits: limits)
    else {
      Issue.record("three operations were accepted")
      return
    }
    limits.sizeMax = 100
    for (count, fits) in [(80, true), (100, false)] {
      let value = String(repeating: "x", count: count)
      let adding = try tree(#"[{"op":"add","path":"/a","value":"\#(value)"}]"#)
      let result = JSONPatchTests.apply(adding, to: empty, limits: limits)
      #expect(((try? result.get()) != nil) == fits)
    }
  }

  @Test func `a patch counts the values that it adds and copies`() throws {
    let nodes = Array(repeating: JSONTree.object([]), count: 1_000)
    var operations = [try tree(#"{"op":"replace","path":"/nodes"}"#)]
    operations[0] = .object(operations[0].members! + [.init("value", .array(nodes))])
    for index in 0..<12 {
      operations.append(
        try tree(#"{"op":"copy","from":"/nodes","path":"/nodes/\#(index)/children"}"#))
    }
    let document = try tree(#"{"nodes":[]}"#)
    var limits = JSONPatchLimits()
    // The document has 2 values and gets 1,001, then 1,001 and 2,002 more.
    for (count, valuesMax, path) in [
      (3, 4_006, nil), (3, 4_005, "/nodes/1/children"), (13, 100_000, "/nodes/6/children"),
    ] {
      limits.valuesMax = valuesMax
      let patch = JSONTree.array(Array(operations.prefix(count)))
      switch JSONPatchTests.apply(patch, to: document, limits: limits) {
      case .success(let patched): #expect(path == nil && patched.extent.valueCount == 4_005)
      case .failure(.tooLarge(let found, let detail)):
        #expect(found.text == path && detail.hasSuffix("more than \(valuesMax) values"))
      case .failure(let problem): Issue.record("\(problem)")
      }
    }
  }

  @Test(arguments: [
    (#"[{"op":"add","path":"/list/0","value":1},{"op":"add","path":"/list/-","value":1}]"#, 100),
    (#"[{"op":"remove","path":"/list/0"},{"op":"remove","path":"/list/0"}]"#, 199),
    (#"[{"op":"replace","path":"/list/0","value":1}]"#, 0),
    (#"[{"op":"move","from":"/list/99","path":"/list/0"}]"#, 100),
    (#"[{"op":"test","path":"/names/n99","value":0}]"#, 100),
    (#"[{"op":"add","path":"/names/new","value":0}]"#, 101),
    (#"[{"op":"replace","path":"/names/n99","value":0}]"#, 100),
    (#"[{"op":"remove","path":"/names/n0"}]"#, 101),
    (#"[{"op":"copy","from":"/names/n99","path":"/names/n0"}]"#, 101),
  ])
  func `a patch counts the members that it compares and the values that it moves`(
    _ patch: String, _ steps: Int
  ) throws {
    // "names" is the second member: a step to pass the first.
    let names = (0..<100).map { JSONTree.Member("n\($0)", .integer(0)) }
    let list = Array(repeating: JSONTree.integer(0), count: 100)
    let document = JSONTree.object([.init("list", .array(list)), .init("names", .object(names))])
    var limits = JSONPatchLimits()
    limits.stepsMax = steps
    guard case .success = JSONPatchTests.apply(try tree(patch), to: document, limits: limits) else {
      Issue.record("more than \(steps) steps")
      return
    }
    limits.stepsMax = steps - 1
    guard
      case .failure(.tooMuchWork) = JSONPatchTests.apply(
        try tree(patch), to: document, limits: limits)
    else {
      Issue.record("less than \(steps) steps")
      return
    }
  }

  @Test func `values are compared once, however deep they are`() throws {
    // Twice at each level would take longer than the test can wait.
    var (left, right) = ("0", "0")
    for _ in 0..<60 {
      (left, right) = (#"{"a":\#(left),"b":1,"c":2}"#, #"{"a":\#(right),"c":2,"b":1}"#)
    }
    #expect(try tree(left).isSameValue(as: tree(right)))
  }

  @Test func `a patch that makes the document too deep is refused`() throws {
    func adding(_ arrays: Int, at path: String) throws -> JSONTree {
      let value = String(repeating: "[", count: arrays) + String(repeating: "]", count: arrays)
      return try tree(#"[{"op":"add","path":"\#(path)","value":\#(value)}]"#)
    }
    var limits = JSONPatchLimits()
    limits.depthMax = 4
    let document = try tree(#"{"a":{"b":[]},"c":7}"#)
    for (arrays, path, fits) in [
      (4, "", true), (5, "", false), (3, "/c", true), (4, "/c", false), (2, "/a/d", true),
      (3, "/a/d", false), (1, "/a/b/-", true), (2, "/a/b/-", false),
    ] {
      let result = JSONPatchTests.apply(try adding(arrays, at: path), to: document, limits: limits)
      #expect(((try? result.get()) != nil) == fits, "\(arrays) arrays at \(path)")
    }
    let replacing = try tree(#"[{"op":"replace","path":"/c","value":[[[[]]]]}]"#)
    let moving = try tree(#"[{"op":"move","from":"/a","path":"/e/f/g"}]"#)
    let deep = try tree(#"{"a":{"b":[]},"c":7,"e":{"f":{}}}"#)
    for patch in [replacing, moving] {
      guard case .failure(.tooLarge) = JSONPatchTests.apply(patch, to: deep, limits: limits) else {
        Issue.record("\(patch) was applied")
        continue
      }
    }
    // Each copy into itself doubles the depth, for two bytes of its pointer per level.
    var copies: [JSONTree] = []
    for step in 0..<10 {
      let path = String(repeating: "/a", count: 1 << step)
      copies.append(try tree(#"{"op":"copy","from":"","path":"\#(path)"}"#))
    }
    let copied = JSONPatchTests.apply(.array(copies), to: try tree(#"{"a":{}}"#))
    guard case .failure(.tooLarge) = copied else {
      Issue.record("the document was nested in itself ten times")
      return
    }
  }

  /// - Source: RFC 7396, appendix A.
  @Test(arguments: [
    (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
    (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
    (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"),
    (#"{"a":"foo"}"#, #""bar""#, #""bar""#), (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
    ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
    ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
  ])
  func `a merge patch reproduces the examples of RFC 7396`(
    _ document: String, _ patch: String, _ expected: String
  ) throws {
    #expect(try tree(document).merging(tree(patch)) == tree(expected))
  }

  @Test func `values are equal regardless of the order of members and the form of numbers`() throws
  {
    #expect(try tree(#"{"a":1,"b":[2.0]}"#).isSameValue(as: tree(#"{"b":[2],"a":1.0}"#)))
    #expect(!(try tree(#"{"a":1,"b":2}"#).isSameValue(as: tree(#"{"a":1,"c":2}"#))))
    #expect(!(try tree(#"[1,2]"#).isSameValue(as: tree(#"[2,1]"#))))
    #expect(!(try tree(#"{"é":1}"#).isSameValue(as: tree("{\"e\u{301}\":1}"))))
  }
}
