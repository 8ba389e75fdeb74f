package import CivilTime

/// Decides in one transaction what sessions and the host get of an inventory.
///
/// Time passes first: what is due ends, and goes to the line. Then each demand is decided after the
/// one before it, and what it frees goes to the line at once, in its order.
///
/// Invariant: between two demands nobody in the line could have all that they wait for. Therefore
/// an offer looks only at those who wait for a key of which units were freed, or which somebody in
/// front of them has left.
/// - Source: web/guide/holds.md; the tests replay walks of Tests/golden/inventory.
package struct InventoryDecision<Table: InventoryTable> {
  package let table: Table
  /// Whether the table has changed.
  package private(set) var hasChanged = false
  /// Whether it is later than in the last transaction.
  package let isLater: Bool
  /// Whether the current step, one demand or the passing of time, has a number already. Steps of a
  /// transaction have different ones: a session may be offered something in the step after its own.
  private var isNumbered = false
  /// The time of the transaction, never earlier than the table's last.
  private let now: Instant
  /// Keys that those who wait for them may have now.
  private var freed: Set<String> = []
  /// The sessions that were offered something.
  package private(set) var offered: [SessionID] = []

  /// How long a claim counts after its end: a click in the last second must not lose to the line.
  package static var graceMilliseconds: Int64 { 2000 }
  /// The maximum of claims that are not booked.
  static var openCountMax: Int { 100_000 }
  static var bookedCountMax: Int { 1_000_000 }

  /// Begins a transaction, with all that time has changed.
  package init(_ table: Table, at time: Instant) throws(Table.Problem) {
    self.table = table
    isLater = time > table.state.now
    now = max(time, table.state.now)
    table.state.now = now
    let end = now.adding(milliseconds: -InventoryDecision.graceMilliseconds)
    for id in try table.due(by: end) { try set(nil, of: id) }
    try offer()
  }

  /// Decides what an entry of a session asks.
  package mutating func decide(
    _ demand: InventoryDemand, of session: SessionID
  ) throws(Table.Problem) -> InventoryOutcome {
    let id = ClaimID.session(session)
    var refusal: InventoryRefusal?
    isNumbered = false
    for ask in demand.asks {
      refusal = try decide(ask, demand, of: id)
      try offer()
    }
    return InventoryOutcome(
      refusal, claim: NumberedClaim(try claim(of: id), number: table.state.number))
  }

  /// What a session has, with its place in the line.
  private func claim(of id: ClaimID) throws(Table.Problem) -> Claim? {
    guard let claim = try table.claim(id) else { return nil }
    guard let order = claim.order else { return claim.claim() }
    // The last one has all others before it.
    if claim.keys.count == 1, order == table.state.order {
      return claim.claim(place: try table.count(claim.keys[0]).waiting)
    }
    return claim.claim(place: 1 + (try table.waiterCount(of: claim.keys, before: order)))
  }

  private mutating func decide(
    _ ask: InventoryDemand.Ask, _ demand: InventoryDemand, of id: ClaimID
  ) throws(Table.Problem) -> InventoryRefusal? {
    switch ask {
    case .hold: return try hold(demand, of: id)
    case .wait: return try wait(demand, of: id)
    case .book: return try book(demand, of: id)
    case .reopen: try reopen(demand, of: id)
    case .free: try set(nil, of: id)
    }
    return nil
  }

  private mutating func hold(
    _ demand: InventoryDemand, of id: ClaimID
  ) throws(Table.Problem) -> InventoryRefusal? {
    if let refusal = try refusal(demand.keys, demand.units, of: id) { return refusal }
    if let refusal = try excess(demand, of: id) { return refusal }
    let old = try table.claim(id)
    if old?.state == .offered { return InventoryRefusal(.holdLimit) }
    guard var claim = old, claim.state == .held, claim.keys == demand.keys,
      claim.units == demand.units, let begun = claim.begun, let end = claim.until
    else {
      try set(
        InventoryClaim(
          .held, demand.keys, units: demand.units, holder: demand.holder, begun: now,
          until: until(table.settings.holdSeconds)), of: id)
      return nil
    }
    let last = begun.adding(milliseconds: 1000 * Int64(table.settings.maxHoldSeconds))
    let until = min(until(table.settings.holdSeconds), last)
    if until <= end, end >= last { return InventoryRefusal(.holdLimit) }
    claim.until = max(end, until)
    try set(claim, of: id)
    return nil
  }

  private mutating func wait(
    _ demand: InventoryDemand, of id: ClaimID
  ) throws(Table.Problem) -> InventoryRefusal? {
    guard let closed = try refusal(demand.keys, demand.units, of: id) else {
      return InventoryRefusal(.free)
    }
    if closed.code == .full { return closed }
    if let refusal = try excess(demand, of: id) { return refusal }
    if let old = try table.claim(id), old.state == .waiting, old.keys == demand.keys,
      old.units == demand.units
    {
      return nil
    }
    table.state.order += 1
    try set(
      InventoryClaim(
        .waiting, demand.keys, units: demand.units, holder: demand.holder,
        order: table.state.order), of: id)
    return nil
  }

  private mutating func book(
    _ demand: InventoryDemand, of id: ClaimID
  ) throws(Table.Problem) -> InventoryRefusal? {
    if let refusal = try refusal(demand.keys, demand.units, of: id) { return refusal }
    if try isFull(for: id) { return InventoryRefusal(.full) }
    try set(
      InventoryClaim(.booked, demand.keys, units: demand.units, holder: demand.holder), of: id)
    return nil
  }

  /// The booking becomes a hold of the same holder.
  private mutating func reopen(
    _ demand: InventoryDemand, of id: ClaimID
  ) throws(Table.Problem) {
    guard let booked = try table.claim(id), table.settings.holdSeconds > 0 else {
      return try set(nil, of: id)
    }
    try set(
      InventoryClaim(
        .held, booked.keys, units: booked.units, holder: booked.holder, begun: now,
        until: until(table.settings.holdSeconds)), of: id)
  }

  private func until(_ seconds: Int) -> Instant { now.adding(milliseconds: 1000 * Int64(seconds)) }
}

/// What others than the members do.
extension InventoryDecision {
  /// A session ends: what it has is free, a booking only if `releasesBooking`.
  package mutating func end(
    _ session: SessionID, releasesBooking: Bool
  ) throws(Table.Problem) {
    let id = ClaimID.session(session)
    isNumbered = false
    if !releasesBooking, try table.claim(id)?.state == .booked { return }
    try set(nil, of: id)
    try offer()
  }

  /// Books for somebody elsewhere.
  package mutating func book(_ booking: HostBooking) throws(Table.Problem) -> BookingOutcome {
    let id = ClaimID.booking(booking.id)
    isNumbered = false
    // Bookings of sessions have the ids of these.
    if try table.claim(.session(SessionID(booking.id))) != nil { return .keyReused }
    if let known = try table.claim(id) {
      let isSame =
        known.keys == booking.keys && known.units == booking.units
        && known.isOver == booking.isOver
      return isSame ? .booked(booking, isNew: false) : .keyReused
    }
    if !booking.isOver, let refusal = try refusal(booking.keys, booking.units, of: id) {
      return .refused(refusal)
    }
    if try isFull(for: id) { return .refused(InventoryRefusal(.full)) }
    try set(
      InventoryClaim(
        .booked, booking.keys, units: booking.units, holder: nil, isOver: booking.isOver), of: id)
    try offer()
    return .booked(booking, isNew: true)
  }

  /// Deletes a booking.
  package mutating func remove(_ id: ClaimID) throws(Table.Problem) {
    isNumbered = false
    try set(nil, of: id)
    try offer()
  }

  /// Takes new settings, and offers to all who wait.
  package mutating func change(_ settings: InventorySettings) throws(Table.Problem) {
    isNumbered = false
    note()
    try table.change(settings)
    table.state.wholeNumber = table.state.number
    for key in try table.awaitedKeys() {
      try store(try table.count(key), of: key)
      freed.insert(key)
    }
    try offer()
  }
}

/// What is counted.
extension InventoryDecision {
  /// Why units of the keys cannot be had; `nil` if they can.
  private func refusal(
    _ keys: [String], _ units: Int, of id: ClaimID
  ) throws(Table.Problem) -> InventoryRefusal? {
    let isTooLong = keys.contains { $0.utf8.count > InventoryKey.byteCountMax }
    if keys.count > InventoryKey.countMax || isTooLong { return InventoryRefusal(.full) }
    let own = try table.claim(id)?.claim()
    var (codes, closed): (Set<InventoryRefusal.Code>, [String]) = ([], [])
    for key in keys {
      let code = try table.count(key).closure(of: key, units: units, claim: own)
      guard let code else { continue }
      codes.insert(code)
      closed.append(key)
    }
    let order: [InventoryRefusal.Code] = [.waiting, .soldOut, .held]
    guard let code = order.first(where: codes.contains) else { return nil }
    return InventoryRefusal(
      code, keys: Array(closed.prefix(10)),
      until: try code == .held ? table.earliestEnd(of: closed, but: id) : nil)
  }

  /// Whether the session, or all, would have too much.
  private func excess(
    _ demand: InventoryDemand, of id: ClaimID
  ) throws(Table.Problem) -> InventoryRefusal? {
    let own = try table.claim(id).flatMap { $0.state == .booked ? nil : $0 }
    if let most = table.settings.perHolder {
      let ownWeight = own?.holder == demand.holder ? own?.weight ?? 0 : 0
      let others = try table.weight(of: demand.holder) - ownWeight
      if others + demand.units * demand.keys.count > most { return InventoryRefusal(.tooManyHolds) }
    }
    let count = table.state.openCount - (own == nil ? 0 : 1)
    return count >= InventoryDecision.openCountMax ? InventoryRefusal(.full) : nil
  }

  private func isFull(for id: ClaimID) throws(Table.Problem) -> Bool {
    guard table.state.bookedCount >= InventoryDecision.bookedCountMax else { return false }
    return try table.claim(id)?.state != .booked
  }
}

/// The only code that changes the table.
extension InventoryDecision {
  /// Counts a change, once a step.
  private mutating func note() {
    if isNumbered { return }
    (hasChanged, isNumbered) = (true, true)
    table.state.number += 1
  }

  /// Gives a session, or the host, a claim in place of the old one.
  private mutating func set(_ claim: InventoryClaim?, of id: ClaimID) throws(Table.Problem) {
    let old = try table.claim(id)
    if old == claim { return }
    note()
    try table.store(claim, of: id, replacing: old)
    if let old { count(old, -1) }
    if let claim { count(claim, 1) }
    if let order = old?.order, order != claim?.order {
      table.state.lineNumber = table.state.number
    }
    for key in Set(old?.keys ?? []).union(claim?.keys ?? []) {
      var count = try table.count(key)
      if let old, old.keys.contains(key) { count.add(old, -1) }
      if let claim, claim.keys.contains(key) { count.add(claim, 1) }
      try store(count, of: key)
      if count.waiting > 0, old != nil { freed.insert(key) }
    }
  }

  /// Counts a claim in the state, or counts it no more.
  private func count(_ claim: InventoryClaim, _ change: Int) {
    if claim.state == .booked {
      table.state.bookedCount += change
    } else {
      table.state.openCount += change
    }
  }

  /// Stores the counts of a key, with who keeps it from those behind them.
  private func store(_ count: KeyCount, of key: String) throws(Table.Problem) {
    var count = count
    count.keptSince =
      try count.waiting > 0 ? table.firstOrder(of: key, wantingMoreThan: count.free) : nil
    try table.store(count, of: key)
  }

  /// Offers what is free to the line, in its order.
  ///
  /// Of those who wait for the same units of the same keys it asks the first: if that one cannot
  /// have them, those behind cannot. So a long line costs no more than a short one.
  private mutating func offer() throws(Table.Problem) {
    var (position, keys) = (0, freed)
    var next: [Int: ClaimID] = [:]
    freed = []
    repeat {
      for key in keys {
        let count = try table.count(key)
        if count.free <= 0 { continue }
        // All behind one who wants more than is free have to wait, too.
        for first in try table.waiters(of: key, after: position)
        where first.order <= count.keptSince ?? .max { next[first.order] = first.id }
      }
      keys = []
      for (order, id) in next.sorted(by: { $0.key < $1.key }) {
        next[order] = nil
        position = order
        guard let claim = try table.claim(id) else { continue }
        if try refusal(claim.keys, claim.units, of: id) != nil { continue }
        try set(
          InventoryClaim(
            .offered, claim.keys, units: claim.units, holder: claim.holder,
            until: until(table.settings.offerSeconds)), of: id)
        if let session = id.session { offered.append(session) }
        // Those behind may have what it does not wait for any more.
        (keys, freed) = (freed, [])
        if !keys.isEmpty { break }
      }
    } while !keys.isEmpty
  }
}

extension InventorySettings {
  /// The longest time from a hold's beginning to its end.
  package var maxHoldSeconds: Int { longestHoldSeconds ?? 6 * holdSeconds }
}

extension KeyCount {
  /// Counts a claim that names the key, or counts it no more.
  fileprivate mutating func add(_ claim: InventoryClaim, _ change: Int) {
    switch claim.state {
    case .held: held += change * claim.units
    case .offered: offered += change * claim.units
    case .booked: booked += change * claim.units
    case .waiting: waiting += change
    }
  }
}
