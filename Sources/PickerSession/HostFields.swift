package import JSONText

/// What a host gives a session at its creation for its own use.
/// - Source: host.md, sections 2, 3, 4 and 6.
package struct HostFields: Hashable, Sendable {
  /// The host's own id of the session, of 1 to 200 characters; unique while the session lives.
  package var external: String?
  /// Comes back in answers and events; at most 4 KiB.
  package var meta: VerbatimJSON?
  /// How long the host may take to decide on a confirmation, 1 to 3,600; `nil` if it is not asked.
  package var decideSeconds: Int?
  /// What the feed reports besides what it always does.
  package var watched: Set<Watched>
  /// Whether all devices of the same subject are one member.
  package var isOneMember: Bool

  package enum Watched: String, CaseIterable, Sendable {
    /// Results that have stood for a while.
    case result
    /// Members that join and leave.
    case members
  }

  package init(
    external: String? = nil, meta: VerbatimJSON? = nil, decideSeconds: Int? = nil,
    watched: Set<Watched> = [], isOneMember: Bool = false
  ) {
    self.external = external
    self.meta = meta
    self.decideSeconds = decideSeconds
    self.watched = watched
    self.isOneMember = isOneMember
  }
}

extension Set<HostFields.Watched> {
  /// The words on the wire, in the order of their declaration.
  package var sortedWords: [String] {
    HostFields.Watched.allCases.filter(contains).map(\.rawValue)
  }
}
