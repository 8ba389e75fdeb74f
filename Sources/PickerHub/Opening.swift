import PickerSession

/// Opening new sessions.
extension Hub {
  /// Opens a new session whose names are reserved: appends its creation.
  ///
  /// - Parameter completion: Called when the log has decided about it.
  /// - Throws: Why not. `completion` has not been called then.
  func open(
    _ fold: SessionFold, _ names: SessionIndex.Names, ordinal: Int64, key: CreationKey?,
    completion: @escaping (CreationOutcome) -> Void
  ) throws(HubProblem) {
    if let shared = log.clusterCount {
      if shared.sessions >= limits.sessions { throw .full(.sessions) }
      // Keys count as sessions do.
      guard names.key == nil || shard.names.use({ $0.mayAddKey(to: shared.keys) }) else {
        throw .full(.keys)
      }
    }
    guard shard.total.take(max: limits.sessions) else { throw .full(.sessions) }
    // The directory counts the session itself; this only reserved room for it.
    defer { shard.total.add(-1) }
    let hosted = directory.host(fold, at: now)
    guard directory.makeRoom(for: hosted) else { throw .full(.sessionsBytes) }
    var origin = fold.origin
    (origin.ordinal, origin.key) = (ordinal, key)
    let entry = SessionIndex.Entry(
      id: origin.id, ordinal: ordinal, external: origin.host.external,
      namespace: origin.host.namespace, uses: origin.uses?.name, status: .open)
    let record = LogRecord.created(
      origin, event: fold.creationEvent, nextTick: fold.nextTick)
    switch log.append(record, of: origin.id) {
    case .storeFull: throw .storeFull
    case .decided, .failed, .full, .exhausted: throw .unavailable
    case .stored:
      directory.create(hosted, isStored: true)
      sessionOpened(hosted, entry, key)
      completion(.stored)
    case .pending:
      directory.create(hosted, isStored: false)
      hosted.steps.append(
        .created { [unowned self] outcome in
          if outcome == .stored {
            sessionOpened(hosted, entry, key)
          } else {
            shard.names.use { $0.release(names) }
          }
          completion(outcome)
        })
    }
  }

  /// Why new sessions are refused now, apart from a store that cannot be written and from draining;
  /// `nil` if they are not.
  package var creationProblem: HubProblem? {
    let count = log.clusterCount?.sessions ?? shard.total.count
    if count >= limits.sessions { return .full(.sessions) }
    return directory.refusesSessions ? .full(.sessionsBytes) : nil
  }

  private func sessionOpened(
    _ hosted: HostedSession, _ entry: SessionIndex.Entry, _ key: CreationKey?
  ) {
    guard !isClustered else {
      // The log has the names, and the session: the node of its first member shall own it.
      let names = SessionIndex.Names(
        external: entry.external, namespace: entry.namespace, key: key?.keyHash)
      shard.names.use { $0.release(names) }
      unload(hosted)
      directory.forget(hosted.id)
      return forgetShared()
    }
    directory.created(hosted)
    shard.names.use { $0.add(entry, key: key) }
    schedule.addExpiry(of: hosted.id, due: hosted.expiresAt, at: now)
    queueTick(of: hosted)
    followNow(hosted)
    evictSoon(hosted)
  }

  /// A random id that belongs to this hub's shard.
  func newID() -> SessionID {
    while true {
      let id = SessionID(identities.text())
      if shard.has(id) { return id }
    }
  }
}
