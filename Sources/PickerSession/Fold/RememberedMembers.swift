package import DequeModule
package import PickerModel

/// The members that have left, so that each can rejoin as the same member.
///
/// Bounded by ``SessionLimits/rememberedMembers`` and ``SessionLimits/rememberedRefBytes``. If
/// there are too many members, the one that left first is removed. If their refs take too many
/// bytes, those of the members that left first are removed, except the greatest ref: a command that
/// such a member repeats is refused with `oldRef`, and never executed twice.
/// - Source: web/guide/README.md, "What to store, and when to send again".
package struct RememberedMembers: Hashable, Sendable {
  /// In the order in which they left.
  package private(set) var members: Deque<Member>
  /// The bytes of all their refs, see ``RefBook/byteCount``.
  package private(set) var refByteCount: Int

  package init(_ members: some Sequence<Member> = []) {
    self.members = Deque(members)
    refByteCount = self.members.reduce(0) { $0 + $1.refs.byteCount }
  }

  package func member(_ id: MemberID) -> Member? { members.first { $0.id == id } }

  /// - Parameter hasPart: Whether a member has a part in the picker: it is remembered until the
  ///   session ends, and does not count.
  mutating func add(
    _ member: Member, _ limits: SessionLimits, hasPart: (MemberID) -> Bool = { _ in false }
  ) {
    members.append(member)
    refByteCount += member.refs.byteCount
    if members.count > limits.rememberedMembers,
      members.count(where: { !hasPart($0.id) }) > limits.rememberedMembers,
      let oldest = members.firstIndex(where: { !hasPart($0.id) })
    {
      refByteCount -= members.remove(at: oldest).refs.byteCount
    }
    for index in members.indices where refByteCount > limits.rememberedRefBytes {
      refByteCount -= members[index].refs.byteCount
      members[index].refs.forgetEntries()
    }
  }

  mutating func change(role: Role, of id: MemberID) {
    guard let index = members.firstIndex(where: { $0.id == id }) else { return }
    members[index].role = role
  }

  /// Removes a member that rejoins, and returns it.
  mutating func remove(_ id: MemberID) -> Member? {
    guard let index = members.firstIndex(where: { $0.id == id }) else { return nil }
    let member = members.remove(at: index)
    refByteCount -= member.refs.byteCount
    return member
  }
}
