/// A node of a YAML document, with its position. JSON documents are YAML documents.
///
/// All values are texts, lists and mappings: `id: 17` is the text 17, because the files that are
/// read with it have no numbers, and a digest of digits only must not become one. Aliases and tags
/// are refused, so that a small file cannot stand for a large document.
package struct YAMLNode: Sendable {
  package enum Value: Sendable {
    case text(String)
    case list([YAMLNode])
    case mapping([Field])
    /// Nothing, `~` or `null`.
    case none
  }

  package struct Field: Sendable {
    package let key: String
    package let position: TextPosition
    package let value: YAMLNode
  }

  package let value: Value
  package let position: TextPosition

  package static let depthMax = 8
  static let nodesMax = 100_000

  /// The field named `key`; `nil` if there is none, or it has no value.
  package subscript(key: String) -> YAMLNode? {
    guard let value = fields?.first(where: { $0.key == key })?.value else { return nil }
    if case .none = value.value { return nil }
    return value
  }

  package var text: String? { if case .text(let text) = value { text } else { nil } }
  package var list: [YAMLNode]? { if case .list(let list) = value { list } else { nil } }
  package var fields: [Field]? { if case .mapping(let fields) = value { fields } else { nil } }

  package func problem(_ detail: String) -> KeyFileProblem { KeyFileProblem(detail, at: position) }

  /// - Throws: If the value is not a mapping or has unknown fields, to detect spelling errors.
  package func check(fields known: [String], of name: String) throws(KeyFileProblem) {
    let names = known.joined(separator: ", ")
    guard let fields else {
      throw problem("\(name) must be a mapping (in JSON an object) with the fields \(names)")
    }
    if let unknown = fields.first(where: { !known.contains($0.key) }) {
      throw KeyFileProblem(
        "\(name) has the unknown field \(unknown.key); the fields are \(names)",
        at: unknown.position)
    }
  }
}

extension YAMLNode {
  /// - Throws: ``KeyFileProblem`` if the text is not valid YAML, has not exactly one document, an
  ///   alias, a tag, two fields of one name, or exceeds ``depthMax`` or ``nodesMax``.
  package init(_ bytes: [UInt8]) throws(KeyFileProblem) {
    var repeated: [KeyFileProblem] = []
    try self.init(bytes, repeated: &repeated)
    if let first = repeated.first { throw first }
  }

  /// Reads a file whose problems are reported together. Of fields of one name the first counts.
  ///
  /// - Parameter repeated: Set to a problem for each further field of a name.
  init(_ bytes: [UInt8], repeated: inout [KeyFileProblem]) throws(KeyFileProblem) {
    var reader = YAMLTreeReader(bytes)
    self = try reader.document()
    repeated = reader.repeated
  }
}

/// Builds a tree from events.
private struct YAMLTreeReader {
  private let events: YAMLEvents
  private var nodeCount = 0
  /// A problem for each field whose name its mapping has already.
  private(set) var repeated: [KeyFileProblem] = []

  init(_ bytes: [UInt8]) { events = YAMLEvents(bytes) }

  mutating func document() throws(KeyFileProblem) -> YAMLNode {
    _ = try events.next()
    guard case .documentStart = try events.next().kind else {
      throw KeyFileProblem("the file is empty", at: .start)
    }
    let root = try node(try events.next(), depth: 1)
    // The end of the document, and of the file.
    _ = try events.next()
    let last = try events.next()
    guard case .streamEnd = last.kind else {
      throw KeyFileProblem("a second document begins here; the file must have one", at: last.start)
    }
    return root
  }

  private mutating func node(
    _ event: YAMLEvents.Event, depth: Int
  ) throws(KeyFileProblem) -> YAMLNode {
    nodeCount += 1
    guard depth <= YAMLNode.depthMax, nodeCount <= YAMLNode.nodesMax else {
      throw KeyFileProblem(
        "the file has more than \(YAMLNode.depthMax) levels or \(YAMLNode.nodesMax) values",
        at: event.start)
    }
    guard !event.hasTag else {
      throw KeyFileProblem("tags (!) are not supported; remove it", at: event.start)
    }
    switch event.kind {
    case .text(let text, let isPlain):
      let isNone = isPlain && ["", "~", "null", "Null", "NULL"].contains(text)
      return YAMLNode(value: isNone ? .none : .text(text), position: event.start)
    case .listStart: return try list(event, depth)
    case .mappingStart: return try mapping(event, depth)
    default:
      throw KeyFileProblem("aliases (*) are not supported; repeat the value", at: event.start)
    }
  }

  private mutating func list(
    _ start: YAMLEvents.Event, _ depth: Int
  ) throws(KeyFileProblem) -> YAMLNode {
    var list: [YAMLNode] = []
    var event = try events.next()
    while true {
      if case .listEnd = event.kind { break }
      list.append(try node(event, depth: depth + 1))
      event = try events.next()
    }
    return YAMLNode(value: .list(list), position: start.start)
  }

  private mutating func mapping(
    _ start: YAMLEvents.Event, _ depth: Int
  ) throws(KeyFileProblem) -> YAMLNode {
    var fields: [YAMLNode.Field] = []
    var names: Set<String> = []
    var event = try events.next()
    while true {
      if case .mappingEnd = event.kind { break }
      guard let key = try node(event, depth: depth + 1).text else {
        throw KeyFileProblem("the name of a field must be a text", at: event.start)
      }
      let value = try node(try events.next(), depth: depth + 1)
      if names.insert(key).inserted {
        fields.append(YAMLNode.Field(key: key, position: event.start, value: value))
      } else {
        repeated.append(
          KeyFileProblem("a second field \(key); remove one of them", at: event.start))
      }
      event = try events.next()
    }
    return YAMLNode(value: .mapping(fields), position: start.start)
  }
}
