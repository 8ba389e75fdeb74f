import JSONText
import PickerModel
package import PickerSession

/// Definitions, ends, and finding sessions for requests.
extension Hub {
  /// Makes a definition, or returns the equal one that sessions in memory have.
  ///
  /// A known definition is used only if it makes a picker now. If it does not (all its dates have
  /// passed), it is made again, because that throws the problem with its pointer.
  func define(
    _ tree: JSONTree, _ prepared: PreparedDefinition? = nil
  ) throws(DefinitionProblem) -> Definition {
    let digest = prepared?.digest ?? identities.digest(of: tree.serialized())
    if let known = definitions[digest], (try? Picker(known, now: now.session)) != nil {
      return known
    }
    if let prepared {
      let definition = try prepared.made.get()
      definitions.insert(definition, digest: digest)
      return definition
    }
    let definition = try maker.make(tree, at: now.session)
    definitions.insert(definition, digest: digest)
    return definition
  }

  /// Denies a confirmation that waits, because its session is about to end.
  func denyConfirmation(of hosted: HostedSession) {
    guard let op = hosted.session.fold.decision.confirmation?.op else { return }
    append(.settle(Settle(op: op, isGranted: false)), to: hosted, at: now)
  }

  /// Ends a session: from now on the hub applies and answers nothing. When the log has stored the
  /// end, the connections are closed. The event has the state of now, without pending entries.
  func end(
    _ hosted: HostedSession, _ reason: SessionEnd, releasesBooking: Bool = false,
    completion: @escaping (Result<Void, HubProblem>) -> Void
  ) {
    let event = hosted.session.endEvent(reason, at: now.session)
    switch log.append(.ended(event, releasesBooking: releasesBooking), of: hosted.id) {
    case .decided, .failed, .full, .storeFull, .exhausted: completion(.failure(.unavailable))
    case .stored where hosted.steps.isEmpty:
      directory.end(hosted, reason)
      remove(hosted)
      completion(.success(()))
    case .stored, .pending:
      directory.end(hosted, reason)
      hosted.steps.append(
        .end { isStored in completion(isStored ? .success(()) : .failure(.unavailable)) })
    }
  }

  /// Removes a session whose end is stored, and closes its connections.
  func remove(_ hosted: HostedSession) {
    directory.ended(hosted.id)
    forgetShared()
    if isClustered { lookups.noteMissing(hosted.id, at: now.machine) }
    for id in hosted.connectionsInOrder {
      guard let connection = connections[id] else { continue }
      close(connection, .sessionEnded, hosted.endDetail)
    }
    noteEnd()
  }

  /// Finds a session for a request: loads it if needed, checks the token, and applies a due tick.
  ///
  /// - Parameters:
  ///   - ticket: A valid ticket, which grants a viewer's rights without a token.
  ///   - isDeletion: See ``LoadWaiter/isDeletion``.
  /// - Returns: When all earlier steps of the session have run.
  /// - Throws: There is no such session, or the token does not grant the role.
  func find(
    _ id: SessionID, token: Credential?, ticket: Ticket? = nil, needs role: Role,
    isDeletion: Bool = false, at time: HubTime
  ) async throws(HubProblem) -> HostedSession {
    now = time
    guard mayExist(id), token?.mayName(id) ?? true else { throw .noSuchSession }
    guard let loaded = await answered({ whenLoaded(id, isDeletion: isDeletion, $0) }) else {
      throw absence(of: id)
    }
    if loaded.isEnding { throw .noSuchSession }
    try admission.admit(token, ticket, to: loaded.session, needs: role)
    if loaded.steps.byteCount >= limits.queueBytes { throw .unavailable }
    tickIfDue(loaded, at: now)
    guard let hosted = await afterSteps(of: loaded) else { throw absence(of: id) }
    // A revocation may have been pending.
    if admission.hidesSessions {
      try admission.admit(token, ticket, to: hosted.session, needs: role)
    }
    return hosted
  }
}

/// Which sessions exist. A hub whose log is not a cluster's knows all of them; otherwise it knows
/// those that its node owns, and the log is asked about the others.
extension Hub {
  /// Whether a session exists, or may exist and must be looked up.
  func mayExist(_ id: SessionID) -> Bool {
    if directory.exists(id) { return true }
    return isClustered && directory[id] == nil && !lookups.isAbsent(id, at: now.machine)
  }

  /// Whether a session is not in memory, and neither being loaded nor looked up.
  func needsLoad(_ id: SessionID) -> Bool {
    switch directory[id] {
    case .dormant: true
    case nil: !lookups.isRunning(for: id)
    case .creating, .resident, .ending, .loading, .endingDormant: false
    }
  }

  /// Whether a request for a session would look it up in the log.
  package func needsLookUp(_ id: SessionID, at time: HubTime) -> Bool {
    isClustered && directory[id] == nil && !lookups.isRunning(for: id)
      && !lookups.isAbsent(id, at: time.machine)
  }

  /// Runs `body` if the look-up of a session that is running finds that there is none.
  package func whenAbsent(_ id: SessionID, _ body: @escaping () -> Void) {
    guard lookups.isRunning(for: id) else { return }
    let waiter = LoadWaiter(isDeletion: false) { [unowned self] _ in
      if lookups.isAbsent(id, at: now.machine) { body() }
    }
    lookUp(id, waiter)
  }

  /// The problem of a request whose session could not be loaded.
  func absence(of id: SessionID) -> HubProblem {
    guard mayExist(id) else { return .noSuchSession }
    return lacksMemory(for: id) ? .noMemory : .unavailable
  }

  /// Whether a session is not in memory because there is no room for it.
  func lacksMemory(for id: SessionID) -> Bool {
    // One that is in memory was loaded to be deleted only.
    directory.isFull
      && (directory.dormant(id)?.isUnreadable == false || directory.hosted(id) != nil)
  }

  /// Looks up a session that the hub does not know, and loads it.
  ///
  /// - Parameter waiter: Receives `nil` if there is no such session, or it cannot be loaded.
  func lookUp(_ id: SessionID, _ waiter: LoadWaiter) {
    guard mayExist(id) else { return waiter.body(nil) }
    guard lookups.wait(for: id, waiter) else { return }
    nonisolated(unsafe) let hub = self
    log.find(id) { hub.lookedUp(id, $0) }
  }

  private func lookedUp(_ id: SessionID, _ outcome: LogLookup<DormantSession>) {
    switch outcome {
    case .found(let session) where directory[id] == nil: restore(session, queuedTick: nil)
    case .absent: lookups.noteMissing(id, at: now.machine)
    case .found, .elsewhere, .unavailable, .unreadable: break
    }
    for waiter in lookups.end(of: id) {
      if directory.exists(id) {
        whenLoaded(id, isDeletion: waiter.isDeletion, waiter.body)
      } else {
        waiter.body(nil)
      }
    }
  }

  /// A session of a cluster's log is in memory no more: the hub forgets it, and any node may own
  /// it.
  func release(_ id: SessionID) {
    guard isClustered else { return }
    directory.forget(id)
    log.released(id)
  }
}
