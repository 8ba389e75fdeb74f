package import PickerSession

/// The storage of all sessions' logs. The log of a session defines the order of its commands.
///
/// The hub applies an entry, and broadcasts its delta, only when the log has stored it. So a crash
/// cannot undo anything that a member has seen. Every function is called on the hub's thread.
/// - Source: ARCHITECTURE.md, invariant 2.
package protocol SessionLog: AnyObject {
  /// Whether ``load(_:limits:hub:)`` works: only then sessions are evicted from memory.
  var canLoad: Bool { get }
  /// Appends a record.
  func append(_ record: consuming LogRecord, of session: SessionID) -> AppendOutcome
  /// Adds events to the feed, after everything that was appended and added before. If storing fails
  /// later, the log reports the session as lost; loading it derives the events again.
  ///
  /// - Returns: `false` if nothing can be stored now.
  func feed(_ record: FeedRecord, of session: SessionID) -> Bool
  /// Stores a snapshot, and deletes the entries that it makes superfluous. If storing fails later,
  /// the log reports the session as lost.
  ///
  /// - Returns: `false` if too many snapshots are pending; the hub may try again later.
  func store(_ snapshot: LogSnapshot, of session: SessionID) -> Bool
  /// Reloads a session; ``Hub/loaded(_:_:at:)`` follows. In a cluster's log this node owns the
  /// session from then on, until ``released(_:)`` or ``Hub/taken(_:at:)``, unless another node
  /// does.
  ///
  /// - Parameter hub: The index of the calling hub. Sessions of one hub share equal definitions;
  ///   sessions of different hubs, which have different threads, do not.
  func load(_ session: SessionID, limits: SessionLimits, hub: Int)
  /// Reads a page of a session's deltas by applying its entries again.
  ///
  /// - Parameter completion: Called on the hub's thread; `nil` if the log cannot be read.
  func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void)
  /// Reads the newest version of a shared definition.
  ///
  /// - Parameters:
  ///   - hub: The index of the calling hub.
  ///   - completion: Called on the hub's thread. Default: there is none.
  func shared(
    _ name: String, hub: Int,
    completion: @escaping @Sendable (LogLookup<SharedDefinition>) -> Void)
  /// Reads an inventory, or what has changed of it.
  ///
  /// - Parameters:
  ///   - name: Of the shared definition, with its namespace.
  ///   - number: What has changed after it is read; `nil`: everything.
  ///   - places: The places of sessions in the line are read if they have changed after this
  ///     number, too; `nil`: they are not.
  ///   - sessions: Whose claims are read.
  ///   - hub: The index of the calling hub.
  ///   - completion: Called on the hub's thread; ``LogLookup/absent`` if the definition has no
  ///     inventory. Default: it has none.
  func inventory(
    _ name: String, since number: Int?, places: Int?, of sessions: [SessionID], hub: Int,
    completion: @escaping @Sendable (LogLookup<InventoryChange>) -> Void)
  /// Stores the current time, soon, as that of the session's last join. An entry does so, too, but
  /// a member that resumes has none. Default: stores nothing.
  func noteVisit(of session: SessionID)

  /// Whether other nodes own sessions of the same log. Only then the hub calls the functions below;
  /// otherwise it knows all sessions.
  var isClustered: Bool { get }
  /// What all nodes have in the log, as far as this one knows. Can be called on any thread. `nil`:
  /// the hubs know all sessions and keys.
  var clusterCount: ClusterCount? { get }
  /// Whether no other node can have become the owner of a session of this one. If it may have, a
  /// session in memory may be out of date: then the hub calls ``confirm(_:completion:)`` before it
  /// reads it.
  var isCertain: Bool { get }
  /// Waits for a commit, which shows whether this node still owns its sessions;
  /// ``Hub/taken(_:at:)`` comes before the completion.
  ///
  /// - Parameter completion: Called on the hub's thread.
  func confirm(
    _ session: SessionID, completion: @escaping @Sendable (_ isConfirmed: Bool) -> Void)
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
  /// Reads a session that another node owns.
  ///
  /// - Parameters:
  ///   - hub: The index of the calling hub.
  ///   - completion: Called on the hub's thread; `nil` if it cannot be read.
  func describe(
    _ session: SessionID, limits: SessionLimits, hub: Int,
    completion: @escaping @Sendable (SessionFold?) -> Void)
  /// The hub has removed the session from memory: any node may own it.
  func released(_ session: SessionID)
}

/// The defaults are those of a log that a single process uses.
extension SessionLog {
  package func noteVisit(of session: SessionID) {}

  package func shared(
    _ name: String, hub: Int,
    completion: @escaping @Sendable (LogLookup<SharedDefinition>) -> Void
  ) { completion(.absent) }

  package func inventory(
    _ name: String, since number: Int?, places: Int?, of sessions: [SessionID], hub: Int,
    completion: @escaping @Sendable (LogLookup<InventoryChange>) -> Void
  ) { completion(.absent) }

  package var isClustered: Bool { false }
  package var clusterCount: ClusterCount? { nil }
  package var isCertain: Bool { true }

  package func confirm(
    _ session: SessionID, completion: @escaping @Sendable (_ isConfirmed: Bool) -> Void
  ) { completion(true) }

  package func describe(
    _ session: SessionID, limits: SessionLimits, hub: Int,
    completion: @escaping @Sendable (SessionFold?) -> Void
  ) { completion(nil) }

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

  package func released(_ session: SessionID) {}
}
