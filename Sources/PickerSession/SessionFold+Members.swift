import PickerModel

/// The colours of members, in the order in which they join; told apart on light and dark grounds.
private let memberColors = [
  "#d1495b", "#2e86ab", "#3a7d44", "#c17817", "#7b4fa3", "#0f8b8d", "#b5487f", "#5c6bc0",
  "#8d6e3f", "#4f772d", "#c8553d", "#3d6d99",
]

extension SessionFold {
  /// The owner, if there is one.
  var owner: Member? { members.values.first { $0.role == .owner } }

  /// The members in the order in which they joined.
  package var membersInOrder: [Member] { members.values.sorted { $0.number < $1.number } }

  mutating func join(_ joining: LogEntry.Joining, _ outcomes: inout [Outcome]) {
    guard members[joining.member] == nil else { return }
    members[joining.member] = Member(
      id: joining.member, number: joinCount, secret: joining.secret, name: joining.name,
      color: memberColors[joinCount % memberColors.count],
      role: joining.role ?? (owner == nil ? .owner : .editor), refs: RefBook())
    joinCount += 1
    outcomes.append(.joined(joining.member))
  }

  mutating func change(role: Role, of member: MemberID, _ outcomes: inout [Outcome]) {
    guard members[member] != nil, members[member]?.role != role else { return }
    members[member]?.role = role
    outcomes.append(.roleChanged(member))
  }

  /// Takes the member out. Where the first is the owner, the next takes its place.
  mutating func leave(_ member: MemberID, _ outcomes: inout [Outcome]) {
    guard let gone = members.removeValue(forKey: member) else { return }
    outcomes.append(.left(member))
    guard origin.access == .open, gone.role == .owner, let heir = membersInOrder.first else {
      return
    }
    members[heir.id]?.role = .owner
    outcomes.append(.roleChanged(heir.id))
  }
}
