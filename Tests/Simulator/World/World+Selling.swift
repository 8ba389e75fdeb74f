import CivilTime
import JSONText
import PickerClient
import PickerHub
import PickerModel
import PickerSession
import SessionLog

/// Worlds whose sessions take from an inventory: what members and the host do with it.
extension World {
  /// A command of a session that has an inventory.
  func randomTaking(_ client: SimulatedClient) -> PickerCommand {
    guard let kind = profile.saleKind else { return .clear }
    switch random.below(24) {
    case 0..<5: return randomWish(client, kind)
    case 5..<10: return .hold
    case 10, 11: return .wait(keys: RandomSale.keys(&random, today: today, kind: kind))
    case 12, 13: return .units(random.within(random.once(in: 8) ? 0...5 : 1...2))
    case 14: return .release
    case 15..<19: return .confirm
    case 19: return random.coin() ? .cancel : .clear
    case 20, 21: return .reopen
    default: return random.coin() ? .undo : .redo
    }
  }

  private func randomWish(_ client: SimulatedClient, _ kind: String) -> PickerCommand {
    guard kind == "calendar" else { return randomSelect(client) }
    let first = today.adding(days: random.within(0...3)) ?? today
    if random.once(in: 3) { return .tap(PickerDay(first)) }
    let last = first.adding(days: random.within(0...2)) ?? first
    return .set(random.coin() ? .day(PickerDay(first)) : .range(PickerDay(first), PickerDay(last)))
  }

  // MARK: - The host

  /// The definition from which all sessions take gets another one, or other settings.
  func changeSale() {
    guard let kind = profile.saleKind, let node = nodes.first(where: { $0.shared != nil }) else {
      return
    }
    let former = newestShared[kind]
    var document = former?.document
    if former == nil || random.once(in: 6) {
      let tree = RandomSale.definition(&random, today: today, kind: kind)
      guard let made = make(tree), (try? Picker(made, now: clock.session)) != nil else { return }
      document = made.document(full: true)
    }
    var settings = former?.inventory
    if settings == nil || !random.once(in: 4) {
      let keys = (0..<3).flatMap { _ in RandomSale.keys(&random, today: today, kind: kind) }
      settings = RandomSale.settings(&random, keys: keys)
    }
    // Refused while something is taken, or when it was taken away before.
    let mayBeInUse = former != nil && (former?.inventory == nil || random.once(in: 40))
    if mayBeInUse, former?.inventory != nil { settings = nil }
    guard let document else { return }
    let draft = SharedDraft(
      name: kind, document: document, notes: former?.notes ?? Notes(), inventory: settings)
    nonisolated(unsafe) unowned let world = self
    node.shared?.write(draft, replacing: former?.version) { outcome in
      switch outcome {
      case .done, .outdated: world.readShared(kind)
      case .unavailable: break
      case .inUse where mayBeInUse: world.readShared(kind)
      default: world.breach("an inventory can be changed: \(outcome)")
      }
      world.checkMemoryInventory()
    }
  }

  /// Books for somebody elsewhere, deletes a booking, counts, or changes the settings.
  func actAsSeller() {
    let able = nodes.filter { $0.shared != nil }
    guard let name = profile.saleKind, newestShared[name] != nil, !able.isEmpty else { return }
    let node = seller.random.pick(able)
    guard let shared = node.shared else { return }
    switch seller.random.below(12) {
    case 0..<5: book(name, node, shared)
    case 5, 6: removeBooking(name, node, shared)
    case 7: removeBookingOfSession(name, shared)
    case 8, 9: count(name, shared)
    default: changeSale()
    }
    checkMemoryInventory()
  }

  private func book(_ name: String, _ node: Node, _ shared: any SharedDefinitions) {
    let id = "order-\(seller.random.below(8))"
    let known = seller.bookings[id]
    if known?.request != nil { return }
    if let known, known.state == .booked, seller.random.coin() {
      return bookAnother(known.booking, name, node, shared)
    }
    // What was deleted may be booked again, with other units.
    if known == nil || known?.state == .gone {
      let booking = HostBooking(
        id: id, keys: RandomSale.keys(&seller.random, today: today, kind: name),
        units: seller.random.within(1...2), isOver: seller.random.once(in: 6))
      seller.bookings[id] = SimulatedSeller.Booking(booking: booking, state: .gone)
    }
    guard let booking = seller.bookings[id]?.booking else { return }
    let request = seller.ask(node, about: id)
    nonisolated(unsafe) unowned let world = self
    shared.book(booking, in: name) { outcome in
      if let known = world.seller.answered(request, about: id) { world.note(outcome, known) }
    }
  }

  private func note(_ outcome: BookingOutcome, _ known: SimulatedSeller.Booking) {
    let id = known.booking.id
    switch outcome {
    case .booked(let booking, let isNew):
      if known.state == .booked, isNew { breach("a booking that is sent again is found: \(id)") }
      if known.state == .gone, !isNew { breach("a booking is new once: \(id)") }
      if booking != known.booking { breach("a booking is as it was sent: \(booking)") }
      seller.bookings[id]?.state = .booked
    case .refused:
      if known.state == .booked {
        breach("a booking that is sent again has the same answer: \(id)")
      }
      if known.booking.isOver { breach("a booking over the capacity is not refused: \(outcome)") }
      seller.bookings[id]?.state = .gone
    case .keyReused:
      // A failover may have brought another one with this id back.
      if seller.timeline == 0 { breach("a booking that is sent again is the same: \(id)") }
    case .noInventory: noteMissingInventory()
    case .unavailable: seller.bookings[id]?.state = .unknown
    }
  }

  /// The inventory may have been taken away, or lost by a failover.
  private func noteMissingInventory() {
    guard let name = profile.saleKind else { return }
    if inventories[name] != nil, seller.timeline == 0 { breach("an inventory is found") }
  }

  /// Sends another booking with the id of a known one.
  private func bookAnother(
    _ booking: HostBooking, _ name: String, _ node: Node, _ shared: any SharedDefinitions
  ) {
    let other = HostBooking(
      id: booking.id, keys: booking.keys, units: booking.units + 1, isOver: booking.isOver)
    let request = seller.ask(node, about: booking.id)
    let timeline = seller.timeline
    nonisolated(unsafe) unowned let world = self
    shared.book(other, in: name) { outcome in
      guard world.seller.answered(request, about: booking.id) != nil,
        world.seller.timeline == timeline
      else { return }
      switch outcome {
      case .keyReused, .unavailable, .noInventory: break
      default: world.breach("another booking has another id: \(outcome)")
      }
    }
  }

  private func removeBooking(_ name: String, _ node: Node, _ shared: any SharedDefinitions) {
    let ids = seller.bookings.filter { $0.value.request == nil }.keys.sorted()
    if ids.isEmpty { return }
    let id = seller.random.pick(ids)
    let request = seller.ask(node, about: id)
    nonisolated(unsafe) unowned let world = self
    shared.removeBooking(id, of: name) { removal in
      guard world.seller.answered(request, about: id) != nil else { return }
      switch removal {
      case .done: world.seller.bookings[id]?.state = .gone
      case .inUse: world.breach("a booking of the host can be deleted: \(id)")
      case .noInventory: world.noteMissingInventory()
      case .unavailable: world.seller.bookings[id]?.state = .unknown
      }
    }
  }

  /// A booking of a session can be deleted when the session has ended.
  private func removeBookingOfSession(_ name: String, _ shared: any SharedDefinitions) {
    if records.isEmpty { return }
    shared.removeBooking(seller.random.pick(records).id.text, of: name) { _ in }
  }

  /// Reads counts and bookings, which are those of the tables if nothing has changed meanwhile.
  private func count(_ name: String, _ shared: any SharedDefinitions) {
    checkMemoryInventory()
    guard let before = inventories[name] else { return }
    let timeline = seller.timeline
    nonisolated(unsafe) unowned let world = self
    let query = InventoryQuery.range(from: nil, through: nil, after: nil, limit: 1000)
    shared.counts(query, of: name) { outcome in
      guard case .found(let page) = outcome, let rows = world.inventories[name],
        rows.number == before.number, world.seller.timeline == timeline
      else { return }
      let counts = Dictionary(uniqueKeysWithValues: page.keys.map { ($0.key, $0.count) })
      if let sentence = rows.difference(from: counts) { world.breach(sentence) }
    }
    shared.bookings(of: name, key: nil, after: nil, limit: 1000) { outcome in
      guard case .found(let page) = outcome, let rows = world.inventories[name],
        rows.number == before.number, world.seller.timeline == timeline
      else { return }
      let booked = rows.claims.filter { $0.value.claim.state == .booked }
      if page.bookings.count != booked.count {
        world.breach("the list has all bookings: \(page.bookings.count) of \(booked.count)")
      }
    }
  }
}
