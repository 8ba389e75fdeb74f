import JSONText
import PickerServer

/// The text of a YAML key file, changed line by line, so that comments stay.
struct KeyFileText {
  private var lines: [Substring]

  /// An empty key file.
  static let empty = Array("keys: []\n".utf8)

  init(_ content: [UInt8]) {
    lines = String(decoding: content, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  var content: [UInt8] { Array(lines.joined(separator: "\n").utf8) }

  /// Whether a file is JSON, which has no comments.
  static func isJSON(_ content: [UInt8]) -> Bool {
    (try? JSONTree.parse(content, depthMax: YAMLNode.depthMax)) != nil
  }

  /// The content of a file after a change of its keys.
  ///
  /// - Parameter note: Called with what has been changed in a YAML file.
  /// - Throws: ``KeyFileProblem`` if the keys are not a list with `- ` before each key.
  static func changed(
    _ content: [UInt8], from old: KeyFile, to new: KeyFile, note: (String) -> Void
  ) throws(KeyFileProblem) -> [UInt8] {
    if isJSON(content) { return new.json }
    var text = KeyFileText(content)
    var notes: [String] = []
    let ids = Set(new.keys.map(\.id))
    for key in old.keys where !ids.contains(key.id) { notes += [try text.remove(key.id)] }
    let oldIDs = Set(old.keys.map(\.id))
    for key in new.keys where !oldIDs.contains(key.id) { notes += [try text.add(key)] }
    guard try KeyFile(content: text.content).json == new.json else { throw .notInLines }
    for sentence in notes { note(sentence) }
    return text.content
  }

  private mutating func add(_ key: HostKey) throws(KeyFileProblem) -> String {
    let document = try YAMLNode(content)
    guard let list = document["keys"]?.list else { throw .notInLines }
    var (indent, index) = ("  - ", lines.count)
    if let first = list.first, let last = list.last {
      indent = String(try marker(of: first))
      index = last.lastLine
    } else {
      index = try openList(document)
    }
    let following = String(repeating: " ", count: indent.count)
    let added = (key.tree.members ?? []).enumerated().map { number, member in
      (number == 0 ? indent : following) + member.key + ": "
        + String(decoding: member.value.serialized(), as: UTF8.self)
    }
    lines.insert(contentsOf: added.map { Substring($0) }, at: index)
    return "lines \(index + 1) to \(index + added.count) added; all others are unchanged"
  }

  private mutating func remove(_ id: String) throws(KeyFileProblem) -> String {
    let document = try YAMLNode(content)
    let list = document["keys"]?.list ?? []
    guard let node = list.first(where: { $0["id"]?.text == id }) else { throw .notInLines }
    _ = try marker(of: node)
    let (first, last) = (node.position.line, node.lastLine)
    lines.removeSubrange((first - 1)..<last)
    if list.count == 1 { try closeList(document) }
    return "lines \(first) to \(last) removed; all others are unchanged"
  }

  /// The blanks and the dash before a key of the list.
  private func marker(of node: YAMLNode) throws(KeyFileProblem) -> Substring {
    let before = lines[node.position.line - 1].prefix(node.position.column - 1)
    let blanks = before.prefix { $0 == " " }
    let rest = before.dropFirst(blanks.count)
    guard rest.first == "-", rest.dropFirst().allSatisfy({ $0 == " " }), rest.count > 1 else {
      throw .notInLines
    }
    return before
  }

  /// Removes the brackets of `keys: []`.
  ///
  /// - Returns: The index of the next line.
  private mutating func openList(_ document: YAMLNode) throws(KeyFileProblem) -> Int {
    guard let position = document["keys"]?.position else { throw .notInLines }
    let line = lines[position.line - 1]
    let before = line.prefix(position.column - 1)
    let rest = line.dropFirst(before.count)
    guard rest.hasPrefix("[]") else { throw .notInLines }
    lines[position.line - 1] = before + rest.dropFirst(2)
    return position.line
  }

  /// Writes `[]` after `keys:`, which has no entry any more.
  private mutating func closeList(_ document: YAMLNode) throws(KeyFileProblem) {
    guard let field = document.fields?.first(where: { $0.key == "keys" }) else { throw .notInLines }
    let line = lines[field.position.line - 1]
    guard line.hasPrefix("keys:") else { throw .notInLines }
    lines[field.position.line - 1] = "keys: []" + line.dropFirst("keys:".count)
  }
}

extension KeyFileProblem {
  fileprivate static var notInLines: KeyFileProblem {
    KeyFileProblem(
      "its keys cannot be changed without rewriting other lines: write each key as an entry of a "
        + "list, \"  - id: …\", with one field per line; or change the file with an editor")
  }
}
