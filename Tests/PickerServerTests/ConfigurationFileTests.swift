import Foundation
import Testing

@testable import PickerServer

@Suite struct ConfigurationFileTests {
  private func read(_ text: String) -> ConfigurationFile {
    ConfigurationFile(path: "p.yaml", content: Array(text.utf8))
  }

  @Test func `every setting but config is a field, with its line`() throws {
    for setting in Setting.allCases where setting != .config && setting != .limit {
      let file = read("# A comment.\n\(setting.rawValue): x\n")
      #expect(file.problems == [])
      let text = try #require(file.texts[setting])
      #expect(text.map(\.text) == ["x"])
      #expect("\(text[0].source)" == "p.yaml:2:\(setting.rawValue.count + 3)")
    }
    #expect(read("config: x").problems.count == 1)
  }

  @Test func `lists and limits have the places of their values`() {
    let file = read(
      "host: [a.org, b.org]\nlimit:\n  members: 50\n  undo: 7\norigin:\n- https://c.org\n")

    #expect(file.problems == [])
    #expect(
      file.texts[.host]?.map { "\($0.text) \($0.source)" } == [
        "a.org p.yaml:1:8", "b.org p.yaml:1:15",
      ])
    #expect(
      file.texts[.limit]?.map { "\($0.text) \($0.source)" }
        == ["members=50 p.yaml:3:12", "undo=7 p.yaml:4:9"])
    #expect(file.texts[.origin]?.map(\.text) == ["https://c.org"])
  }

  @Test func `a JSON file is read, too, and a field without a value has its default`() {
    let file = read("{\"listen\": \":0\", \"auth\": null, \"limit\": {\"undo\": 7}}")

    #expect(file.problems == [])
    #expect(file.texts.keys.sorted { $0.rawValue < $1.rawValue } == [.limit, .listen])
  }

  @Test(arguments: ["", "\n", "# listen: :0\n  # host: a.org\n", "---\n", "{}"])
  func `a file without settings is valid`(text: String) {
    #expect(read(text).problems == [] && read(text).texts.isEmpty)
  }

  @Test func `all fields with problems are reported with line and column`() {
    let problems = read(
      """
      listn: 127.0.0.1:80
      auth: [a, b]
      host:
        - {a: b}
      limit: 5
      store:
        sqlite: x
      """
    ).problems.map(\.description)

    #expect(problems.count == 4)
    #expect(problems[0].hasPrefix("p.yaml:1:1: “listn” is not a setting. The settings are listen,"))
    #expect(problems[1] == "p.yaml:2:7: auth must be one value")
    #expect(problems[2] == "p.yaml:4:5: host must be a list of texts")
    #expect(problems[3] == "p.yaml:7:3: store must be one value")
    #expect(
      read("limit: [a=1]").problems.map(\.description) == [
        "p.yaml:1:8: limit must be a mapping of names to numbers"
      ])
  }

  @Test func `a repeated field does not hide other problems`() {
    let problems = read("host: a\nspoons: 3\nhost: b\nlimit: {undo: 1, undo: 2}\nauth: [a]\n")
      .problems.map(\.description)

    #expect(
      problems.prefix(2) == [
        "p.yaml:3:1: a second field host; remove one of them",
        "p.yaml:4:18: a second field undo; remove one of them",
      ])
    #expect(problems.count == 4)
    #expect(problems.dropFirst(2).first?.hasPrefix("p.yaml:2:1: “spoons” is not") == true)
    #expect(problems.last == "p.yaml:5:7: auth must be one value")
  }

  @Test func `a file that cannot be read is reported with the reason`() {
    let missing = ConfigurationFile(path: "/nowhere/p.yaml")

    #expect(
      missing.problems.map(\.description) == [
        "/nowhere/p.yaml: it cannot be read: No such file or directory."
      ])
    #expect(
      ConfigurationFile(path: "/dev/null").problems.map(\.description) == [
        "/dev/null: it is not a regular file of at most 1048576 bytes."
      ])
  }

  @Test(arguments: [
    "a: b: c", "\t- x", "listen: 'x", "listen: :0\nlisten: :1", "- x", "[", "é: \u{1}",
  ])
  func `text that is no mapping of settings is refused with a position`(text: String) {
    let problems = read(text).problems.map(\.description)
    #expect(problems.count == 1)
    #expect(problems.first?.prefixMatch(of: #/p\.yaml:\d+:\d+: /#) != nil, "\(problems)")
  }

  @Test func `a file that is missing or too large is refused`() throws {
    #expect(ConfigurationFile(path: "/nowhere.yaml").problems.map(\.place) == ["/nowhere.yaml"])
    let folder = try TemporaryFolder()
    let path = folder.path + "/large.yaml"
    let comment = String(repeating: "#", count: ConfigurationFile.byteCountMax - 1) + "\n"
    try comment.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(ConfigurationFile(path: path).problems == [])
    try (comment + "#").write(toFile: path, atomically: true, encoding: .utf8)
    #expect(ConfigurationFile(path: path).problems.map(\.place) == [path])
  }
}
