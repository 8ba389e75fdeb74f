/// A session's name in its URL: at least 128 random bits, so that nobody finds it by guessing.
package struct SessionID: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { text }
}

/// A member's name, in one session: `m_` and random letters.
package struct MemberID: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { text }
}

/// What is kept of a secret or a token: enough to know it again, not enough to use it.
package struct SecretHash: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether both are hashes of the same secret. Takes the same time wherever they differ.
  package func matches(_ other: SecretHash) -> Bool {
    guard bytes.count == other.bytes.count else { return false }
    var difference: UInt8 = 0
    for index in bytes.indices { difference |= bytes[index] ^ other.bytes[index] }
    return difference == 0
  }
}
