/// Strings and names are compared by their UTF-8 bytes. Objects are equal only if their members
/// have the same order; see ``isSameValue(as:)`` to ignore it.
extension JSONTree: Hashable {
  package static func == (left: JSONTree, right: JSONTree) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.isExactly(right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    case (.null, _), (.bool, _), (.integer, _), (.number, _), (.string, _), (.array, _),
      (.object, _):
      false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): hasher.combine(ExactString(value))
    case .array(let elements): hasher.combine(elements)
    case .object(let members): hasher.combine(members)
    }
  }
}

extension JSONTree.Member: Hashable {
  package static func == (left: JSONTree.Member, right: JSONTree.Member) -> Bool {
    left.key.isExactly(right.key) && left.value == right.value
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ExactString(key))
    hasher.combine(value)
  }
}
