package import DequeModule

/// The members that have left, so that each can come back as the same member.
///
/// Bounded in count and in bytes: beyond the count the member that left first is forgotten, beyond
/// the bytes the refs of those that left first. A member without its refs keeps the greatest one:
/// a command sent again is refused with `oldRef` then, and never done twice.
/// - Source: protocol.md, "Order, time, and getting it back".
package struct RememberedMembers: Hashable, Sendable {
  /// In the order in which they left.
  package private(set) var members: Deque<Member>
  /// Bytes of all their refs.
  package private(set) var refByteCount: Int

  package init(_ members: some Sequence<Member> = []) {
    self.members = Deque(members)
    refByteCount = self.members.reduce(0) { $0 + $1.refs.byteCount }
  }

  package func member(_ id: MemberID) -> Member? { members.first { $0.id == id } }

  mutating func add(_ member: Member, _ limits: SessionLimits) {
    members.append(member)
    refByteCount += member.refs.byteCount
    if members.count > limits.rememberedMembers {
      refByteCount -= members.removeFirst().refs.byteCount
    }
    for index in members.indices where refByteCount > limits.rememberedRefBytes {
      refByteCount -= members[index].refs.byteCount
      members[index].refs.forgetEntries()
    }
  }

  /// Takes a member out, to be a member again.
  mutating func remove(_ id: MemberID) -> Member? {
    guard let index = members.firstIndex(where: { $0.id == id }) else { return nil }
    let member = members.remove(at: index)
    refByteCount -= member.refs.byteCount
    return member
  }
}
