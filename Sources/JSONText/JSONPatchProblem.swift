/// Why a patch is not applied; the document is as it was.
package enum JSONPatchProblem: Error, Hashable, Sendable {
  /// It is no patch.
  case malformed(String)
  /// It does not fit the document: a place that is not there, a test that fails.
  case failed(String)
  /// It makes too much of the document.
  case tooLarge(String)
}

/// How much a patch may do.
package struct JSONPatchLimits: Sendable {
  package var operationsMax = 10_000
  /// Of the patched document, in about the bytes of its text.
  package var sizeMax = 8_388_608

  package init() {}
}

extension JSONTree {
  /// About the bytes of its text; at least 2 for each value.
  var size: Int {
    switch self {
    case .null, .bool: 5
    case .integer, .number: 8
    case .string(let text): text.utf8.count + 3
    case .array(let elements): elements.reduce(2) { $0 + $1.size }
    case .object(let members): members.reduce(2) { $0 + $1.key.utf8.count + 4 + $1.value.size }
    }
  }

  /// Whether both are the same JSON value: the order of members does not matter, and numbers are
  /// compared by their value.
  package func isSameValue(as other: JSONTree) -> Bool {
    switch (self, other) {
    case (.integer(let value), .number(let number)), (.number(let number), .integer(let value)):
      return Double(value) == number
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy { $0.isSameValue(as: $1) }
    case (.object(let left), .object(let right)):
      guard left.count == right.count else { return false }
      if zip(left, right).allSatisfy({
        $0.key.isExactly($1.key) && $0.value.isSameValue(as: $1.value)
      }) {
        return true
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
