import PickerModel
package import PickerSession

/// Sessions follow their shared definition: each gets a new version as an entry of its own log, at
/// once if it is in memory, otherwise before anything else when it is loaded.
///
/// Thousands of sessions may have to follow at the same time. Few do in one event-loop iteration,
/// and few entries wait for the log, so that taps of other sessions are not delayed. A session gets
/// the newest version when it is its turn, and may skip others.
/// - Source: web/guide/inventory.md, "One inventory for many sessions".
extension Hub {
  /// A shared definition has a new version.
  package func changed(_ shared: SharedDefinition, at time: HubTime) {
    now = time
    note(shared)
  }

  private func note(_ shared: SharedDefinition) {
    let isLoading = directory.loadingCount > 0 || following.creationCount > 0
    let isNew = following.note(shared) { name in isLoading || directory.uses(name) }
    guard isNew else { return }
    for hosted in directory.sessions(using: shared.name) { queue(hosted) }
  }

  /// Queues a session if it has not got the newest version of its definition.
  func followLater(_ hosted: HostedSession) {
    guard let name = hosted.session.fold.origin.uses?.name, following.newest[name] != nil else {
      return
    }
    hosted.followedVersion = 0
    queue(hosted)
  }

  func queue(_ hosted: HostedSession) {
    guard !hosted.isFollower else { return }
    hosted.isFollower = true
    schedule.addFollower(hosted.id)
  }

  /// Lets a queued session follow as soon as no change of the host is pending.
  func follow(_ session: SessionID) {
    guard let hosted = directory.hosted(session) else { return }
    hosted.isFollower = false
    guard hosted.phase == .loaded else { return }
    see(hosted)
    guard needed(by: hosted) != nil else { return }
    performOnHub { [unowned self] in
      do throws(HubProblem) {
        follow(try await afterHostChanges(of: hosted))
      } catch {
        // Too many changes of the host wait.
        guard error == .tooMany else { return }
        schedule.add(.follow(session), due: now.machine + retryMilliseconds)
      }
    }
  }

  /// The version that a session has to follow now; `nil` if there is none.
  private func needed(by hosted: HostedSession) -> SharedDefinition? {
    guard let name = hosted.session.fold.origin.uses?.name, let newest = following.newest[name],
      let version = hosted.session.fold.shared?.version,
      newest.version > max(version, hosted.followedVersion),
      hosted.session.status != .confirming
    else { return nil }
    return newest
  }

  /// Waits until the session has got the newest version that the hub knows, so that an operation of
  /// the host counts after the changes that were answered before it.
  ///
  /// While another thread makes what changes, it waits as for a change of the session itself.
  func afterFollowing(of hosted: HostedSession) async throws(HubProblem) -> HostedSession {
    var hosted = hosted
    while needed(by: hosted) != nil {
      hosted = try await afterHostChanges(of: hosted)
      follow(hosted)
      guard hosted.phase == .loaded else {
        throw hosted.isEnding ? .noSuchSession : .unavailable
      }
      // The log does not accept it now; the queue tries again.
      if needed(by: hosted) != nil, !hosted.hostChanges.isPreparing { throw hosted.refusal }
    }
    return hosted
  }

  private func follow(_ hosted: HostedSession) {
    guard let shared = needed(by: hosted), let state = hosted.session.fold.shared,
      let step = step(of: hosted, state, to: shared)
    else { return }
    follow(hosted, step)
  }

  /// - Returns: `nil` if another thread makes it: the session is queued again then, and changes of
  ///   the host wait until then.
  private func step(
    of hosted: HostedSession, _ state: SharedState, to shared: SharedDefinition
  ) -> SharedStep? {
    let (definition, notes) = (hosted.session.fold.definition, hosted.session.fold.notes)
    let key = SharedFollowing.State(
      version: shared.version, definition: definition, accepted: state.accepted,
      own: SharedFollowing.OwnPart(state: state))
    switch following.step(key) {
    case .ready(let step): return step
    case .making(let sessions):
      following.set(.making(sessions + [hosted]), for: key)
      hosted.hostChanges.begin()
      return nil
    case nil: break
    }
    guard max(shared.weight, definition.weight) > rowsOnLoop else {
      let step = SharedStep(to: shared, from: definition, notes, state) {
        tree throws(DefinitionProblem) in try define(tree)
      }
      following.set(.ready(step), for: key)
      return step
    }
    following.set(.making([hosted]), for: key)
    hosted.hostChanges.begin()
    let (maker, now) = (maker, now.session)
    port.inBackground {
      SharedStep(to: shared, from: definition, notes, state) { tree throws(DefinitionProblem) in
        try maker.make(tree, at: now)
      }
    } then: { [unowned self] step in
      guard case .making(let sessions) = following.step(key) else { return }
      following.set(.ready(step), for: key)
      for hosted in sessions { made(for: hosted) }
    }
    return nil
  }

  /// Another thread has made what changes for a session.
  private func made(for hosted: HostedSession) {
    hosted.hostChanges.end()
    if hosted.phase == .loaded { queue(hosted) }
    for change in hosted.hostChanges.takeWaiting() { change.resume() }
  }

  /// Appends the entry, if anything changes for the session. A log that does not accept it now is
  /// tried again. If the session's has reached its maximum size, the session stays as it is until
  /// it is loaded again or the definition changes again.
  func follow(_ hosted: HostedSession, _ step: SharedStep) {
    hosted.followedVersion = step.shared.version
    let change = step.change(
      after: hosted.session.fold.version, taking: hosted.session.fold.inventory?.settings)
    guard let change else {
      hosted.session.versionWithoutChange = step.shared.version
      return
    }
    let isAccepted = append(.revised(change), to: hosted, at: now)
    if isAccepted || hosted.log.refusal == .logFull { return }
    hosted.followedVersion = 0
    schedule.add(.follow(hosted.id), due: now.machine + retryMilliseconds)
  }

  /// A session has left memory. After the last one nothing is cached of shared definitions.
  func forgetShared() {
    if directory.residentCount == 0, directory.loadingCount == 0, following.creationCount == 0 {
      following.forget()
    }
    forgetInventories()
  }

  /// A session has been created or loaded: it may have to follow a version that came meanwhile.
  ///
  /// - Parameter step: What the log has found to change; `nil` if nothing.
  func followNow(_ hosted: HostedSession, _ step: SharedStep? = nil) {
    if let step {
      // A session that cannot follow now finds it here later.
      note(step.shared)
      // A later one follows from the queue.
      if hosted.session.status != .confirming { follow(hosted, step) }
    }
    if hosted.isInMemory, needed(by: hosted) != nil { queue(hosted) }
    if hosted.isInMemory { see(hosted) }
  }
}
