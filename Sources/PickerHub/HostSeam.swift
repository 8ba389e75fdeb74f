package import JSONText
package import PickerModel
package import PickerSession
package import PickerWire

/// What the operations of an application's backend use of a hub: the target `PickerHost` reaches a
/// hub here and nowhere else.
package struct HostSeam {
  unowned let hub: Hub
}

extension Hub {
  package var seam: HostSeam { HostSeam(hub: self) }
}

/// Sessions.
extension HostSeam {
  /// Begins an operation at a time; its continuations run later, at their own ``now``.
  package func begin(at time: HubTime) { hub.now = time }

  /// The time of the current call of the hub.
  package var now: HubTime { hub.now }

  /// Finds a session for an operation; see ``Hub/find(_:token:ticket:needs:isDeletion:at:)``.
  package func find(
    _ id: SessionID, token: Credential?, ticket: Ticket? = nil, needs role: Role,
    isDeletion: Bool = false, at time: HubTime
  ) async throws(HubProblem) -> HostedSession {
    try await hub.find(
      id, token: token, ticket: ticket, needs: role, isDeletion: isDeletion, at: time)
  }

  /// A session in memory; `nil` if there is none, or it cannot be loaded.
  package func loaded(_ id: SessionID) async -> HostedSession? {
    await answered { hub.whenLoaded(id, $0) }
  }

  /// Waits for everything that waits in a session; `nil` if it has ended or was unloaded.
  package func afterSteps(of hosted: HostedSession) async -> HostedSession? {
    await hub.afterSteps(of: hosted)
  }

  /// Applies a tick that is due to a session that other members may see ahead of it.
  package func bringUpToDate(_ hosted: HostedSession) {
    if hub.isAhead(hosted, at: hub.now) { hub.tickIfDue(hosted, at: hub.now) }
  }

  /// Appends an entry to a session's log.
  ///
  /// - Throws: Why it is not appended.
  package func append(
    _ body: consuming LogEntry.Body, to hosted: HostedSession
  ) throws(HubProblem) -> AppendedEntry {
    let appended = AppendedEntry()
    let isStored = hub.append(body, to: hosted, at: hub.now) { effects in
      appended.finish(effects.map { .success($0) } ?? .failure(hosted.loss))
    }
    guard isStored else { throw hosted.refusal }
    return appended
  }

  /// Waits until a session has the newest version of its shared definition that the hub knows, and
  /// no change of the host is pending, so that the next one is checked against its outcome.
  package func afterChanges(of hosted: HostedSession) async throws(HubProblem) -> HostedSession {
    try await hub.afterHostChanges(of: try await hub.afterFollowing(of: hosted))
  }

  /// Opens a new session whose names are reserved.
  ///
  /// - Returns: What the log has decided about it.
  /// - Throws: Why not.
  package func open(
    _ fold: SessionFold, _ names: SessionIndex.Names, ordinal: Int64, key: CreationKey?
  ) async throws(HubProblem) -> CreationOutcome {
    try await answered { (answer: @escaping (Result<CreationOutcome, HubProblem>) -> Void) in
      do throws(HubProblem) {
        try hub.open(fold, names, ordinal: ordinal, key: key) { answer(.success($0)) }
      } catch {
        answer(.failure(error))
      }
    }.get()
  }

  /// Denies a confirmation that waits, because its session is about to end.
  package func denyConfirmation(of hosted: HostedSession) { hub.denyConfirmation(of: hosted) }

  /// Ends a session for which nothing waits.
  ///
  /// - Parameter releasesBooking: Whether its booking in the inventory is deleted, too.
  package func end(
    _ hosted: HostedSession, releasesBooking: Bool = false
  ) async throws(HubProblem) {
    try await answered {
      hub.end(hosted, .deleted, releasesBooking: releasesBooking, completion: $0)
    }.get()
  }

  /// A random id that belongs to this hub's shard.
  package func newID() -> SessionID { hub.newID() }
}

/// Which sessions exist.
extension HostSeam {
  /// Whether other nodes own sessions of the same log.
  package var isClustered: Bool { hub.isClustered }
  package var isDraining: Bool { hub.isDraining }
  package var shard: HubShard { hub.shard }
  package var log: any SessionLog { hub.log }
  package var limits: ServerLimits { hub.limits }
  /// Whether a session exists, or may exist and must be looked up.
  package func mayExist(_ id: SessionID) -> Bool { hub.mayExist(id) }
  /// Whether a session was found at another node a moment ago.
  package func isElsewhere(_ id: SessionID) -> Bool {
    hub.lookups.isElsewhere(id, at: hub.now.machine)
  }
  /// Whether the memory of the sessions is below its maximum, once histories are dropped for it.
  package func hasMemory(for byteCount: Int) -> Bool { hub.directory.makeRoom(for: byteCount) }
  /// The problem of a request whose session could not be loaded.
  package func absence(of id: SessionID) -> HubProblem { hub.absence(of: id) }

  /// What a new session sees of an inventory.
  package func inventory(
    _ settings: InventorySettings, _ counts: InventoryChange, for definition: Definition
  ) -> KnownInventory { hub.inventory(settings, counts, for: definition) }

  /// Counts the creations that read a shared definition: its changes are noted meanwhile.
  package func readsShared(_ change: Int) { hub.following.creationCount += change }
}

/// Definitions, texts and access.
extension HostSeam {
  package var maker: DefinitionMaker { hub.maker }

  /// Makes a definition, or returns the equal one that sessions in memory have.
  package func define(
    _ tree: JSONTree, _ prepared: PreparedDefinition? = nil
  ) throws(DefinitionProblem) -> Definition {
    try hub.define(tree, prepared)
  }

  /// The result of `work`, which runs on another thread.
  package func inBackground<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value
  {
    await answered { hub.port.inBackground(work, then: $0) }
  }

  package func texts(for tag: String?, fallback: String) -> any RowTexts {
    hub.languages.texts(for: tag, fallback: fallback)
  }

  /// The zone in which a reader gets times; `nil` for the definition's.
  package func cellZone(_ name: String?, of definition: Definition) -> CellZone? {
    hub.cellZone(name, of: definition)
  }

  /// The application's name and link in events for calendars.
  package var configuration: HubConfiguration { hub.configuration }

  /// Random texts and hashes.
  package func text() -> String { hub.identities.text() }
  package func digest(of bytes: [UInt8]) -> [UInt8] { hub.identities.digest(of: bytes) }

  /// The tokens of a new session, and what its log has of them; the same for the same key and salt.
  package func newAccess(
    isOwned: Bool, from key: String?, salt: String
  ) throws(HubProblem) -> (SessionOrigin.Access, tokens: CreatedTokens) {
    try hub.admission.newAccess(isOwned: isOwned, from: key, salt: salt, &hub.identities)
  }

  /// Whether the sender of an admitted request may change the session.
  package func allowsChange(_ credential: Credential?, of session: Session) -> Bool {
    hub.admission.allowsChange(credential, of: session)
  }

  /// Whether the sender of an admitted request sees the parts of all members.
  package func seesParts(_ credential: Credential?, of session: Session) -> Bool {
    hub.admission.seesParts(credential, of: session)
  }

  /// Checks a reader of a session that is not in memory.
  package func admitReader(_ credential: Credential?, to session: Session) throws(HubProblem) {
    try hub.admission.admit(credential, to: session, needs: .viewer)
  }
}
