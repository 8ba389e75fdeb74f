package import JSONText

/// The optional fields that a host sets when it creates a session, for its own use.
package struct HostFields: Hashable, Sendable {
  /// The host's own id of the session, 1 to 200 characters; unique among existing sessions.
  package var external: String?
  /// JSON that responses and events repeat unchanged; at most 4 KiB.
  package var meta: VerbatimJSON?
  /// The seconds in which the host must decide on a confirmation, 1 … 3,600; `nil` if confirmations
  /// need no decision of the host.
  package var decideSeconds: Int?
  /// The optional events of the session in the feed.
  package var watched: Set<Watched>
  /// Whether connections with the same subject are one member, so that a user has the same member
  /// on all devices.
  package var isOneMember: Bool
  /// Whether members cannot reopen the session, so that what was confirmed is final for them.
  package var isReopenedByHost: Bool
  /// Whether members cannot cancel the session, except a confirmation that waits for the host.
  package var isCancelledByHost: Bool
  /// The namespace of the key that created the session; `nil` for a key without one.
  package var namespace: String?
  /// Texts for the session's calendar event.
  package var event: EventTexts
  /// The digest of the body of the creation, if the session has an external id.
  package var bodyDigest: [UInt8]?

  package enum Watched: String, CaseIterable, Sendable {
    /// Results that have not changed for a while.
    case result
    /// Members that join and leave.
    case members
    /// Changes of its definition, if it uses a shared one.
    case definition
    /// Holds and their ends, and the ends of offers.
    case holds
  }

  package init(
    external: String? = nil, meta: VerbatimJSON? = nil, decideSeconds: Int? = nil,
    watched: Set<Watched> = [], isOneMember: Bool = false, isReopenedByHost: Bool = false,
    isCancelledByHost: Bool = false, namespace: String? = nil, event: EventTexts = EventTexts(),
    bodyDigest: [UInt8]? = nil
  ) {
    self.external = external
    self.meta = meta
    self.decideSeconds = decideSeconds
    self.watched = watched
    self.isOneMember = isOneMember
    self.isReopenedByHost = isReopenedByHost
    self.isCancelledByHost = isCancelledByHost
    self.namespace = namespace
    self.event = event
    self.bodyDigest = bodyDigest
  }
}

/// The texts that a host gives a calendar event, besides the title; each at most 500 characters.
package struct EventTexts: Hashable, Sendable {
  package var location: String?
  package var description: String?
  /// An absolute http or https URL.
  package var url: String?

  package init(location: String? = nil, description: String? = nil, url: String? = nil) {
    self.location = location
    self.description = description
    self.url = url
  }

  /// The fields by their names on the wire, those that are given.
  package var fields: [(name: String, text: String)] {
    [("location", location), ("description", description), ("url", url)].compactMap { field in
      field.1.map { (field.0, $0) }
    }
  }
}

extension Set<HostFields.Watched> {
  /// The words on the wire, in the order of their declaration.
  package var sortedWords: [String] {
    HostFields.Watched.allCases.filter(contains).map(\.rawValue)
  }
}
