import Foundation
import PickerSession
import Testing

@testable import PickerServer
@testable import PickerTools

/// Key files in YAML.
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
  ) throws -> String {
    let folder = try TemporaryFolder()
    let path = folder.path + "/keys.yaml"
    try folder.write(text, to: "keys.yaml")
    chmod(path, 0o600)
    defer { #expect(throws: Never.self) { try KeyFile(path: path) } }
    try KeyFile.change(path, creates: false, body)
    return try String(contentsOfFile: path, encoding: .utf8)
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

  @Test func `a YAML file is written as JSON`() throws {
    let plain = Self.yaml.replacing(#/ *#.*\n/#, with: "\n")
    let old = try KeyFile(content: Array(plain.utf8))

    let text = try change(plain, add)

    #expect(text.hasPrefix("{\"keys\":[\n{\"id\""))
    let new = try KeyFile(content: Array(text.utf8))
    #expect(new.keys.map(\.id) == ["backend", "app", "new"])
    #expect(KeyFile(keys: Array(new.keys.prefix(2))).json == old.json)
  }

  @Test(arguments: [Self.yaml, "keys: [] # mine\n"])
  func `a YAML file with comments stays as it is`(text: String) throws {
    #expect { try change(text, add) } throws: { "\($0)".contains("with an editor") }
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
