package import PickerSession
import PickerWire

/// Which sessions exist. A hub whose log is not shared knows all of them; otherwise it knows those
/// that its node owns, and the log is asked about the others.
extension Hub {
  /// Whether a session exists, or may exist and must be looked up.
  func mayExist(_ id: SessionID) -> Bool {
    if directory.exists(id) { return true }
    return isShared && directory[id] == nil && !lookups.isAbsent(id, at: now.machine)
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
    isShared && directory[id] == nil && !lookups.isRunning(for: id)
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
  func absence(of id: SessionID) -> HubProblem { mayExist(id) ? .unavailable : .noSuchSession }

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
    case .absent: lookups.noteAbsence(of: id, at: now.machine)
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

  /// A session of a shared log is in memory no more: the hub forgets it, and any node may own it.
  func release(_ id: SessionID) {
    guard isShared else { return }
    directory.forget(id)
    log.released(id)
  }
}
