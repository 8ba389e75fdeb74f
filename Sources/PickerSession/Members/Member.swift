package import PickerModel

/// What a member may do. Each role may do all that the roles before it may.
///
/// - Source: web/guide/README.md, "Links and tokens".
package enum Role: String, Comparable, Sendable, CaseIterable {
  /// May only watch.
  case viewer
  /// May also select, tap, mark, clear, undo and redo.
  case editor
  /// May also confirm, cancel, reopen and delete.
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

/// A participant of a session.
///
/// A member outlives its connections: it can reconnect within 120 s. After that it has left, and is
/// in ``SessionFold/remembered`` in case it rejoins.
package struct Member: Hashable, Sendable {
  package let id: MemberID
  /// The order of joining, from 0. A member that rejoins gets a new number.
  package internal(set) var number: Int
  package let secret: SecretHash
  /// At most 64 characters.
  package internal(set) var name: String
  /// `#rrggbb`.
  package let color: String
  /// The user's id at the host, from its token.
  package let subject: String?
  /// JSON text for the other members, from its token.
  package let info: String?
  package internal(set) var role: Role
  /// The refs and outcomes of the member's last commands.
  package internal(set) var refs: RefBook
  /// The revision at which it may have begun to see more or less, because it got another role;
  /// `nil` if it did not.
  package internal(set) var sightRevision: Int?

  package init(
    id: MemberID, number: Int, secret: SecretHash, name: String, color: String, role: Role,
    refs: RefBook, subject: String? = nil, info: String? = nil,
    sightRevision: Int? = nil
  ) {
    self.id = id
    self.number = number
    self.secret = secret
    self.name = name
    self.color = color
    self.subject = subject
    self.info = info
    self.role = role
    self.refs = refs
    self.sightRevision = sightRevision
  }
}
