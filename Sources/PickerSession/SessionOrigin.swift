package import CivilTime
package import PickerModel

/// The immutable properties that a session gets at its creation: entry 0 of its log.
package struct SessionOrigin: Sendable {
  package let id: SessionID
  /// Identifies an unbroken history. If accepted history is lost, the session gets another epoch,
  /// so that clients do not resume from revisions that no longer exist.
  package let epoch: String
  package let definition: Definition
  /// At most ``titleCountMax`` characters in each language.
  package let title: Note.Text?
  /// The notes that the session has from the beginning.
  package let notes: Notes
  /// Seconds without a delta or a join after which the session ends; default 86,400.
  package let ttlSeconds: Int
  package let openTap: OpenTap
  package let access: Access
  /// By the session's clock.
  package let createdAt: Instant
  package let host: HostFields
  /// The first value; `nil` if it is that of the definition.
  package var result: ResultFields?
  /// The position of the session in the list of sessions. Stored beside the origin; 0 when it is
  /// read back.
  package var ordinal: Int64 = 0
  /// The shared definition of which ``definition`` is made; `nil` if there is none.
  package var uses: SharedUse?
  /// The inventory of ``uses`` at the creation; `nil` if it has none.
  package var inventory: KnownInventory?
  /// Stored in the transaction of the creation; `nil` when the origin is read back.
  package var key: CreationKey?

  package static let titleCountMax = 200

  /// Which members may close an open range.
  ///
  /// - Source: web/guide/definitions.md, "`calendar`".
  package enum OpenTap: String, Sendable {
    /// Every editor.
    case shared
    /// Only the member that opened it, for ``SessionLimits/openTapMilliseconds``; then every
    /// editor.
    case opener

    /// - Parameter word: The value in a request. `owner` is accepted as the old name of `opener`.
    package init?(word: String) {
      guard let known = OpenTap(rawValue: word == "owner" ? "opener" : word) else { return nil }
      self = known
    }
  }

  /// How members get their roles.
  package enum Access: Hashable, Sendable {
    /// The first member is the owner, later ones are editors.
    case open
    /// Members with the token of the creator are owners, all others editors. Everybody may read.
    case creator(SecretHash)
    /// A token for each role. The response to the creation of the session contains them.
    case tokens([Role: SecretHash])
    /// Member tokens that the host signs. A server without the host's keys accepts no member.
    case keys

    package var hasCreator: Bool { if case .creator = self { true } else { false } }
  }

  package init(
    id: SessionID, epoch: String, definition: Definition, title: Note.Text? = nil,
    notes: Notes = Notes(), ttlSeconds: Int = 86_400, openTap: OpenTap = .shared,
    access: Access = .open,
    createdAt: Instant, host: HostFields = HostFields()
  ) {
    self.id = id
    self.epoch = epoch
    self.definition = definition
    self.title = title
    self.notes = notes
    self.ttlSeconds = ttlSeconds
    self.openTap = openTap
    self.access = access
    self.createdAt = createdAt
    self.host = host
  }

  /// The role of a token; `nil` if it is not a token of this session.
  package func role(of token: SecretHash) -> Role? {
    let hashes: [Role: SecretHash]
    switch access {
    case .tokens(let known): hashes = known
    case .creator(let owner): hashes = [.owner: owner]
    case .open, .keys: return nil
    }
    var role: Role?
    for candidate in Role.allCases where hashes[candidate]?.matches(token) == true {
      role = candidate
    }
    return role
  }
}
