import Foundation
import Testing

/// Rules of style that hold for the whole repository.
///
/// - Source: ARCHITECTURE.md, "The path of a tap" and "Invariants".
@Suite struct StyleTests {
  /// The modules of the pure core, without I/O, clock and randomness.
  private static let core = [
    "CivilTime", "JSONText", "PickerModel", "PickerSession", "PickerWire", "PickerHub",
    "PickerHost",
  ]
  /// The modules in dependency order: each may import those before it.
  private static let line =
    core + [
      "Machine", "SessionLog", "WebSocketTransport", "PickerServer", "PickerTools", "pickerd",
    ]

  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  /// A file of the repository, with its path relative to the root.
  private struct Source {
    let path: String
    let lines: [Substring]
    var module: String { String(path.split(separator: "/")[1]) }
    var name: String { String(path.split(separator: "/").last!) }
  }

  /// The files below `folder` with one of `extensions`, without generated ones.
  private static func sources(in folder: String, _ extensions: String...) throws -> [Source] {
    let start = root + "/" + folder
    guard let walk = FileManager.default.enumerator(atPath: start) else { return [] }
    var sources: [Source] = []
    for case let path as String in walk {
      let kind = path.split(separator: ".").last.map(String.init) ?? ""
      guard extensions.contains(kind), !path.contains("__pycache__") else { continue }
      let text = try String(contentsOfFile: start + "/" + path, encoding: .utf8)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      sources.append(Source(path: folder + "/" + path, lines: lines))
    }
    return sources.sorted { $0.path < $1.path }
  }

  private static func imports(of source: Source) -> [String] {
    source.lines.compactMap { line in
      let words = line.split(separator: " ")
      guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count,
        words[..<keyword].allSatisfy({ $0.hasPrefix("@") || $0 == "package" || $0 == "public" })
      else { return nil }
      return String(words[keyword + 1])
    }
  }

  @Test func `sources are found`() throws {
    #expect(try Self.sources(in: "Sources", "swift", "c", "h").count > 20)
  }

  @Test func `the core imports only the core and collections`() throws {
    let allowed = Set(Self.core + ["DequeModule", "HeapModule"])
    for source in try Self.sources(in: "Sources", "swift") where Self.core.contains(source.module) {
      let foreign = Self.imports(of: source).filter { !allowed.contains($0) }
      #expect(foreign == [], "\(source.path)")
    }
  }

  @Test func `clients import no server modules`() throws {
    let server = Set(Self.line).subtracting(["CivilTime", "JSONText"])
    for source in try Self.sources(in: "Sources", "swift")
    where ["PickerClient", "PickerTerminal"].contains(source.module) {
      #expect(Self.imports(of: source).filter(server.contains) == [], "\(source.path)")
    }
  }

  @Test func `modules import only modules before them in dependency order`() throws {
    for source in try Self.sources(in: "Sources", "swift") {
      guard let place = Self.line.firstIndex(of: source.module) else { continue }
      let later = Self.imports(of: source).filter { Self.line[place...].contains($0) }
      #expect(later == [], "\(source.path)")
    }
  }

  @Test func `only the C targets include libwebsockets`() throws {
    for source in try Self.sources(in: "Sources", "c", "h")
    where source.lines.contains(where: { $0.contains("#include <libwebsockets.h>") }) {
      #expect(
        ["CWebSocketLoop", "CWebSocketClient", "CLibWebSockets"].contains(source.module)
          && !source.path.contains("include/"),
        "\(source.path): Swift would see libwebsockets' own header")
    }
  }

  @Test func `a line has at most 100 columns`() throws {
    for source in try Self.sources(in: "Sources", "swift", "c", "h") {
      for (index, line) in source.lines.enumerated() {
        #expect(line.count <= 100, "\(source.path):\(index + 1)")
      }
    }
  }

  @Test func `the body of a function has at most 60 lines`() throws {
    let declaration =
      /^ *(?:(?:@|package|public|private|fileprivate|static|mutating).* )?(?:func|init|deinit)\b.*/
    for source in try Self.sources(in: "Sources", "swift") {
      var index = 0
      while index < source.lines.count {
        defer { index += 1 }
        let line = source.lines[index]
        guard line.wholeMatch(of: declaration) != nil, !line.hasSuffix("}") else { continue }
        let indentation = line.prefix { $0 == " " }
        // The brace of a body ends a line that is the declaration's first one or closes its
        // parameters; a declaration in a protocol has none.
        guard
          let start = source.lines[index...].firstIndex(where: { line in
            line.hasSuffix("{")
              && (line == source.lines[index] || line.hasPrefix(indentation + ")"))
          }),
          let end = source.lines[start...].firstIndex(where: { $0 == indentation + "}" })
        else { continue }
        #expect(end - start <= 61, "\(source.path):\(index + 1)")
      }
    }
  }

  @Test func `file names have no meaningless words`() throws {
    let vague = ["util", "manager", "helper", "item", "option", "room", "user", "misc"]
    for source in try Self.sources(in: "Sources", "swift", "c", "h") {
      let words = Self.words(of: source.name)
      #expect(words.isDisjoint(with: vague + vague.map { $0 + "s" }), "\(source.path)")
    }
  }

  @Test func `no two files have the same name`() throws {
    let sources = try Self.sources(in: "Sources", "swift")
    for (name, same) in Dictionary(grouping: sources, by: \.name) where same.count > 1 {
      Issue.record("\(name): \(same.map(\.path).sorted())")
    }
  }

  @Test func `type names have no meaningless words`() throws {
    let vague: Set = ["util", "utils", "manager", "helper", "helpers", "misc"]
    let declaration = /\b(?:class|struct|enum|actor|protocol)\s+([A-Z]\w+)/
    for source in try Self.sources(in: "Sources", "swift") {
      for line in source.lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        guard let name = line.firstMatch(of: declaration)?.1 else { continue }
        #expect(Self.words(of: String(name)).isDisjoint(with: vague), "\(source.path): \(name)")
      }
    }
  }

  @Test func `sources have no marks of unfinished work`() throws {
    // Split, so that this file does not match.
    let marks = [
      "TO" + "DO", "FIX" + "ME", "XX" + "X", "not " + "implemented yet", "place" + "holder",
    ]
    for folder in ["Sources", "Tests", "deploy"] {
      for source in try Self.sources(in: folder, "swift", "c", "h", "py", "sh", "mjs") {
        for (index, line) in source.lines.enumerated() {
          let found = marks.filter { line.contains($0) }
          #expect(found == [], "\(source.path):\(index + 1)")
        }
      }
    }
  }

  @Test func `the repository has only the top-level folders of the design`() throws {
    let allowed: Set = ["Sources", "Tests", "web", "deploy"]
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.root).filter { name in
      var isFolder: ObjCBool = false
      let exists = FileManager.default.fileExists(
        atPath: Self.root + "/" + name, isDirectory: &isFolder)
      return exists && isFolder.boolValue && !name.hasPrefix(".")
    }
    #expect(Set(folders).subtracting(allowed) == [])
  }

  @Test(arguments: ["ARCHITECTURE.md", "README.md", "deploy/README.md"])
  func `files named in documents exist`(document: String) throws {
    let text = try String(contentsOfFile: Self.root + "/" + document, encoding: .utf8)
    let prefixes = ["Sources/", "Tests/", "web/", "deploy/", ".ci/"]
    let named = text.matches(of: /[`(]([\w.][\w.\/+-]*)[`)]/).map { String($0.1) }
    let paths = named.filter { name in prefixes.contains(where: name.hasPrefix) }
    for path in Set(paths).sorted() {
      #expect(FileManager.default.fileExists(atPath: Self.root + "/" + path), "\(path)")
    }
    #expect(!paths.isEmpty)
  }

  @Test(arguments: ["Package.swift", "Tests/bench/nio/Package.swift"])
  func `dependencies have exact versions`(manifest: String) throws {
    let text = try String(contentsOfFile: Self.root + "/" + manifest, encoding: .utf8)
    let packages = text.split(separator: "\n").filter { $0.contains(".package(url:") }
    #expect(!packages.isEmpty)
    for line in packages { #expect(line.contains("exact: \""), "\(line)") }
  }

  @Test func `every module is in ARCHITECTURE.md`() throws {
    let text = try String(contentsOfFile: Self.root + "/ARCHITECTURE.md", encoding: .utf8)
    let modules = Set(try Self.sources(in: "Sources", "swift", "c").map(\.module))
    for module in modules.sorted() { #expect(text.contains("`\(module)`"), "\(module)") }
  }

  /// The words of a camel-case name in lower case, without its extension.
  private static func words(of name: String) -> Set<String> {
    let stem = name.prefix { $0 != "." }
    return Set(stem.matches(of: /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/).map { $0.0.lowercased() })
  }
}
