package import PickerSession

/// What a session log does in addition if several nodes append to it.
///
/// The defaults are those of a log that a single process uses: the hub then knows all sessions and
/// all their entries. Completions are called on the thread of the calling hub.
/// - Source: ARCHITECTURE.md, invariant 2.
package protocol SharedSessionLog: AnyObject {
  /// Whether other nodes append to the same logs. Only then the hub calls the functions below.
  var isShared: Bool { get }
  /// The running process in announcements. A restarted process has another one.
  var node: NodeIncarnation { get }
  /// What all nodes have in the log, as far as this one knows. Can be called on any thread. `nil`:
  /// the hubs know all sessions and keys.
  var sharedCount: SharedCount? { get }
  /// Looks up a session that the hub does not know.
  func find(
    _ session: SessionID, completion: @escaping @Sendable (LogLookup<DormantSession>) -> Void)
  /// Looks up the session that has the external id or the idempotency key of a creation.
  ///
  /// - Parameter hub: The index of the calling hub.
  func find(
    _ names: SessionIndex.Names, hub: Int,
    completion: @escaping @Sendable (LogLookup<NameOwner>) -> Void)
  /// Reads a page of the list of sessions; ``LogLookup/absent`` is not used.
  ///
  /// - Parameter hub: The index of the calling hub.
  func list(
    _ query: SessionListQuery, hub: Int,
    completion: @escaping @Sendable (LogLookup<SessionListPage>) -> Void)
  /// Reports all entries of a loaded session that are committed now by ``Hub/committed(_:of:at:)``,
  /// then calls the completion. If the log cannot be read, it only calls the completion.
  func catchUp(_ session: SessionID, completion: @escaping @Sendable () -> Void)
  /// The hub has removed the session from memory: the log reports no more of its entries. If
  /// records that the hub appended before are committed after a later load, they are reported as
  /// foreign.
  func released(_ session: SessionID)
  /// Sends an announcement to all nodes that serve the session, this one included. All of them
  /// receive the announcements of a session in the same order.
  func announce(_ announcement: PresenceAnnouncement, of session: SessionID)
}

extension SharedSessionLog {
  package var isShared: Bool { false }
  package var node: NodeIncarnation { NodeIncarnation("") }
  package var sharedCount: SharedCount? { nil }

  package func find(
    _ session: SessionID, completion: @escaping @Sendable (LogLookup<DormantSession>) -> Void
  ) { completion(.absent) }

  package func find(
    _ names: SessionIndex.Names, hub: Int,
    completion: @escaping @Sendable (LogLookup<NameOwner>) -> Void
  ) { completion(.absent) }

  package func list(
    _ query: SessionListQuery, hub: Int,
    completion: @escaping @Sendable (LogLookup<SessionListPage>) -> Void
  ) { completion(.absent) }

  package func catchUp(_ session: SessionID, completion: @escaping @Sendable () -> Void) {
    completion()
  }

  package func released(_ session: SessionID) {}
  package func announce(_ announcement: PresenceAnnouncement, of session: SessionID) {}
}

/// What several nodes have created in a log.
package struct SharedCount: Hashable, Sendable {
  /// Sessions that have not ended.
  package var sessions: Int
  /// Idempotency keys.
  package var keys: Int

  package init(sessions: Int = 0, keys: Int = 0) {
    self.sessions = sessions
    self.keys = keys
  }

  package static func += (one: inout SharedCount, other: SharedCount) { one = one + other }

  package static func -= (one: inout SharedCount, other: SharedCount) {
    one.sessions -= other.sessions
    one.keys -= other.keys
  }

  package static func + (one: SharedCount, other: SharedCount) -> SharedCount {
    SharedCount(sessions: one.sessions + other.sessions, keys: one.keys + other.keys)
  }
}

/// The outcome of looking something up in a log.
package enum LogLookup<Found: Sendable>: Sendable {
  case found(Found)
  /// It does not exist, or has ended.
  case absent
  /// The log cannot be read now.
  case unavailable

  /// What was found, if anything.
  package var value: Found? { if case .found(let value) = self { value } else { nil } }
}

/// The owner of a name of a creation.
package enum NameOwner: Sendable {
  /// A living session has the external id.
  case session(SessionID)
  /// A session was created with the idempotency key.
  case key(CreationKey)
}

/// A request for a page of the list of sessions.
package struct SessionListQuery: Hashable, Sendable {
  /// Only the session with this external id, if any.
  package let external: String?
  /// Only sessions with this status, if any.
  package let status: SessionStatus?
  /// Only sessions with a greater ordinal; 0: from the first one.
  package let after: Int64
  /// The maximum number of sessions.
  package let limit: Int

  package init(external: String?, status: SessionStatus?, after: Int64, limit: Int) {
    self.external = external
    self.status = status
    self.after = after
    self.limit = limit
  }
}

/// A page of the list of sessions, in the order of their ordinals.
package struct SessionListPage: Sendable {
  package let sessions: [SessionIndex.Entry]
  /// The cursor of the next page; `nil` after the last one.
  package let next: Int64?

  package init(sessions: [SessionIndex.Entry], next: Int64?) {
    self.sessions = sessions
    self.next = next
  }
}
