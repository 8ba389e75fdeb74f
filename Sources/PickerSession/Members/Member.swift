/// What a member may do; each role may do what the one before it may.
/// - Source: protocol.md, "Members and roles".
package enum Role: String, Comparable, Sendable, CaseIterable {
  /// Looks.
  case viewer
  /// Selects, taps, clears, undoes.
  case editor
  /// Confirms, cancels, reopens, deletes.
  case owner

  package static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .viewer: 0
    case .editor: 1
    case .owner: 2
    }
  }
}

/// Somebody who takes part in a session. Survives its connections: after 120 s without one it has
/// left, and is remembered.
package struct Member: Hashable, Sendable {
  package let id: MemberID
  /// Grows by one with each join and each return, from 0: the member that has been here longest has
  /// the least.
  package internal(set) var number: Int
  package let secret: SecretHash
  /// At most 64 characters.
  package let name: String
  /// `#rrggbb`.
  package let color: String
  package internal(set) var role: Role
  /// The commands that the member gave, as far back as they are remembered.
  package internal(set) var refs: RefBook

  package init(
    id: MemberID, number: Int, secret: SecretHash, name: String, color: String, role: Role,
    refs: RefBook
  ) {
    self.id = id
    self.number = number
    self.secret = secret
    self.name = name
    self.color = color
    self.role = role
    self.refs = refs
  }
}
