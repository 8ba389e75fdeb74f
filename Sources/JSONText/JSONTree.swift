/// A JSON value. It preserves the order of members, and whether a number was written as an integer.
package enum JSONTree: Sendable {
  case null
  case bool(Bool)
  /// A number without fraction and exponent, clamped to `Int.min` … `Int.max`.
  case integer(Int)
  /// A number with a fraction or an exponent.
  case number(Double)
  case string(String)
  case array([JSONTree])
  case object([Member])

  package struct Member: Sendable {
    package let key: String
    package let value: JSONTree

    package init(_ key: String, _ value: JSONTree) {
      self.key = key
      self.value = value
    }
  }

  /// The value of the member named `key`; `nil` if there is none, or this is not an object.
  package subscript(key: String) -> JSONTree? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key.isExactly(key) }?.value
  }

  package var string: String? { if case .string(let value) = self { value } else { nil } }
  package var integer: Int? { if case .integer(let value) = self { value } else { nil } }
  package var array: [JSONTree]? { if case .array(let value) = self { value } else { nil } }
  package var members: [Member]? { if case .object(let value) = self { value } else { nil } }
  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

extension JSONTree {
  /// Parses a complete JSON text.
  ///
  /// - Parameters:
  ///   - depthMax: The maximum nesting depth of arrays and objects.
  ///   - valuesMax: The maximum number of values in total.
  ///   - stringBytesMax: The maximum length of a string or name, with escape sequences.
  /// - Throws: ``JSONError`` if the text is not valid JSON (RFC 8259), if an object has two members
  ///   of the same name, for an unpaired surrogate, and as soon as a limit is exceeded.
  package static func parse(
    _ bytes: [UInt8], depthMax: Int = 64, valuesMax: Int = .max, stringBytesMax: Int = .max
  ) throws(JSONError) -> JSONTree {
    var cursor = JSONCursor(
      depthMax: depthMax, valuesMax: valuesMax, stringBytesMax: stringBytesMax)
    let tree = try cursor.readTree(bytes.span)
    try cursor.finish(bytes.span)
    return tree
  }

  package static func parse(
    _ bytes: UnsafeRawBufferPointer, depthMax: Int = 64
  ) throws(JSONError) -> JSONTree {
    try parse(Array(bytes), depthMax: depthMax)
  }

  package static func parse(
    _ text: Span<UInt8>, depthMax: Int = 64
  ) throws(JSONError) -> JSONTree {
    var cursor = JSONCursor(depthMax: depthMax)
    let tree = try cursor.readTree(text)
    try cursor.finish(text)
    return tree
  }
}

extension JSONCursor {
  /// Parses a complete value.
  package mutating func readTree(_ text: Span<UInt8>) throws(JSONError) -> JSONTree {
    let kind = try nextKind(text)
    try countValue()
    switch kind {
    case .object: return .object(try readMembers(text))
    case .array: return .array(try readElements(text))
    case .string: return .string(try readBoundedString(text))
    case .number:
      switch try readNumber(text) {
      case .integer(let value): return .integer(value)
      case .fraction(let value): return .number(value)
      }
    case .yes:
      try readWord("true", text)
      return .bool(true)
    case .no:
      try readWord("false", text)
      return .bool(false)
    case .null:
      try readWord("null", text)
      return .null
    }
  }

  private mutating func readElements(_ text: Span<UInt8>) throws(JSONError) -> [JSONTree] {
    var elements: [JSONTree] = []
    guard try open(UInt8(ascii: "["), text) else { return elements }
    repeat {
      do throws(JSONError) {
        elements.append(try readTree(text))
      } catch {
        throw error.under("\(elements.count)")
      }
    } while try another(UInt8(ascii: "["), text)
    return elements
  }

  private mutating func readMembers(_ text: Span<UInt8>) throws(JSONError) -> [JSONTree.Member] {
    var members: [JSONTree.Member] = []
    guard try open(UInt8(ascii: "{"), text) else { return members }
    var names = MemberNames()
    repeat {
      skipWhitespace(text)
      let start = offset
      let name = try readName(text)
      try checkLength(offset - start)
      guard names.insert(name, after: members) else {
        throw JSONError(offset: start, reason: "duplicate member name")
      }
      do throws(JSONError) {
        members.append(JSONTree.Member(name, try readTree(text)))
      } catch {
        throw error.under(name)
      }
    } while try another(UInt8(ascii: "{"), text)
    return members
  }
}

/// Detects duplicate member names in an object.
///
/// A few names are compared with each other, which needs no memory; more are stored in a set.
private struct MemberNames {
  private static let comparedMax = 8
  private var known: Set<ExactString> = []

  /// - Parameter members: The members before this name.
  /// - Returns: Whether the name is new.
  mutating func insert(_ name: String, after members: [JSONTree.Member]) -> Bool {
    if members.count < MemberNames.comparedMax {
      return !members.contains { $0.key.isExactly(name) }
    }
    if known.isEmpty { for member in members { known.insert(ExactString(member.key)) } }
    return known.insert(ExactString(name)).inserted
  }
}

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

extension JSONTree {
  /// The memory of the tree in bytes, an estimate.
  package var byteCount: Int {
    switch self {
    case .null, .bool, .integer, .number: 32
    case .string(let text): 32 + text.blockByteCount
    case .array(let elements): elements.reduce(64) { $0 + $1.byteCount }
    case .object(let members):
      members.reduce(64) { $0 + 16 + $1.key.blockByteCount + $1.value.byteCount }
    }
  }
}

extension String {
  /// The memory of the block that a text of more than 15 bytes has, in bytes, an estimate.
  package var blockByteCount: Int { utf8.count > 15 ? 64 + utf8.count : 0 }
}
