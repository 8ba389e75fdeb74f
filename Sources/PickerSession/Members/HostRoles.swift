package import PickerModel

/// A role that the host has given a user. It counts at once, and later tokens of the user give at
/// most this role.
/// - Source: web/guide/README.md, "Let your users in".
package struct HostRole: Hashable, Sendable {
  /// A subject, or a member.
  package let target: Revocation.Target
  package let role: Role

  package init(_ target: Revocation.Target, _ role: Role) {
    self.target = target
    self.role = role
  }
}

/// The roles that the host has given, at most ``countMax``. The role `owner` limits no token, so it
/// is not stored.
package struct HostRoles: Hashable, Sendable {
  package static let countMax = 256

  package private(set) var roles: [HostRole]

  package init(_ roles: [HostRole] = []) { self.roles = roles }

  package var isEmpty: Bool { roles.isEmpty }

  /// Whether another role can be stored.
  package func hasRoom(for role: HostRole) -> Bool {
    role.role == .owner || roles.count < HostRoles.countMax
      || roles.contains { $0.target == role.target }
  }

  mutating func set(_ role: HostRole) {
    guard hasRoom(for: role) else { return }
    roles.removeAll { $0.target == role.target }
    if role.role < .owner { roles.append(role) }
  }

  /// The role of a user whose token grants `role`.
  func granted(_ role: Role, subject: String?, member: MemberID?) -> Role {
    roles.reduce(role) { role, set in
      set.target.concerns(subject: subject, member: member) ? min(role, set.role) : role
    }
  }
}

extension SessionFold {
  /// The role that a token grants a user.
  ///
  /// - Parameter member: `nil` if it is not known yet who the user is.
  package func granted(_ role: Role, subject: String?, member: MemberID? = nil) -> Role {
    hostRoles.isEmpty ? role : hostRoles.granted(role, subject: subject, member: member)
  }

  /// What a role of a member is stored about: the member's subject, if it has one, because another
  /// member can have the same token.
  package func roleTarget(of target: Revocation.Target) -> Revocation.Target {
    guard case .member(let id) = target,
      let subject = (members[id] ?? remembered.member(id))?.subject
    else { return target }
    return .subject(subject)
  }

  mutating func set(_ role: HostRole, _ effects: inout [Effect]) {
    let role = HostRole(roleTarget(of: role.target), role.role)
    facts.hostRoles.set(role)
    for member in membersInOrder
    where role.target.concerns(subject: member.subject, member: member.id) {
      change(role: role.role, of: member.id, &effects)
    }
    for member in remembered.members
    where role.target.concerns(subject: member.subject, member: member.id) {
      facts.remembered.change(role: role.role, of: member.id)
    }
  }
}
