import CivilTime

/// What has happened among the members since the last presence message, merged.
/// - Source: protocol.md, "Members and roles".
package struct PresenceUpdates: Hashable, Sendable {
  /// New members, in order.
  package private(set) var joined: [MemberID] = []
  /// Members that went offline, came back, or got another role.
  package private(set) var changed: [MemberID] = []
  /// Those of them with another role, which are informed of that themselves.
  package private(set) var roleChanged: [MemberID] = []
  package private(set) var left: [MemberID] = []
  /// The last place of each finger that moved, in the order in which they first moved.
  package private(set) var touching: [Touching] = []

  package struct Touching: Hashable, Sendable {
    package let member: MemberID
    package var touch: Touch
  }

  package var isEmpty: Bool {
    joined.isEmpty && changed.isEmpty && left.isEmpty && touching.isEmpty
  }

  /// A member that left and came back between two messages has joined: it is another one now in the
  /// order of joining.
  mutating func join(_ member: MemberID) {
    left.removeAll { $0 == member }
    joined.append(member)
  }

  mutating func change(_ member: MemberID) {
    if !joined.contains(member) && !changed.contains(member) { changed.append(member) }
  }

  mutating func changeRole(_ member: MemberID) {
    change(member)
    if !roleChanged.contains(member) { roleChanged.append(member) }
  }

  /// The member is about to be welcomed with its role as it is now.
  mutating func welcome(_ member: MemberID) {
    roleChanged.removeAll { $0 == member }
    change(member)
  }

  /// A member that joined and left between two messages is in ``left`` all the same: a welcome or a
  /// snapshot may have shown it meanwhile.
  mutating func leave(_ member: MemberID) {
    touching.removeAll { $0.member == member }
    roleChanged.removeAll { $0 == member }
    changed.removeAll { $0 == member }
    joined.removeAll { $0 == member }
    left.append(member)
  }

  mutating func touch(_ member: MemberID, _ touch: Touch) {
    if let index = touching.firstIndex(where: { $0.member == member }) {
      touching[index].touch = touch
    } else {
      touching.append(Touching(member: member, touch: touch))
    }
  }
}
