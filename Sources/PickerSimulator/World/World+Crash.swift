import PickerHub
import PickerSession

/// The process ends without a word, the disk fails, sessions come back.
extension World {
  /// `kill -9`: what the log had not confirmed may be in it or not, every connection is gone, and a
  /// new process begins with what the log has.
  func crash() {
    for record in records {
      log.confirm(random.within(0...log.pendingCount(of: record.id)), of: record.id)
    }
    _ = log.loseAll()
    log.forgetLoading()
    for link in openLinks {
      link.isGoneAtHub = true
      if !link.isHalfOpen { deliver(.closed(code: 1006), to: link) }
    }
    clockSetsUnanswered = 0
    requestsUnanswered = 0
    begin(with: log.dormant)
    checkNothingIsMissing()
  }

  /// Whatever anybody has heard of is in the log.
  private func checkNothingIsMissing() {
    for client in clients {
      guard let replica = replicas[client.session.id] else { continue }
      if client.state.revision > replica.fold.revision {
        breach(
          "what was answered is never lost: client \(client.number) has seen "
            + "\(client.state.revision), the log has \(replica.fold.revision)")
      }
    }
  }

  /// The disk takes nothing of what waits.
  func loseStore() {
    // Somebody asks at the worst moment.
    for record in records { read(record) }
    let lost = log.loseAll()
    enter { hub.lost(lost, at: $0) }
  }

  func planLoad(of session: SessionID) {
    queue.add(.logLoads(session), at: clock.machine + Int64(random.within(0...80)))
  }

  func load(_ session: SessionID) {
    guard log.loading.contains(session) else { return }
    let loaded = log.finishLoading(session, limits: profile.limits.session)
    enter { hub.loaded(session, loaded, at: $0) }
  }
}
