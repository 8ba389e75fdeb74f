package import CivilTime
package import PickerModel

/// What a session was created with; never changes.
package struct SessionOrigin: Sendable {
  package let id: SessionID
  /// Names one unbroken history. Another one after accepted history was lost.
  package let epoch: String
  package let definition: Definition
  /// At most 200 characters.
  package let title: String?
  /// Seconds without a revision or a join after which the session ends.
  package let ttlSeconds: Int
  package let openTap: OpenTap
  package let access: Access
  /// By the session's clock.
  package let createdAt: Instant

  /// Whose tap may close an open range.
  /// - Source: protocol.md, "Two people, one range".
  package enum OpenTap: String, Sendable {
    /// Anybody's.
    case shared
    /// For 15 s only that of the member that opened it.
    case opener

    /// - Parameter word: On the wire or in a store; `owner` is the old name of `opener`.
    package init?(word: String) {
      guard let known = OpenTap(rawValue: word == "owner" ? "opener" : word) else { return nil }
      self = known
    }
  }

  /// Where roles come from.
  package enum Access: Hashable, Sendable {
    /// The first member is the owner, later ones are editors.
    case open
    /// The three tokens of the create answer.
    case tokens([Role: SecretHash])
  }

  package init(
    id: SessionID, epoch: String, definition: Definition, title: String? = nil,
    ttlSeconds: Int = 86_400, openTap: OpenTap = .shared, access: Access = .open,
    createdAt: Instant
  ) {
    self.id = id
    self.epoch = epoch
    self.definition = definition
    self.title = title
    self.ttlSeconds = ttlSeconds
    self.openTap = openTap
    self.access = access
    self.createdAt = createdAt
  }

  /// The role that `token` gives; `nil` for a token that is none of this session's.
  package func role(of token: SecretHash) -> Role? {
    guard case .tokens(let hashes) = access else { return nil }
    var role: Role?
    for candidate in Role.allCases where hashes[candidate]?.matches(token) == true {
      role = candidate
    }
    return role
  }
}
