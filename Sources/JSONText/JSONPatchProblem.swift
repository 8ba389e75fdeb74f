/// The reason why a JSON Patch was not applied. The document is unchanged.
package enum JSONPatchProblem: Error, Hashable, Sendable {
  /// The patch is not a valid JSON Patch.
  case malformed(String)
  /// The patch cannot be applied: a path does not exist, or a test fails.
  case failed(String)
  /// The value at this path would make the document too large or too deep.
  case tooLarge(at: JSONPointer, String)
  /// The operations take too many steps.
  case tooMuchWork(String)
}

/// The limits for applying a JSON Patch.
package struct JSONPatchLimits: Sendable {
  package var operationsMax = 10_000
  /// The maximum ``JSONExtent/valueCount`` of the document and all that is added to it.
  package var valuesMax = Int.max
  /// The maximum ``JSONExtent/size`` of the document and all that is added to it.
  package var sizeMax = 8_388_608
  /// The maximum ``JSONExtent/depth`` of the patched document, as of a request body.
  package var depthMax = 128
  /// The maximum number of members that look-ups compare, and of members and elements that
  /// insertions and removals move, of all operations together.
  package var stepsMax = Int.max

  package init() {}
}

/// How large a value is, with all values in it.
package struct JSONExtent: Hashable, Sendable {
  package var valueCount = 1
  /// The approximate length of the text in bytes; at least 2 per value.
  package var size: Int
  /// The number of arrays and objects that contain each other, at most; 0 for other values.
  package var depth = 0

  fileprivate mutating func add(_ child: JSONExtent, nameSize: Int = 0) {
    valueCount += child.valueCount
    size += child.size + nameSize
    depth = max(depth, 1 + child.depth)
  }
}

extension JSONTree {
  package var extent: JSONExtent {
    switch self {
    case .null, .bool: return JSONExtent(size: 5)
    case .integer, .number: return JSONExtent(size: 8)
    case .string(let text): return JSONExtent(size: text.utf8.count + 3)
    case .array(let elements):
      var extent = JSONExtent(size: 2, depth: 1)
      for element in elements { extent.add(element.extent) }
      return extent
    case .object(let members):
      var extent = JSONExtent(size: 2, depth: 1)
      for member in members {
        extent.add(member.value.extent, nameSize: member.key.utf8.count + 4)
      }
      return extent
    }
  }

  /// Whether both are the same JSON value: ignores the order of members, and compares numbers by
  /// value.
  package func isSameValue(as other: JSONTree) -> Bool {
    switch (self, other) {
    case (.integer(let value), .number(let number)), (.number(let number), .integer(let value)):
      return Double(value) == number
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy { $0.isSameValue(as: $1) }
    case (.object(let left), .object(let right)):
      guard left.count == right.count else { return false }
      // Each value is compared once: twice at each level would be exponential in the depth.
      if zip(left, right).allSatisfy({ $0.key.isExactly($1.key) }) {
        return zip(left, right).allSatisfy { $0.value.isSameValue(as: $1.value) }
      }
      let values = Dictionary(
        right.map { (ExactString($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
      return left.allSatisfy { member in
        values[ExactString(member.key)].map(member.value.isSameValue(as:)) ?? false
      }
    default: return self == other
    }
  }
}
