import CivilTime
import PickerHub
import PickerSession

/// The end of a run: all resources must be released.
extension World {
  /// Disconnects all clients, sometimes by draining the server. Then lets time pass until every
  /// session must have ended.
  func disperse() {
    isOver = true
    if random.once(in: 4), !profile.isClustered {
      isDraining = true
      enter { hub.drain(at: $0) }
      pass(seconds: 6)
      for link in links.values where !link.isGoneAtHub && link.closeCode != 1001 {
        if link.closeCode == nil { breach("draining closes all connections: \(link.id.raw)") }
      }
    } else {
      for client in clients {
        guard let link = client.link else { continue }
        client.link = nil
        drop(link, isHalfOpen: false)
      }
    }
    // If memory is short, a session is loaded when the members of another one have left.
    for _ in 0..<(profile.isMemoryShort ? 2 * records.count : 1) {
      pass(seconds: 40)
      pass(seconds: Int64(profile.limits.memberMilliseconds / 1000) + 2)
    }
    checkNobodyIsLeft()
    checkFollowing()
    checkFeed()
    if !isDraining, !profile.isClustered { awaitTicks() }
    endSessions()
    checkFeed()
    revisionCount = replicas.values.reduce(0) { $0 + $1.fold.revision }
    if profile.isClustered { return }
    // Timers of deleted sessions remain until they are due.
    setClock(to: clock.session.adding(milliseconds: 366 * 86_400_000 * 40))
    pass(seconds: 86_400 * 3)
    // What the log, the replicas and the deltas that links have missed share with the hub counts
    // in its memory as long as somebody has it.
    (journal.sessions, storedLogs, newestShared) = ([:], [:], [:])
    (replicas, links) = ([:], [:])
    let contents = hub.contents
    let sessions = contents.sessions + contents.dormant
    if contents.connections + sessions + contents.timers + contents.ticks > 0
      || contents.sessionsBytes != 0
    {
      breach("no resources are left: \(contents)")
    }
  }

  private func checkNobodyIsLeft() {
    for hub in nodes.compactMap(\.hub) {
      if hub.contents.connections != 0 { breach("no connection is left: \(hub.contents)") }
      for record in records {
        guard let session = hub.session(record.id), let contents = hub.contents(of: record.id)
        else { continue }
        if !session.fold.members.isEmpty || contents != Hub.SessionContents() {
          breach("all members have left: \(contents), \(session.fold.members.count) members")
        }
        if !session.touches.isEmpty { breach("no touch is left") }
      }
    }
  }

  /// Waits until evicted sessions must have ticked, often after a crash: then only the log has the
  /// time of their next tick. ``checkTicks()`` finds a tick that is lost.
  private func awaitTicks() {
    guard clock.runs else { return }
    for _ in 0..<2 {
      if profile.isStored, random.coin() { crash() }
      let ticks = records.filter { !$0.isEnded }.compactMap { replicas[$0.id]?.fold.nextTick }
      guard let due = ticks.min() else { return }
      setClock(to: max(clock.session, due.adding(milliseconds: -2000)))
      pass(seconds: 80)
    }
  }

  /// Lets sessions with a short TTL expire and deletes the others.
  private func endSessions() {
    for record in records where record.ttlSeconds <= 600 { pass(seconds: Int64(record.ttlSeconds)) }
    for record in records where !record.isEnded { delete(record) }
    pass(seconds: profile.isClustered ? 30 : 5)
    if !profile.isClustered, hub.contents.sessions + hub.contents.dormant != 0 {
      breach("every session ends: \(hub.contents)")
    }
    for record in records where !hasEnded(record.id) {
      breach("the log has the end of every session")
    }
  }

  /// Lets time pass.
  func pass(seconds: Int64) {
    let end = clock.machine + seconds * 1000
    while step(until: end) {}
    clock.advance(to: end)
    enterAll { hub.timer(at: $0) }
  }
}
