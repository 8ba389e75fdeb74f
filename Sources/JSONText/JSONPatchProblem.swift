/// The reason why a JSON Patch was not applied. The document is unchanged.
package enum JSONPatchProblem: Error, Hashable, Sendable {
  /// The patch is not a valid JSON Patch.
  case malformed(String)
  /// The patch cannot be applied: a path does not exist, or a test fails.
  case failed(String)
  /// The patched document would be too large or too deep.
  case tooLarge(String)
}

/// The limits for applying a JSON Patch.
package struct JSONPatchLimits: Sendable {
  package var operationsMax = 10_000
  /// The maximum ``JSONTree/size`` of the patched document.
  package var sizeMax = 8_388_608
  /// The maximum ``JSONTree/depth`` of the patched document, as of a request body.
  package var depthMax = 128

  package init() {}
}

extension JSONTree {
  /// The approximate length of the value's text in bytes; at least 2 per value.
  var size: Int {
    switch self {
    case .null, .bool: 5
    case .integer, .number: 8
    case .string(let text): text.utf8.count + 3
    case .array(let elements): elements.reduce(2) { $0 + $1.size }
    case .object(let members): members.reduce(2) { $0 + $1.key.utf8.count + 4 + $1.value.size }
    }
  }

  /// The number of arrays and objects that contain each other, at most; 0 for other values.
  var depth: Int {
    switch self {
    case .null, .bool, .integer, .number, .string: 0
    case .array(let elements): elements.reduce(1) { max($0, 1 + $1.depth) }
    case .object(let members): members.reduce(1) { max($0, 1 + $1.value.depth) }
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
