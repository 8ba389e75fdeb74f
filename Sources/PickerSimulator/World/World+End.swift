import CivilTime
import PickerHub
import PickerSession

/// After the dust has settled nothing is left.
extension World {
  /// Everybody goes, or is sent away; then time passes until nothing is justified any more.
  func disperse() {
    isOver = true
    if random.once(in: 4) {
      isDraining = true
      enter { hub.drain(at: $0) }
      pass(seconds: 6)
      for link in links.values where !link.isGoneAtHub && link.closeCode != 1001 {
        if link.closeCode == nil { breach("who drains lets nobody stay: \(link.id.raw)") }
      }
    } else {
      for client in clients {
        guard let link = client.link else { continue }
        client.link = nil
        drop(link, isHalfOpen: false)
      }
    }
    pass(seconds: 40)
    pass(seconds: Int64(profile.limits.memberMilliseconds / 1000) + 2)
    checkNobodyIsLeft()
    endSessions()
    // Instants of sessions that are gone wait until they come.
    setClock(to: clock.session.adding(milliseconds: 366 * 86_400_000 * 40))
    pass(seconds: 86_400 * 3)
    let inventory = hub.inventory
    let sessions = inventory.sessions + inventory.dormant
    if inventory.connections + sessions + inventory.timers + inventory.ticks > 0 {
      breach("nothing is left: \(inventory)")
    }
  }

  private func checkNobodyIsLeft() {
    if hub.inventory.connections != 0 { breach("no connection is left: \(hub.inventory)") }
    for record in records {
      guard let session = hub.session(record.id), let inventory = hub.inventory(of: record.id)
      else {
        continue
      }
      if !session.fold.members.isEmpty || inventory != Hub.SessionInventory() {
        breach("everybody has left: \(inventory), \(session.fold.members.count) members")
      }
      if !session.touches.isEmpty { breach("no finger is left") }
    }
  }

  /// Sessions end when nothing has happened in them for long enough; those that go on by themselves
  /// are deleted.
  private func endSessions() {
    for record in records where record.ttlSeconds <= 600 { pass(seconds: Int64(record.ttlSeconds)) }
    for record in records where !record.isEnded { delete(record) }
    pass(seconds: 5)
    if hub.inventory.sessions + hub.inventory.dormant != 0 {
      breach("every session ends: \(hub.inventory)")
    }
    for record in records where log.kept[record.id]?.hasEnded != true {
      breach("the log knows of every end")
    }
  }

  /// Lets time pass with nobody there.
  func pass(seconds: Int64) {
    let end = clock.machine + seconds * 1000
    while step(until: end) {}
    clock.advance(to: end)
    enter { hub.timer(at: $0) }
  }
}
