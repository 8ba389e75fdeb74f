import JSONText

/// A session's id, as in its URL: at least 128 random bits, so that it cannot be guessed.
package struct SessionID: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  /// By their bytes, as the stores compare them: `K` and the Kelvin sign are two ids.
  package static func == (left: SessionID, right: SessionID) -> Bool {
    left.text.isExactly(right.text)
  }

  package var description: String { text }

  /// Enough of the id to recognize a session, for the log. With `--auth open` the whole id admits
  /// everyone who reads the log.
  package var shortened: String { String(text.prefix(8)) + "…" }
}

/// The stored hash of a member's secret or of a token, which is enough to verify it.
package struct SecretHash: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether both are hashes of the same secret, in constant time.
  package func matches(_ other: SecretHash) -> Bool {
    guard bytes.count == other.bytes.count else { return false }
    var difference: UInt8 = 0
    for index in bytes.indices { difference |= bytes[index] ^ other.bytes[index] }
    return difference == 0
  }
}
