import CivilTime
import PickerModel
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
    if let shared = log.sharedCount, isFull(shared, for: names) { throw .full }
    guard shard.total.take(max: limits.sessions) else { throw .full }
    // The directory counts the session itself; this only reserved room for it.
    defer { shard.total.add(-1) }
    let hosted = directory.host(fold, at: now)
    guard directory.hasRoom(for: hosted) else { throw .full }
    var origin = fold.origin
    (origin.ordinal, origin.key) = (ordinal, key)
    let entry = SessionIndex.Entry(
      id: origin.id, ordinal: ordinal, external: origin.host.external,
      namespace: origin.host.namespace, status: .open)
    switch log.append(.created(origin), of: origin.id) {
    case .storeFull: throw .storeFull
    case .failed, .full, .exhausted: throw .unavailable
    case .stored:
      directory.create(hosted, isStored: true)
      opened(hosted, entry, key)
      completion(.stored)
    case .pending:
      directory.create(hosted, isStored: false)
      hosted.steps.append(
        .created { [unowned self] outcome in
          if outcome == .stored {
            directory.created(hosted)
            opened(hosted, entry, key)
          } else {
            shard.names.use { $0.release(names) }
          }
          completion(outcome)
        })
    }
  }

  /// Whether the sessions or the idempotency keys of all nodes are at their maximum.
  private func isFull(_ shared: SharedCount, for names: SessionIndex.Names) -> Bool {
    if shared.sessions >= limits.sessions { return true }
    return names.key != nil && !shard.names.use { $0.mayAddKey(to: shared.keys) }
  }
  private func opened(_ hosted: HostedSession, _ entry: SessionIndex.Entry, _ key: CreationKey?) {
    feedCreation(of: hosted)
    if isShared {
      // The log has the names.
      let names = SessionIndex.Names(
        external: entry.external, namespace: entry.namespace, key: key?.keyHash)
      shard.names.use { $0.release(names) }
    } else {
      shard.names.use { $0.add(entry, key: key) }
    }
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
