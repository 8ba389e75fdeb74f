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
