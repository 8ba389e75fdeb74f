import Foundation
import Testing

/// Rules of prose: standard terms, the width of lines, and that a page mentions every file.
///
/// - Source: ARCHITECTURE.md, "Where each kind of code lives".
@Suite struct ProseTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  private struct Text {
    let path: String
    let lines: [Substring]
  }

  /// The texts below the folders of the repository, and at its top, with one of `extensions`.
  private static func texts(_ extensions: String...) throws -> [Text] {
    let top = try FileManager.default.contentsOfDirectory(atPath: root).map { $0 }
    let below = ["Sources", "Tests", "web", "deploy"].flatMap { folder -> [String] in
      guard let walk = FileManager.default.enumerator(atPath: root + "/" + folder) else {
        return []
      }
      return walk.compactMap { ($0 as? String).map { folder + "/" + $0 } }
    }
    return try (top + below).sorted().compactMap { path -> Text? in
      let kind = path.split(separator: ".").last.map(String.init) ?? ""
      guard extensions.contains(kind), !path.hasPrefix("Tests/golden") else { return nil }
      let text = try String(contentsOfFile: root + "/" + path, encoding: .utf8)
      return Text(path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }
  }

  @Test func `the standard terms are used`() throws {
    // Each is written in two parts, so that this file does not find itself.
    let refused = [
      "oct" + "et", "turn of " + "the loop", "call of " + "the kernel", "calls of " + "the kernel",
      "without " + "ado", "leave " + "word", "leaves " + "word", "he" + "arer", "fare" + "well",
      "lets " + "go of", "well " + "again", "hangs " + "up on", "takes " + "word",
    ]
    var found: [String] = []
    for text in try Self.texts("swift", "c", "h", "js", "mjs", "py", "md", "sh", "html") {
      let whole = text.lines.joined(separator: "\n").lowercased()
      guard refused.contains(where: whole.contains) else { continue }
      for (index, line) in text.lines.enumerated() {
        let plain = line.lowercased().replacingOccurrences(of: "oct" + "et-stream", with: "")
        // Quotations from RFCs may use other terms.
        if plain.contains("rfc") && plain.contains("\"") { continue }
        for term in refused where plain.contains(term) {
          found.append("\(text.path):\(index + 1): \(term)")
        }
      }
    }
    #expect(found == [])
  }

  @Test func `data is sent, received and reported, in comments and in names`() throws {
    // Each is written in two parts, so that this file does not find itself.
    let refused: Set = [
      "te" + "ll", "te" + "lls", "to" + "ld", "cha" + "nce", "cha" + "nces", "me" + "nd",
      "me" + "nds", "me" + "nded", "who" + "ever", "he" + "ar", "he" + "ars", "he" + "ard",
    ]
    var found: [String] = []
    for text in try Self.texts("swift", "c", "h", "py", "md", "js", "mjs", "html")
    where !text.path.hasPrefix("Tests/product/clients/") {
      for (index, line) in text.lines.enumerated() {
        let plain = line.lowercased()
        guard refused.contains(where: plain.contains) else { continue }
        // The words of a name in camel case, too.
        let words = line.matches(of: /[A-Z]?[a-z]+/).map { $0.0.lowercased() }
        for word in words where refused.contains(word) {
          found.append("\(text.path):\(index + 1): \(word)")
        }
      }
    }
    #expect(found == [])
  }

  @Test func `prose has at most 100 columns`() throws {
    var found: [String] = []
    for text in try Self.texts("md") {
      var isCode = false
      for (index, line) in text.lines.enumerated() {
        if line.drop(while: { $0 == " " }).hasPrefix("```") { isCode.toggle() }
        let isOther = ["|", "    ", "![", "<img"].contains { line.hasPrefix($0) }
        if isCode || isOther || line.contains("://") { continue }
        if line.count > 100 { found.append("\(text.path):\(index + 1) has \(line.count) columns") }
      }
    }
    #expect(found == [])
  }

  @Test func `every page that the code refers to exists`() throws {
    let pages = try Self.texts("md").map { "/" + $0.path }
    var found: [String] = []
    for text in try Self.texts("swift", "c", "h", "js", "ts", "py") {
      // The documentation's generator makes pages; test_docs.py follows all links between them.
      if text.path.hasPrefix("web/docs/") || text.path.hasSuffix("_docs.py") { continue }
      for (index, line) in text.lines.enumerated() where line.contains(".md") {
        for name in line.matches(of: /[A-Za-z0-9\/._+-]+\.md\b/).map({ String($0.0) }) {
          let ending = name.hasPrefix("/") ? name : "/" + name
          let isInstalled = ending.hasPrefix("/usr/share/doc/")
          guard !isInstalled, !pages.contains(where: { $0.hasSuffix(ending) }) else { continue }
          found.append("\(text.path):\(index + 1): \(name)")
        }
      }
    }
    #expect(found == [])
  }

  @Test func `every target, every test folder and every file to deploy is on a page`() throws {
    let pages = try Self.texts("md").map { $0.lines.joined(separator: "\n") }.joined()
    let names = try ["Sources", "Tests", "deploy", "web/guide", "web/client"].flatMap {
      try FileManager.default.contentsOfDirectory(atPath: Self.root + "/" + $0)
    }
    let missing = names.filter { !$0.hasPrefix(".") && !$0.hasPrefix("__") && !pages.contains($0) }
    #expect(missing.sorted() == [])
  }
}
