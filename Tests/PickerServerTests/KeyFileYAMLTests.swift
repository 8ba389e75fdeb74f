import Foundation
import PickerSession
import Testing

@testable import PickerServer
@testable import PickerTools

/// Key files in YAML, and the lines that `pickerd key` changes.
@Suite struct KeyFileYAMLTests {
  private static let yaml = """
    # Keys of the shop; see the wiki.
    keys:
      # The web shop.
      - id: backend      # rotated in May
        scopes: [sessions, feed]
        sha256: \(TokenFixture.digest)
        networks:
          - 10.0.0.0/8
      # Tokens of the app.
      - id: app
        scopes: [tokens]
        alg: ES256
        publicKey: |
    \(TokenFixture.esPublic.split(separator: "\n").map { "      " + $0 }.joined(separator: "\n"))
    # The end.

    """

  private func change(
    _ text: String, _ body: (inout KeyFile) throws(KeyFileProblem) -> Void
  ) throws -> (text: String, notes: [String]) {
    let folder = try TemporaryFolder()
    let path = folder.path + "/keys.yaml"
    try folder.write(text, to: "keys.yaml")
    chmod(path, 0o600)
    var notes: [String] = []
    try KeyFile.change(path, creates: false, note: { notes.append($0) }, body)
    return (try String(contentsOfFile: path, encoding: .utf8), notes)
  }

  private func add(_ file: inout KeyFile) throws(KeyFileProblem) {
    _ = try file.add(NewKey(id: "new", scopes: [.feed]))
  }

  @Test func `a YAML file equals a JSON file of the same keys`() throws {
    let file = try KeyFile(content: Array(Self.yaml.utf8))

    #expect(file.keys.map(\.id) == ["backend", "app"])
    #expect(file.keys[0].networks == ["10.0.0.0/8"] && file.keys[1].tokenAlgorithm == .es256)
    #expect(try KeyFile(content: file.json).json == file.json)
  }

  @Test func `an added key is lines at the end, and comments stay`() throws {
    let (text, notes) = try change(Self.yaml, add)
    let before = Self.yaml.split(separator: "\n", omittingEmptySubsequences: false)
    let after = text.split(separator: "\n", omittingEmptySubsequences: false)

    #expect(after.count == before.count + 3)
    #expect(Array(after.prefix(17) + after.dropFirst(20)) == Array(before))
    #expect(after[17] == "  - id: \"new\"" && after[18] == "    scopes: [\"feed\"]")
    #expect(notes == ["lines 18 to 20 added; all others are unchanged"])
    #expect(try KeyFile(content: Array(text.utf8)).keys.map(\.id) == ["backend", "app", "new"])
  }

  @Test func `a revoked key is lines that are removed, and comments stay`() throws {
    let (text, notes) = try change(Self.yaml) { file throws(KeyFileProblem) in
      try file.revoke("backend")
    }

    #expect(notes == ["lines 4 to 8 removed; all others are unchanged"])
    #expect(text.hasPrefix("# Keys of the shop; see the wiki.\nkeys:\n  # The web shop.\n  # Tok"))
    #expect(text.hasSuffix("-----END PUBLIC KEY-----\n# The end.\n"))
    let (rest, _) = try change(text) { file throws(KeyFileProblem) in try file.revoke("app") }
    #expect(rest.contains("\nkeys: []\n") && rest.hasSuffix("# The end.\n"))
    let (full, _) = try change(rest, add)
    #expect(full.contains("\nkeys: \n  - id: \"new\"\n") && full.hasSuffix("# The end.\n"))
  }

  @Test(arguments: [
    "{keys: [{id: app, scopes: [feed], sha256: D}]} # mine\n", "keys: [\n  ]\n",
    "keys:\n  -\n    id: a\n    scopes: [feed]\n    sha256: D\n",
  ])
  func `a YAML file that cannot be changed by lines stays as it is`(text: String) throws {
    let text = text.replacing("D", with: TokenFixture.digest)
    _ = try KeyFile(content: Array(text.utf8))

    #expect { try change(text, add) } throws: { "\($0)".contains("with an editor") }
  }

  @Test(arguments: [
    ("a.yaml", "keys: \n  - id: \"new\"\n"), ("a.yml", "keys: \n  - id: \"new\"\n"),
    ("a.json", "{\"keys\":[\n{\"id\""),
  ])
  func `a new file is YAML if its name says so`(name: String, start: String) throws {
    let folder = try TemporaryFolder()
    try KeyFile.change(folder.path + "/" + name, creates: true) { file throws(KeyFileProblem) in
      try add(&file)
    }
    let text = try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
    #expect(text.hasPrefix(start), "\(text)")
  }

  @Test(arguments: [
    ("keys:\n  - id: a\n    scope: [feed]\n", "keys.yaml:3:5: keys[0] has the unknown field scope"),
    ("keys:\n  - id: a\n    scopes: [Feed]\n", "keys.yaml:3:13: the scopes of a must be different"),
    ("keys:\n  - id: a b\n", "keys.yaml:2:9: keys[0].id must be 1 to 64 letters"),
    ("keys:\n", "keys.yaml:1:1: keys must be a list of at most 1000 keys; an empty one is keys:"),
    ("keys:\n  - {id: a, scopes: [feed], sha256: 12}\n", "keys.yaml:2:37: sha256 of a must be 64"),
    ("keys:\n - id: a\n  scopes: [feed]\n", "keys.yaml:3:3: "),
  ])
  func `a problem names file, line, column and what would be right`(
    text: String, start: String
  ) throws {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "keys.yaml")
    chmod(folder.path + "/keys.yaml", 0o600)
    #expect {
      try KeyFile(path: folder.path + "/keys.yaml")
    } throws: { error in
      "\(error)".replacing(folder.path + "/", with: "").hasPrefix(start)
    }
  }
}
