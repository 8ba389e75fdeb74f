import CivilTime
package import PickerHub
package import PickerSession

/// The inventories of a server without a store.
extension MemorySharedDefinitions.State {
  /// Makes the inventory of a new version what it says.
  ///
  /// - Returns: What has changed; `nil` if it may not be added or taken away now.
  mutating func change(_ draft: SharedDraft, at now: Int64) -> MemoryInventoryChange?? {
    let table = tables[draft.name]
    switch (table, draft.inventory) {
    case (nil, nil): return .some(nil)
    case (nil, let settings?):
      // What was confirmed before was not counted.
      if useCounts[draft.name] ?? 0 > 0 { return nil }
      let new = MemoryInventoryTable(settings)
      // Numbers ascend also if it had one before: there were fewer changes than milliseconds.
      (new.state.number, new.state.wholeNumber) = (Int(now), Int(now))
      tables[draft.name] = new
      return MemoryInventoryChange(draft.name, new)
    case (let table?, nil):
      guard table.isUnused else { return nil }
      tables[draft.name] = nil
      return .some(nil)
    case (let table?, let settings?):
      if table.settings == settings { return .some(nil) }
      var decision = InventoryDecision(table, at: Instant(milliseconds: now))
      decision.change(settings)
      return MemoryInventoryChange(
        draft.name, table, over: table.keysOver(countMax: HostBooking.keysOverMax))
    }
  }
}

extension MemorySharedDefinitions {
  /// Decides in an inventory.
  ///
  /// - Parameter body: Returns its value, and keys to report of which too much is taken.
  /// - Returns: `nil` if there is none of this name.
  private func decide<Value: Sendable>(
    in name: String,
    _ body: (inout InventoryDecision<MemoryInventoryTable>) -> (Value, over: [String])
  ) -> Value? {
    let now = Instant(milliseconds: inventoryTime.now)
    let outcome = state.withLock { state -> (Value, MemoryInventoryChange)? in
      guard let table = state.tables[name] else { return nil }
      var decision = InventoryDecision(table, at: now)
      let (value, over) = body(&decision)
      return (value, MemoryInventoryChange(name, table, over: over))
    }
    guard let outcome else { return nil }
    report(outcome.1)
    return outcome.0
  }

  /// A manual clock was set.
  package func clockSet(to now: Int64) {
    inventoryTime.set(now)
    inventoryClock?.look(in: self)
  }

  /// Reports a change to the hubs and the feed.
  func report(_ change: MemoryInventoryChange) {
    inventoryClock?.note(change, in: self)
    guard !change.over.isEmpty, let feed else { return }
    feed.append([
      FeedEvent(
        inventoryOver: change.name, keys: change.over, epoch: feed.epoch, number: change.number,
        at: Instant(milliseconds: inventoryTime.now))
    ])
  }

  /// Decides what an entry of a session asks.
  func decide(
    _ demand: InventoryDemand, of session: SessionID, in name: String
  ) -> InventoryOutcome? {
    decide(in: name) { ($0.decide(demand, of: session), over: []) }
  }

  /// A session ends.
  func end(_ session: SessionID, in name: String, releasesBooking: Bool) {
    decide(in: name) { decision in
      decision.end(session, releasesBooking: releasesBooking)
      decision.table.note(endOf: session)
      return ((), over: [])
    }
  }

  /// Ends what is due.
  func passTime(in name: String) { decide(in: name) { _ in ((), over: []) } }

  func change(
    of name: String, since number: Int?, places: Int?, of sessions: [SessionID]
  ) -> InventoryChange? {
    state.withLock {
      $0.tables[name]?.change(of: name, since: number, places: places, of: sessions)
    }
  }
}

/// The host's side.
extension MemorySharedDefinitions {
  private func read<Found: Sendable>(
    _ name: String, _ body: (MemoryInventoryTable) -> Found
  ) -> LogLookup<Found> {
    LogLookup(state.withLock { $0.tables[name].map(body) })
  }

  package func counts(
    _ query: InventoryQuery, of name: String,
    completion: @escaping @Sendable (LogLookup<InventoryPage>) -> Void
  ) { completion(read(name) { $0.counts(query) }) }

  package func keysOver(
    of name: String, completion: @escaping @Sendable (LogLookup<[String]>) -> Void
  ) { completion(read(name) { $0.keysOver(countMax: HostBooking.keysOverMax) }) }

  package func bookings(
    of name: String, key: String?, after: String?, limit: Int,
    completion: @escaping @Sendable (LogLookup<BookingPage>) -> Void
  ) { completion(read(name) { $0.bookings(key: key, after: after, limit: limit) }) }

  package func booking(
    _ id: String, of name: String,
    completion: @escaping @Sendable (LogLookup<HostBooking?>) -> Void
  ) { completion(read(name) { $0.booking(id) }) }

  package func book(
    _ booking: HostBooking, in name: String,
    completion: @escaping @Sendable (BookingOutcome) -> Void
  ) {
    let outcome = decide(in: name) { decision in
      let outcome = decision.book(booking)
      return (outcome, over: decision.keysOver(by: outcome))
    }
    completion(outcome ?? .noInventory)
  }

  package func removeBooking(
    _ id: String, of name: String, completion: @escaping @Sendable (BookingRemoval) -> Void
  ) {
    let removal = decide(in: name) { decision in
      let isLiving = decision.table.isLiving(SessionID(id))
      return (decision.removeBooking(id, isOfLivingSession: isLiving), over: [])
    }
    completion(removal ?? .noInventory)
  }
}
