package import CivilTime
import DequeModule
package import PickerSession

/// What is taken of an inventory, in memory. Used by one thread at a time: who has the lock of
/// ``MemorySharedDefinitions``.
package final class MemoryInventoryTable: InventoryTable, @unchecked Sendable {
  package typealias Problem = Never

  package private(set) var settings: InventorySettings
  package var state = InventoryTotals()
  private var claims: [ClaimID: InventoryClaim] = [:]
  private var counts: [String: KeyCount] = [:]
  private var line = WaitingLine()
  /// The ends of holds and offers. Those of claims that have ended otherwise are dropped when they
  /// are first.
  private var ends = ClaimEnds()
  private var keyEnds: [String: ClaimEnds] = [:]
  private var weights: [String: Int] = [:]
  /// Sessions that have ended and keep their booking.
  private var ended: Set<SessionID> = []
  /// The newest changes, oldest first.
  private var changes: Deque<Change> = []

  private enum Change {
    case key(String, number: Int)
    case session(SessionID, number: Int)

    var number: Int {
      switch self {
      case .key(_, let number), .session(_, let number): number
      }
    }
  }

  /// The maximum of changes that are known one by one.
  private static let changeCountMax = 20_000

  package init(_ settings: InventorySettings) { self.settings = settings }

  package func claim(_ id: ClaimID) -> InventoryClaim? { claims[id] }

  package func store(
    _ claim: InventoryClaim?, of id: ClaimID, replacing old: InventoryClaim?
  ) {
    claims[id] = claim
    if claim == nil, let session = id.session { ended.remove(session) }
    if let old { remove(old) }
    if let claim { add(claim, of: id) }
    if let session = id.session { note(.session(session, number: state.number)) }
  }

  private func remove(_ old: InventoryClaim) {
    if let holder = old.holder, old.state != .booked {
      let weight = (weights[holder] ?? 0) - old.weight
      weights[holder] = weight == 0 ? nil : weight
    }
    if let order = old.order { line.remove(old, order) }
  }

  private func add(_ claim: InventoryClaim, of id: ClaimID) {
    if let holder = claim.holder, claim.state != .booked {
      weights[holder, default: 0] += claim.weight
    }
    if let until = claim.until {
      let isCurrent = { [unowned self] in self.isCurrent($0) }
      ends.insert(ClaimEnd(until, id), isCurrent)
      for key in claim.keys {
        keyEnds[key, default: ClaimEnds()].insert(.init(until, id), isCurrent)
      }
    }
    if let order = claim.order { line.add(claim, order, id) }
  }

  private func isCurrent(_ end: ClaimEnd) -> Bool { claims[end.id]?.until == end.until }

  package func count(_ key: String) -> KeyCount {
    counts[key] ?? KeyCount(capacity: settings.capacity(of: key))
  }

  package func store(_ count: KeyCount, of key: String) {
    counts[key] = count.isEmpty ? nil : count
    if count.isEmpty { keyEnds[key] = nil }
    note(.key(key, number: state.number))
  }

  private func note(_ change: Change) {
    changes.append(change)
    while changes.count > MemoryInventoryTable.changeCountMax, let oldest = changes.popFirst() {
      state.wholeNumber = max(state.wholeNumber, oldest.number)
    }
  }

  package func change(_ settings: InventorySettings) {
    self.settings = settings
    for key in counts.keys { counts[key]?.capacity = settings.capacity(of: key) }
  }

  package func waiters(of key: String, after order: Int) -> [(order: Int, id: ClaimID)] {
    line.waiters(of: key, after: order)
  }

  package func firstOrder(of key: String, wantingMoreThan units: Int) -> Int? {
    line.firstOrder(of: key, wantingMoreThan: units)
  }

  package func waiterCount(of keys: [String], before order: Int) -> Int {
    line.waiterCount(of: keys, before: order)
  }

  package func awaitedKeys() -> [String] { line.keys }

  package func due(by end: Instant) -> [ClaimID] {
    var found: [ClaimID] = []
    while let first = ends.first(isCurrent), first.until <= end {
      ends.removeFirst()
      found.append(first.id)
    }
    return found
  }

  package func earliestEnd(of keys: [String], but id: ClaimID) -> Instant? {
    keys.compactMap { key -> Instant? in
      guard var ends = keyEnds[key] else { return nil }
      keyEnds[key] = nil
      defer { keyEnds[key] = ends.isEmpty ? nil : ends }
      guard let first = ends.first(isCurrent) else { return nil }
      guard first.id == id else { return first.until }
      ends.removeFirst()
      defer { ends.insert(first, isCurrent) }
      return ends.first(isCurrent)?.until
    }.min()
  }

  package func weight(of holder: String) -> Int { weights[holder] ?? 0 }

  package func keysOver(countMax: Int) -> [String] {
    let known = counts.filter { $0.value.free < 0 }.keys
    return Array(known.sorted { $0.isBefore($1) }.prefix(countMax))
  }

  /// The end of the first claim that is due; `nil` if nobody holds anything.
  package var nextEnd: Instant? { ends.first(isCurrent)?.until }

  /// A session has ended: its booking can be deleted.
  func note(endOf session: SessionID) {
    if claims[.session(session)] != nil { ended.insert(session) }
  }

  func isLiving(_ session: SessionID) -> Bool { !ended.contains(session) }

  /// Whether nothing is booked, held, offered or waited for.
  package var isUnused: Bool { claims.isEmpty }
}

/// Reading.
extension MemoryInventoryTable {
  /// What has changed after a number; `nil`: all.
  ///
  /// - Parameter places: The places of sessions in the line are read if they have changed after
  ///   this number; `nil`: they are not.
  func change(
    of name: String, since number: Int?, places: Int?, of sessions: [SessionID]
  ) -> InventoryChange {
    guard let number, number >= state.wholeNumber, number <= state.number else {
      return InventoryChange(
        name: name, number: state.number, lineNumber: state.lineNumber, isWhole: true,
        keys: counts, claims: claims(of: sessions))
    }
    var (keys, changed): ([String: KeyCount], Set<SessionID>) = ([:], [])
    for change in changes.reversed() {
      if change.number <= number { break }
      switch change {
      case .key(let key, _): keys[key] = count(key)
      case .session(let session, _): changed.insert(session)
      }
    }
    let hasPlaces = places.map { state.lineNumber > $0 } ?? false
    return InventoryChange(
      name: name, number: state.number, lineNumber: state.lineNumber, isWhole: false, keys: keys,
      claims: claims(
        of: sessions.filter { session in
          changed.contains(session) || hasPlaces && claims[.session(session)]?.order != nil
        }))
  }

  private func claims(of sessions: [SessionID]) -> [SessionID: NumberedClaim] {
    var found: [SessionID: NumberedClaim] = [:]
    var waiting: [(session: SessionID, claim: InventoryClaim, order: Int)] = []
    for session in sessions {
      let claim = claims[.session(session)]
      if let claim, let order = claim.order { waiting.append((session, claim, order)) }
      found[session] = NumberedClaim(claim?.claim(), number: state.number)
    }
    let places = waiting.count > LinePlaces.askedCountMax ? line.places : nil
    for (session, claim, order) in waiting {
      let place =
        places?[.session(session)] ?? 1 + waiterCount(of: claim.keys, before: order)
      found[session] = NumberedClaim(claim.claim(place: place), number: state.number)
    }
    return found
  }

  /// Counts for the host.
  func counts(_ query: InventoryQuery) -> InventoryPage {
    switch query {
    case .keys(let keys): return InventoryPage(keys: keys.map { ($0, count($0)) }, next: nil)
    case .range(let from, let through, let after, let limit):
      let known = Set(counts.keys).union(settings.keys.keys).filter { key in
        from.map { !key.isBefore($0) } ?? true && through.map { !$0.isBefore(key) } ?? true
          && after.map { $0.isBefore(key) } ?? true
      }
      let page = known.sorted { $0.isBefore($1) }.prefix(limit)
      return InventoryPage(
        keys: page.map { ($0, count($0)) }, next: known.count > limit ? page.last : nil)
    }
  }

  func booking(_ id: String) -> HostBooking? {
    for claimID in [ClaimID.booking(id), .session(SessionID(id))] {
      if let claim = claims[claimID], let booking = HostBooking(claim, of: claimID) {
        return booking
      }
    }
    return nil
  }

  func bookings(key: String?, after: String?, limit: Int) -> BookingPage {
    var found = claims.compactMap { id, claim -> HostBooking? in
      if let key, !claim.keys.contains(key) { return nil }
      guard let booking = HostBooking(claim, of: id), after?.isBefore(booking.id) ?? true else {
        return nil
      }
      return booking
    }
    found.sort { $0.id.isBefore($1.id) }
    let page = Array(found.prefix(limit))
    return BookingPage(bookings: page, next: found.count > limit ? page.last?.id : nil)
  }
}

extension HostBooking {
  /// - Returns: `nil` if the claim is not booked.
  init?(_ claim: InventoryClaim, of id: ClaimID) {
    guard claim.state == .booked else { return nil }
    switch id {
    case .booking(let text):
      self.init(id: text, keys: claim.keys, units: claim.units, isOver: claim.isOver)
    case .session(let session):
      self.init(id: session.text, keys: claim.keys, units: claim.units, session: session)
    }
  }
}
