import JSONText

/// Reads the rows of a `cascade` or of `columns`, and throws the first problem in document order.
struct NodeReading {
  let limits: DefinitionLimits

  /// Checks the number of nodes or rows of a definition, whose document is not checked otherwise.
  func checkCounts(in document: JSONTree, of kind: PickerKind) throws(DefinitionProblem) {
    switch kind {
    case .cascade:
      guard let nodes = document["nodes"]?.array,
        NodeReading.count(nodes, upTo: limits.nodesMax) > limits.nodesMax
      else { return }
      throw DefinitionProblem("nodes has more than \(limits.nodesMax) nodes in all").under("nodes")
    case .columns:
      guard let columns = document["columns"]?.array else { return }
      guard columns.count <= limits.columnsMax else {
        throw DefinitionProblem(
          "there are \(columns.count) columns; \(limits.columnsMax) are allowed"
        ).under("columns")
      }
      let count = columns.reduce(0) { $0 + ($1.array?.count ?? 0) }
      guard count <= limits.nodesMax else {
        throw DefinitionProblem(
          "columns have \(count) rows; \(limits.nodesMax) are allowed in all"
        ).under("columns")
      }
    case .date, .slot, .calendar, .availability: return
    }
  }

  /// Reads the field `nodes`, whose nodes are counted.
  func tree(_ tree: JSONTree) throws(DefinitionProblem) -> NodeTable {
    let nodes = try tree.elements(named: "nodes")
    guard !nodes.isEmpty else { throw DefinitionProblem("nodes must have one node or more") }
    try check(nodes, level: 1)
    return NodeReading.table(lists: [nodes])
  }

  /// Reads the field `columns`, whose rows are counted.
  func columns(_ tree: JSONTree) throws(DefinitionProblem) -> NodeTable {
    let columns = try tree.elements(named: "columns")
    guard !columns.isEmpty else { throw DefinitionProblem("columns must have one column or more") }
    let lists = try columns.read { column throws(DefinitionProblem) in
      let rows = try column.elements(named: "a column")
      guard !rows.isEmpty else { throw DefinitionProblem("a column must have one row or more") }
      try check(rows, level: nil)
      return rows
    }
    return NodeReading.table(lists: lists)
  }

  /// The number of nodes, or any number above `maximum` once it is exceeded.
  private static func count(_ nodes: [JSONTree], upTo maximum: Int) -> Int {
    var count = 0
    var waiting = [nodes]
    while let siblings = waiting.popLast(), count <= maximum {
      count += siblings.count
      waiting += siblings.compactMap { $0["children"]?.array }
    }
    return count
  }

  /// - Parameter level: The level in a tree, from 1; `nil` for the rows of a column, which can be
  ///   plain strings and have no children.
  private func check(_ siblings: [JSONTree], level: Int?) throws(DefinitionProblem) {
    var keys: Set<ExactString> = []
    keys.reserveCapacity(siblings.count)
    _ = try siblings.read { node throws(DefinitionProblem) in
      try check(node, level: level, keys: &keys)
    }
  }

  private func check(
    _ node: JSONTree, level: Int?, keys: inout Set<ExactString>
  ) throws(DefinitionProblem) {
    if let level, level > limits.levelsMax {
      throw DefinitionProblem("the tree is deeper than \(limits.levelsMax) levels")
    }
    if level == nil, case .string = node {
      _ = try node.text(named: "a row", limits)
    } else if case .object = node {
    } else {
      let form = level == nil ? "a string or an object with a text" : "an object with a text"
      throw DefinitionProblem("a row is \(node.noun); it must be \(form)")
    }
    if let key = NodeReading.key(of: node), !keys.insert(ExactString(key)).inserted {
      throw DefinitionProblem("the key \"\(key)\" is used by a sibling; keys must be unique")
    }
    _ = try (node.members ?? []).read { member throws(DefinitionProblem) in
      if member.key == "children" {
        guard let level else { return }
        try check(try member.value.elements(named: "children"), level: level + 1)
      } else if member.key == "terms" {
        try check(terms: try member.value.elements(named: "terms"))
      } else {
        _ = try member.value.text(named: member.key, limits)
      }
    }
    if node.members != nil, node["text"] == nil {
      throw DefinitionProblem("text is missing").under("text")
    }
  }

  private func check(terms: [JSONTree]) throws(DefinitionProblem) {
    guard terms.count <= limits.termsMax else {
      throw DefinitionProblem("a row may have \(limits.termsMax) terms; this has \(terms.count)")
    }
    _ = try terms.read { term throws(DefinitionProblem) in
      try term.text(named: "a term", countMax: limits.termCharactersMax)
    }
  }

  /// The key, which defaults to the text; `nil` if it is not a string.
  private static func key(of node: JSONTree) -> String? {
    node.string ?? (node["key"] ?? node["text"])?.string
  }

  /// Makes the table of checked nodes in breadth-first order, so that siblings are next to each
  /// other.
  private static func table(lists: [[JSONTree]]) -> NodeTable {
    var nodes: [JSONTree] = []
    func append(_ siblings: [JSONTree]) -> Range<Int> {
      nodes += siblings
      return nodes.count - siblings.count..<nodes.count
    }
    let roots = lists.map(append)
    var children: [Range<Int>] = []
    while children.count < nodes.count {
      children.append(append(nodes[children.count]["children"]?.array ?? []))
    }
    let named = nodes.map { (text: $0.string ?? $0["text"]!.string!, key: key(of: $0)!) }
    let strings = RowStrings(named)
    let terms = RowTerms(nodes.map { $0["terms"]?.array?.compactMap(\.string) })
    return NodeTable(
      strings, terms, forms: nodes.map(NodeForm.init(of:)), children: children, roots: roots)
  }
}

/// How the definition wrote a row, so that its document can write it the same way.
struct NodeForm: OptionSet {
  let rawValue: UInt8

  /// The row is a string instead of an object.
  static let isPlain = NodeForm(rawValue: 1)
  static let hasKey = NodeForm(rawValue: 2)
  static let hasChildren = NodeForm(rawValue: 4)
  static let hasTerms = NodeForm(rawValue: 8)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(of node: JSONTree) {
    self = []
    if node.string != nil { insert(.isPlain) }
    if node["key"] != nil { insert(.hasKey) }
    if node["children"] != nil { insert(.hasChildren) }
    if node["terms"] != nil { insert(.hasTerms) }
  }
}

extension NodeTable {
  /// The rows of `list` as a document, in the form that the definition used.
  ///
  /// - Parameter isExplicit: Whether to write every row as an object with its key instead, and with
  ///   `children` only if it has any.
  func document(of list: List, isExplicit: Bool) -> JSONTree {
    .array(
      list.nodes.map { node in
        let form = forms[node]
        let text = JSONTree.string(strings.text(node))
        if form.contains(.isPlain), !isExplicit { return text }
        var members = [JSONTree.Member("text", text)]
        if isExplicit || form.contains(.hasKey) {
          members.append(.init("key", .string(key(node))))
        }
        if form.contains(.hasTerms) {
          members.append(.init("terms", .array(terms[node].map(JSONTree.string))))
        }
        if children[node].count > 0 || form.contains(.hasChildren) && !isExplicit {
          let below = document(of: children[node], isExplicit: isExplicit)
          members.append(.init("children", below))
        }
        return .object(members)
      })
  }

  /// Writes ``document(of:isExplicit:)`` without `isExplicit`.
  func write(_ list: List, to writer: inout JSONWriter) {
    writer.literal("[")
    for node in list.nodes {
      if node > Int(list.first) { writer.literal(",") }
      let form = forms[node]
      if form.contains(.isPlain) {
        strings.withText(node) { writer.string($0) }
        continue
      }
      writer.literal("{\"text\":")
      strings.withText(node) { writer.string($0) }
      if form.contains(.hasKey) {
        writer.literal(",\"key\":")
        strings.withKey(node) { writer.string($0) }
      }
      if form.contains(.hasTerms) {
        writer.literal(",\"terms\":", .array(terms[node].map(JSONTree.string)))
      }
      if form.contains(.hasChildren) {
        writer.literal(",\"children\":")
        write(children[node], to: &writer)
      }
      writer.literal("}")
    }
    writer.literal("]")
  }
}
