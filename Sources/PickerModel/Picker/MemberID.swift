/// A member's id, unique in its session: `m_` and random letters. Those of this version have 15
/// bytes, the most that a Swift string holds without a reference to count.
package struct MemberID: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  /// By their bytes, as the stores compare them: `K` and the Kelvin sign are two ids.
  package static func == (left: MemberID, right: MemberID) -> Bool {
    left.text.isExactly(right.text)
  }

  package var description: String { text }
}

extension MemberID {
  /// As the author of a command: the host, which is no member.
  package static let host = MemberID("")

  /// Cheaper than comparing with ``host``.
  package var isHost: Bool { text.isEmpty }
}
