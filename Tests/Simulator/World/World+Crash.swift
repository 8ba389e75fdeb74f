import PickerHub
import PickerSession

/// Crashes of the process, failures of the disk, and loading of sessions.
extension World {
  /// Simulates `kill -9`: a random part of the pending records is stored, all connections are lost,
  /// and a new process starts with the stored sessions.
  func crash() {
    for record in records {
      log.confirm(random.within(0...log.pendingCount(of: record.id)), of: record.id)
    }
    for record in records where random.once(in: 2) { log.storeEvents(of: record.id) }
    _ = log.loseAll()
    log.forgetLoading()
    for link in openLinks {
      link.isGoneAtHub = true
      if !link.isHalfOpen { deliver(.closed(code: 1006), to: link) }
    }
    background = [:]
    lastTrouble = clock.machine
    clockSetsUnanswered = 0
    requestsUnanswered = 0
    for id in Array(replicas.keys) { replicas[id]?.dropNotesRequests() }
    begin(with: log.dormant)
    checkNothingIsMissing()
  }

  /// Checks that the log has all revisions that any client has received.
  private func checkNothingIsMissing() {
    for client in clients {
      guard let replica = replicas[client.session.id] else { continue }
      if client.state.revision > replica.fold.revision {
        breach(
          "an acknowledged revision is never lost: client \(client.number) has received "
            + "\(client.state.revision), the log has \(replica.fold.revision)")
      }
    }
  }

  /// Fails all pending records.
  func loseStore() {
    // Requests that arrive while records are lost must be answered, too.
    for record in records { read(record) }
    let lost = log.loseAll()
    lastTrouble = clock.machine
    enter { hub.lost(lost, at: $0) }
  }

  func planLoad(of session: SessionID) {
    queue.add(.logLoads(session), at: clock.machine + Int64(random.within(0...80)))
  }

  func load(_ session: SessionID) {
    guard log.loading.contains(session) else { return }
    let loaded = log.finishLoading(session, limits: profile.limits.session)
    enter { hub.loaded(session, loaded.map { .found($0) } ?? .unavailable, at: $0) }
  }
}
