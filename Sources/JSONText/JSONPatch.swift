/// A JSON Patch.
///
/// - Source: RFC 6902.
package struct JSONPatch: Sendable {
  private enum Operation: Sendable {
    case add(JSONPointer, JSONTree)
    case remove(JSONPointer)
    case replace(JSONPointer, JSONTree)
    case move(from: JSONPointer, to: JSONPointer)
    case copy(from: JSONPointer, to: JSONPointer)
    case test(JSONPointer, JSONTree)
  }

  private let operations: [Operation]
  private let limits: JSONPatchLimits

  /// - Throws: ``JSONPatchProblem/malformed(_:)`` if the tree is not a list of at most
  ///   `operationsMax` operations.
  package init(
    _ tree: JSONTree, limits: JSONPatchLimits = JSONPatchLimits()
  ) throws(JSONPatchProblem) {
    guard let elements = tree.array else { throw .malformed("a JSON Patch must be an array") }
    guard elements.count <= limits.operationsMax else {
      throw .malformed("a patch must not have more than \(limits.operationsMax) operations")
    }
    var operations: [Operation] = []
    for (index, element) in elements.enumerated() {
      operations.append(try JSONPatch.operation(element, index))
    }
    self.operations = operations
    self.limits = limits
  }

  private static func operation(
    _ tree: JSONTree, _ index: Int
  ) throws(JSONPatchProblem) -> Operation {
    func pointer(_ field: String) throws(JSONPatchProblem) -> JSONPointer {
      guard let pointer = tree[field]?.string.flatMap({ JSONPointer($0) }) else {
        throw .malformed("\(field) of operation \(index) must be a JSON Pointer")
      }
      return pointer
    }
    func value() throws(JSONPatchProblem) -> JSONTree {
      if let value = tree["value"] { return value }
      throw .malformed("operation \(index) must have a value")
    }
    switch tree["op"]?.string {
    case "add": return .add(try pointer("path"), try value())
    case "remove": return .remove(try pointer("path"))
    case "replace": return .replace(try pointer("path"), try value())
    case "move": return .move(from: try pointer("from"), to: try pointer("path"))
    case "copy": return .copy(from: try pointer("from"), to: try pointer("path"))
    case "test": return .test(try pointer("path"), try value())
    default:
      throw .malformed(
        "op of operation \(index) must be add, remove, replace, move, copy or test")
    }
  }

  /// Returns the document with all operations applied.
  package func apply(to document: JSONTree) throws(JSONPatchProblem) -> JSONTree {
    var work = Work(document: document, extent: document.extent, limits: limits)
    for operation in operations {
      switch operation {
      case .add(let path, let value): try work.add(value, at: path)
      case .remove(let path): _ = try work.remove(at: path)
      case .replace(let path, let value): try work.replace(at: path, with: value)
      case .move(let from, let path): try work.move(from: from, to: path)
      case .copy(let from, let path): try work.add(try work.value(at: from), at: path)
      case .test(let path, let value):
        guard try work.value(at: path).isSameValue(as: value) else {
          throw .failed("the test at \(quoted(path)) fails")
        }
      }
      // A single operation cannot take more steps than the document has values.
      guard work.steps <= limits.stepsMax else {
        throw .tooMuchWork(
          "the operations compare and move more than \(limits.stepsMax) members and elements; "
            + "send a merge patch, or several patches")
      }
    }
    return work.document
  }
}

/// A path in a problem's detail.
private func quoted(_ path: JSONPointer) -> String {
  "/\(path.tokens.joined(separator: "/"))".quoted
}

/// A document being patched.
private struct Work {
  var document: JSONTree
  /// An upper bound of the extent of the document. Removed values still count, which also bounds
  /// the work of a patch.
  var extent: JSONExtent
  let limits: JSONPatchLimits
  /// The members that look-ups have compared, and the members and elements that insertions and
  /// removals have moved.
  var steps = 0

  mutating func value(at path: JSONPointer) throws(JSONPatchProblem) -> JSONTree {
    var value = document
    for token in path.tokens {
      switch value {
      case .object(let members):
        guard let index = members.index(of: token, &steps) else { throw missing(path) }
        value = members[index].value
      case .array(let elements):
        guard let index = JSONPointer.index(token), index < elements.count else {
          throw missing(path)
        }
        value = elements[index]
      case .null, .bool, .integer, .number, .string: throw missing(path)
      }
    }
    return value
  }

  mutating func add(_ value: JSONTree, at path: JSONPointer) throws(JSONPatchProblem) {
    try grow(by: value, at: path)
    guard let last = path.tokens.last else {
      document = value
      return
    }
    try change(path) { parent, steps in
      switch parent {
      case .object(var members):
        parent = .null
        if let index = members.index(of: last, &steps) {
          members[index] = JSONTree.Member(last, value)
        } else {
          members.append(JSONTree.Member(last, value))
        }
        parent = .object(members)
        return true
      case .array(var elements):
        guard let index = last == "-" ? elements.count : JSONPointer.index(last),
          index <= elements.count
        else { return false }
        parent = .null
        steps += elements.count - index
        elements.insert(value, at: index)
        parent = .array(elements)
        return true
      case .null, .bool, .integer, .number, .string: return false
      }
    }
  }

  /// - Returns: The value that was removed.
  mutating func remove(at path: JSONPointer) throws(JSONPatchProblem) -> JSONTree {
    guard !path.tokens.isEmpty else { throw .failed("the whole document cannot be removed") }
    return try exchange(path, for: nil)
  }

  mutating func replace(
    at path: JSONPointer, with value: JSONTree
  ) throws(JSONPatchProblem) {
    guard !path.tokens.isEmpty else { return try add(value, at: path) }
    try grow(by: value, at: path)
    _ = try exchange(path, for: value)
  }

  /// Replaces the value at a path below the document; `nil` removes it.
  ///
  /// - Returns: The value that was there.
  private mutating func exchange(
    _ path: JSONPointer, for value: JSONTree?
  ) throws(JSONPatchProblem) -> JSONTree {
    let last = path.tokens[path.tokens.count - 1]
    var before = JSONTree.null
    try change(path) { parent, steps in
      switch parent {
      case .object(var members):
        guard let index = members.index(of: last, &steps) else { return false }
        parent = .null
        before = members[index].value
        if let value {
          members[index] = .init(last, value)
        } else {
          steps += members.count - index
          members.remove(at: index)
        }
        parent = .object(members)
      case .array(var elements):
        guard let index = JSONPointer.index(last), index < elements.count else { return false }
        parent = .null
        before = elements[index]
        if let value {
          elements[index] = value
        } else {
          steps += elements.count - index
          elements.remove(at: index)
        }
        parent = .array(elements)
      case .null, .bool, .integer, .number, .string: return false
      }
      return true
    }
    return before
  }

  /// Checks the limits before `value` is added. Each copy of a value into itself doubles its depth,
  /// and trees are traversed and freed recursively: a deep one would overflow the stack.
  private mutating func grow(
    by value: JSONTree, at path: JSONPointer
  ) throws(JSONPatchProblem) {
    let added = value.extent
    extent.valueCount += added.valueCount
    extent.size += added.size
    let problem: String
    if extent.valueCount > limits.valuesMax {
      problem = "more than \(limits.valuesMax) values"
    } else if extent.size > limits.sizeMax {
      problem = "more than \(limits.sizeMax) bytes"
    } else if path.tokens.count + added.depth > limits.depthMax {
      problem = "more than \(limits.depthMax) levels"
    } else {
      return
    }
    throw .tooLarge(at: path, "the document and what the patch adds to it have \(problem)")
  }

  mutating func move(
    from: JSONPointer, to path: JSONPointer
  ) throws(JSONPatchProblem) {
    guard !from.isAbove(path) else { throw .failed("a value cannot be moved into itself") }
    if from == path {
      _ = try value(at: from)
      return
    }
    try add(try remove(at: from), at: path)
  }

  private func missing(_ path: JSONPointer) -> JSONPatchProblem {
    .failed("no value exists at \(quoted(path))")
  }

  /// Modifies the parent of the value at `path` without copying its other children.
  ///
  /// - Parameter body: Modifies the parent and counts its steps; returns false if `path` does not
  ///   exist in it.
  private mutating func change(
    _ path: JSONPointer, _ body: (inout JSONTree, _ steps: inout Int) -> Bool
  ) throws(JSONPatchProblem) {
    guard document.change(path.tokens.dropLast(), &steps, body) else { throw missing(path) }
  }
}

extension [JSONTree.Member] {
  fileprivate func index(of key: String, _ steps: inout Int) -> Int? {
    let index = firstIndex { $0.key.isExactly(key) }
    steps += index ?? count
    return index
  }
}

extension JSONTree {
  fileprivate mutating func change(
    _ tokens: ArraySlice<String>, _ steps: inout Int, _ body: (inout JSONTree, inout Int) -> Bool
  ) -> Bool {
    guard let first = tokens.first else { return body(&self, &steps) }
    let rest = tokens.dropFirst()
    switch self {
    case .object(var members):
      guard let index = members.index(of: first, &steps) else { return false }
      self = .null
      let key = members[index].key
      var value = members[index].value
      members[index] = Member(key, .null)
      let isChanged = value.change(rest, &steps, body)
      members[index] = Member(key, value)
      self = .object(members)
      return isChanged
    case .array(var elements):
      guard let index = JSONPointer.index(first), index < elements.count else { return false }
      self = .null
      var value = elements[index]
      elements[index] = .null
      let isChanged = value.change(rest, &steps, body)
      elements[index] = value
      self = .array(elements)
      return isChanged
    case .null, .bool, .integer, .number, .string: return false
    }
  }
}
