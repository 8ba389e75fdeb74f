import CivilTime
package import PickerModel

/// The changes of members and fingers since the last presence message, merged.
///
/// - Source: web/guide/README.md, "Links and tokens".
package struct PresenceUpdates: Hashable, Sendable {
  /// Members that joined or rejoined, in order.
  package private(set) var joined: [MemberID] = []
  /// Members that disconnected or reconnected, got another role or name, and are not in ``joined``.
  package private(set) var changed: [MemberID] = []
  /// Members with another role, which get a message of their own about it.
  package private(set) var roleChanged: [MemberID] = []
  package private(set) var left: [MemberID] = []
  /// The last position of each finger that moved, in the order of their first moves.
  package private(set) var touching: [Touching] = []

  package struct Touching: Hashable, Sendable {
    package let member: MemberID
    package var touch: Touch
  }

  package var isEmpty: Bool {
    joined.isEmpty && changed.isEmpty && left.isEmpty && touching.isEmpty
  }

  /// A member that left and rejoined between two messages counts as joined, because its position in
  /// the order of joining changed.
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

  /// A member's welcome contains its current role, so it needs no message about it.
  mutating func welcome(_ member: MemberID) { roleChanged.removeAll { $0 == member } }

  /// A member that joined and left between two messages is in ``left`` nevertheless: a welcome or
  /// snapshot sent in between can have included it.
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
