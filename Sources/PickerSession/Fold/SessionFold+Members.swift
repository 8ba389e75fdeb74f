import JSONText
import PickerModel

/// The colours of members in the order of joining. They are distinguishable on light and dark
/// backgrounds.
private let memberColors = [
  "#d1495b", "#2e86ab", "#3a7d44", "#c17817", "#7b4fa3", "#0f8b8d", "#b5487f", "#5c6bc0",
  "#8d6e3f", "#4f772d", "#c8553d", "#3d6d99",
]

extension SessionFold {
  private var hasOwner: Bool { members.values.contains { $0.role == .owner } }

  /// The members in the order in which they joined.
  package var membersInOrder: [Member] { members.values.sorted { $0.number < $1.number } }

  mutating func join(_ joining: LogEntry.Joining, _ outcomes: inout [Outcome]) {
    guard members[joining.member] == nil else { return }
    members[joining.member] = Member(
      id: joining.member, number: joinCount, secret: joining.secret, name: joining.name,
      color: memberColors[joinCount % memberColors.count],
      role: joining.role.map {
        granted($0, subject: joining.subject, member: joining.member)
      } ?? (hasOwner ? .editor : .owner), refs: RefBook(),
      subject: joining.subject, info: joining.info)
    joinCount += 1
    outcomes.append(.joined(joining.member, meta: joining.meta))
  }

  /// A member's token grants another role.
  mutating func take(role: Role, of member: MemberID, _ outcomes: inout [Outcome]) {
    let subject = members[member]?.subject
    change(role: granted(role, subject: subject, member: member), of: member, &outcomes)
  }

  mutating func change(role: Role, of member: MemberID, _ outcomes: inout [Outcome]) {
    guard members[member] != nil, members[member]?.role != role else { return }
    members[member]?.role = role
    outcomes.append(.roleChanged(member))
    noteSight(of: member, &outcomes)
  }

  /// Moves a member to ``remembered``. If a session without tokens then has no owner, its earliest
  /// remaining member becomes the owner.
  mutating func leave(_ member: MemberID, _ outcomes: inout [Outcome]) {
    guard let gone = members.removeValue(forKey: member) else { return }
    remembered.add(gone, limits) { picker.hasMarks(of: $0.text) }
    outcomes.append(.left(member))
    guard origin.access == .open, !hasOwner, let successor = membersInOrder.first else { return }
    members[successor.id]?.role = .owner
    outcomes.append(.roleChanged(successor.id))
    noteSight(of: successor.id, &outcomes)
  }

  /// A member that had left rejoins, with its name, colour, role and refs, but last in the order of
  /// joining.
  ///
  /// - Parameter role: The role of its token. `nil` in sessions without tokens: the member keeps
  ///   its role, or becomes the owner if there is none.
  mutating func readd(
    _ id: MemberID, _ role: Role?, _ outcomes: inout [Outcome]
  ) {
    guard members[id] == nil else { return }
    guard var member = remembered.remove(id) else { return }
    let roleBefore = member.role
    if let role {
      member.role = granted(role, subject: member.subject, member: id)
    } else if origin.access == .open, !hasOwner {
      member.role = .owner
    }
    member.number = joinCount
    joinCount += 1
    members[id] = member
    outcomes.append(.joined(id))
    if member.role != roleBefore { noteSight(of: id, &outcomes) }
  }
}
