import Foundation
import Testing

/// The files of CWebSocketLoop form layers: none uses a function of a file that comes after it in
/// `private.h`. None replaces a function of a library.
@Suite struct CLayerTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/CWebSocketLoop")

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
  }

  /// The `.c` files in the order of `private.h`, the lowest first.
  private static func order() throws -> [String] {
    try text("private.h").matches(of: /\/\/\/ {5}(\w+\.c) +\w/).map { String($0.1) }
  }

  private static func sources() throws -> [(path: String, source: CSource)] {
    try order().map { (path: $0, source: CSource(try text($0))) }
  }

  /// Sentences about the functions that a file uses although a later file defines them.
  private static func violations(_ files: [(path: String, source: CSource)]) -> [String] {
    var layers: [Substring: Int] = [:]
    for (layer, file) in files.enumerated() {
      for name in file.source.externalFunctions { layers[name] = layer }
    }
    return files.enumerated().flatMap { layer, file in
      Set(file.source.tokens).sorted().compactMap { name in
        guard let other = layers[name], other > layer else { return nil }
        return "\(file.path) uses \(name) of \(files[other].path)"
      }
    }
  }

  @Test func `no C file uses a function of a higher layer`() throws {
    let found = Self.violations(try Self.sources())
    #expect(found == [])
  }

  /// A function with another name could be one of a library, which the linker would then prefer.
  @Test func `the names of all external functions begin with wsl_`() throws {
    let names = try Self.sources().flatMap { $0.source.externalFunctions }
    #expect(names.count > 50)
    #expect(names.filter { !$0.hasPrefix("wsl_") } == [])
  }

  @Test func `private.h lists every C file once`() throws {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path)
    let listed = try Self.order().sorted()
    #expect(listed == paths.filter { $0.hasSuffix(".c") }.sorted())
  }

  @Test(arguments: ["private.h", "include/CWebSocketLoop.h"])
  func `the definition of every declared function is found`(header: String) throws {
    let defined = try Self.sources().reduce(into: Set<Substring>()) {
      $0.formUnion($1.source.externalFunctions)
    }
    let tokens = CSource(try Self.text(header)).tokens
    let declared = zip(tokens, tokens.dropFirst()).filter {
      $0.0.hasPrefix("wsl_") && $0.1 == "("
    }
    #expect(!declared.isEmpty)
    #expect(declared.map(\.0).filter { !defined.contains($0) } == [])
  }

  @Test func `reversed layers are violations`() throws {
    let found = Self.violations(try Self.sources().reversed())
    #expect(found.contains("loop.c uses wsl_flush of send.c"))
    #expect(found.contains("sockets.c uses wsl_leave of slots.c"))
  }

  @Test(arguments: [
    ("void low(void) { high(1); }", true),
    ("static const callback table[] = {high};", true),
    ("void low(void) { set(high); }", true),
    ("void low(void) { low(); }", false),
    ("// high();\n/* high(); */\nvoid low(void) { log(\"high()\"); }", false),
    ("#define CALL \\\n  high()\nvoid low(void) { char quote = '\"'; }", false),
  ])
  func `a use counts, a comment or a literal does not`(low: String, isViolation: Bool) {
    let high = CSource("int high(\n    int number) {\n  return number;\n}")
    let found = Self.violations([("low.c", CSource(low)), ("high.c", high)])
    #expect(found == (isViolation ? ["low.c uses high of high.c"] : []))
  }

  @Test func `a static function is not external`() {
    let source = CSource(
      """
      enum { COUNT = 1 };
      struct pair { int first, second; };
      __attribute__((constructor)) static void start(void) {}
      static int hidden(int number) { return number; }
      const char *shown(const char *text) { if (text) { return text; } return hidden(0); }
      """)
    #expect(source.externalFunctions == ["shown"])
  }
}
