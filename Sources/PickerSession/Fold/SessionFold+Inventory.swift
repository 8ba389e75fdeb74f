package import CivilTime
import JSONText
package import PickerModel

/// Values that are taken from an inventory.
///
/// What depends on other sessions is decided by the log, in the transaction that stores the entry;
/// the fold reads the outcome. The rest follows from the entries.
/// - Source: web/guide/holds.md.
extension SessionFold {
  package var inventory: KnownInventory? { facts.inventory }

  /// Whether an entry may ask something of the inventory.
  package func mayAsk(_ body: LogEntry.Body) -> Bool {
    guard let inventory = facts.inventory else { return false }
    switch body {
    case .joined, .roleChanged, .returned, .revoked, .roleSet, .decided: return false
    case .left, .revised, .settle, .tick, .clockSet: return inventory.claim.claim != nil
    case .inventory(let news): return (news.claim ?? inventory.claim).claim != nil
    case .command(_, ref: _, let command, _):
      if inventory.claim.claim != nil { return true }
      switch command {
      case .inventory(.hold), .inventory(.wait), .confirm: return true
      default: return false
      }
    }
  }

  /// What an entry asks of the inventory in the current state; `nil` if nothing.
  package func demand(of entry: LogEntry) -> InventoryDemand? {
    guard mayAsk(entry.body) else { return nil }
    let ruling = Ruling(nil)
    var copy = self
    copy.dropHistory()
    copy.ruling = ruling
    var effects: [Effect] = []
    copy.apply(entry, &effects)
    return ruling.demand(of: origin.id)
  }

  /// Applies an entry with its outcome.
  mutating func apply(
    _ decided: DecidedEntry, op: String?, at now: Instant, _ effects: inout [Effect]
  ) {
    ruling = Ruling(decided.outcome)
    decided.body.apply(to: &self, op: op, at: now, &effects)
    ruling = nil
  }

  // MARK: Asking

  /// Asks for keys.
  ///
  /// - Throws: ``Refusal`` if the inventory does not give them; nothing has changed then.
  private mutating func ask(
    _ ask: InventoryDemand.Ask, keys: [String], by member: MemberID
  ) throws(Refusal) {
    guard let inventory = facts.inventory, let ruling else {
      throw Refusal(.full, "the inventory cannot be asked now; send it again")
    }
    ruling.add(ask, keys: keys, units: inventory.units, holder: holder(of: member))
    guard let outcome = ruling.outcome else {
      throw Refusal(.full, "the inventory has not answered yet")
    }
    if let refusal = outcome.refusal { throw Refusal(refusal) }
    // An entry that gives what the session has leaves nothing, also not a number: it is deleted.
    if outcome.claim.claim != inventory.claim.claim { facts.inventory?.claim = outcome.claim }
  }

  /// The subject of a member's token; `nil`: the session counts alone.
  private func holder(of member: MemberID) -> String? {
    knownMember(member)?.subject.map { "sub \($0)" }
  }

  /// Ends what the session has, apart from a booking without a word to the members.
  private mutating func giveBack(_ reason: HoldEnd) {
    guard let claim = facts.inventory?.claim.claim else { return }
    ruling?.add(.free)
    forget(claim, reason)
  }

  private mutating func forget(_ claim: Claim, _ reason: HoldEnd) {
    let number = ruling?.outcome?.claim.number ?? facts.inventory?.claim.number ?? 0
    facts.inventory?.claim = NumberedClaim(nil, number: number)
    if claim.state != .booked { note(InventoryEdit(hold: .ended(reason))) }
  }

  /// Adds to what the next delta says about the inventory.
  private mutating func note(_ edit: InventoryEdit) {
    inventoryEdit = inventoryEdit?.followed(by: edit) ?? edit
  }

  /// What the next delta says about the inventory. The hold ends whose value is another.
  mutating func takeInventoryEdit() -> InventoryEdit? {
    if let inventory = facts.inventory, let claim = inventory.claim.claim, claim.state == .held,
      status == .open, claim.units != inventory.units || !claim.keys.isExactly(picker.keys)
    {
      giveBack(.moved)
    }
    defer { inventoryEdit = nil }
    return inventoryEdit
  }

  // MARK: Commands

  /// - Returns: The change; `nil` if there was nothing to change.
  /// - Throws: ``Refusal``. Nothing has changed then.
  mutating func perform(
    _ command: InventoryCommand, by member: MemberID
  ) throws(Refusal) -> SessionChange? {
    guard let inventory = facts.inventory else { return nil }
    switch command {
    case .units(let units):
      let range = inventory.settings.units
      guard range.contains(units) else {
        throw Refusal(
          .wrongUnits, "units is \(units); it must be \(range.lowerBound) to \(range.upperBound)",
          ["min": .integer(range.lowerBound), "max": .integer(range.upperBound)])
      }
      if units == inventory.units { return nil }
      facts.undoList.push(
        UndoValue(picker.value, units: inventory.units), countMax: limits.undo)
      set(units: units)
    case .hold:
      let keys = picker.keys
      guard result != .null, !keys.isEmpty else {
        throw Refusal(.notComplete, "there is no value to hold yet")
      }
      try ask(.hold, keys: keys, by: member)
      if facts.inventory?.claim.claim == inventory.claim.claim { return nil }
      noteClaim()
    case .release:
      guard let claim = inventory.claim.claim, claim.state != .booked else { return nil }
      giveBack(.released)
    case .wait(let keys):
      guard let value = picker.value(ofKeys: keys) else {
        throw Refusal(.notComplete, "the keys are not those of a value that can be selected here")
      }
      try ask(.wait, keys: value.keys, by: member)
      if facts.inventory?.claim.claim == inventory.claim.claim { return nil }
      noteClaim()
    }
    return .picker([], tappedBy: nil)
  }

  private mutating func set(units: Int) {
    facts.inventory?.units = units
    note(InventoryEdit(units: units))
  }

  private mutating func noteClaim() {
    guard let claim = facts.inventory?.claim.claim else { return }
    if claim.state != .booked { note(InventoryEdit(hold: .has(claim))) }
  }

  /// Restores the units of an earlier value, as far as the settings allow them.
  ///
  /// - Returns: Whether they are others.
  mutating func restore(units: Int?) -> Bool {
    guard let units, let inventory = facts.inventory else { return false }
    let range = inventory.settings.units
    let allowed = min(max(units, range.lowerBound), range.upperBound)
    if allowed == inventory.units { return false }
    set(units: allowed)
    return true
  }

  // MARK: Status

  /// Books what is selected.
  ///
  /// - Throws: ``Refusal``. Nothing has changed then.
  mutating func book(by member: MemberID) throws(Refusal) {
    guard let before = facts.inventory?.claim.claim else {
      if facts.inventory != nil { try ask(.book, keys: picker.keys, by: member) }
      return
    }
    try ask(.book, keys: picker.keys, by: member)
    if before.state != .booked { note(InventoryEdit(hold: .ended(.booked))) }
  }

  /// Gives back what the session has, because it is cancelled, or its confirmation ended.
  mutating func unbook() { giveBack(.released) }

  /// The session is open again after it was confirmed: the booking becomes a hold.
  mutating func holdBooked() {
    guard let inventory = facts.inventory, let claim = inventory.claim.claim,
      claim.state == .booked
    else { return }
    guard inventory.settings.holdSeconds > 0 else { return giveBack(.released) }
    ruling?.add(.reopen, keys: claim.keys, units: claim.units)
    guard let outcome = ruling?.outcome else {
      facts.inventory?.claim = NumberedClaim(
        Claim(state: .held, keys: claim.keys, units: claim.units), number: inventory.claim.number)
      return
    }
    facts.inventory?.claim = outcome.claim
    noteClaim()
  }

  /// The last member has left: nobody extends or confirms the hold.
  mutating func leaveHold(at now: Instant, _ effects: inout [Effect]) {
    guard members.isEmpty, status == .open, facts.inventory?.claim.claim?.state == .held else {
      return
    }
    giveBack(.left)
    commit(.picker([], tappedBy: nil), at: now, &effects)
  }

  // MARK: Settings

  /// Takes other settings. The caller commits a delta.
  ///
  /// - Parameter settings: `nil` takes the inventory away.
  /// - Returns: What that changes of the picker.
  mutating func take(_ settings: InventorySettings?) -> TickAnswer {
    note(InventoryEdit(settings: .some(settings)))
    guard let settings else {
      facts.inventory = nil
      return picker.see(nil)
    }
    guard let units = facts.inventory?.units else { return TickAnswer() }
    facts.inventory?.settings = settings
    // What is confirmed stays as it was booked.
    guard status == .open else { return TickAnswer() }
    let range = settings.units
    let allowed = min(max(units, range.lowerBound), range.upperBound)
    if allowed != units { set(units: allowed) }
    return TickAnswer()
  }

  // MARK: News

  /// Takes what has become of the inventory by others.
  ///
  /// A session that is not open keeps its value, and therefore its levels: it gets them when it is
  /// open again.
  mutating func take(_ news: InventoryNews, at now: Instant, _ effects: inout [Effect]) {
    remnant = .nothing
    let effectCount = effects.count
    tick(to: now, &effects)
    if effects.count > effectCount { remnant = .tick }
    guard let units = facts.inventory?.units else { return }
    let (value, lastChanges) = (result.value, facts.lastChanges)
    var answer = TickAnswer()
    if status == .open, let levels = levels(after: news) {
      remnant = .entry
      facts.inventory?.levels = levels
      answer = picker.see(levels)
    }
    if let claim = news.claim { take(claim, &answer) }
    let hasResult = takeResult()
    if remnant == .entry || hasResult {
      remnant = .entry
      let change = SessionChange.inventory(
        news, answer.changes, tappedBy: picker.lastTap?.member)
      commit(change, hasResult: hasResult, at: now, &effects)
      // Whether it can be had is no part of the value: late commands are not stale because of that.
      if hasResult, result.value == value, facts.inventory?.units == units {
        facts.lastChanges = lastChanges
      }
    }
    noteCells(answer, &effects)
  }

  /// The levels with those of the news; `nil` if they are the same.
  private func levels(after news: InventoryNews) -> KeyLevels? {
    guard let known = facts.inventory?.levels, let new = news.levels else { return nil }
    let levels = news.isWhole ? new : known.with(new)
    return levels == known ? nil : levels
  }

  /// Takes a claim that the inventory has changed.
  private mutating func take(_ new: NumberedClaim, _ answer: inout TickAnswer) {
    guard let known = facts.inventory?.claim, new.number >= known.number, new.claim != known.claim
    else { return }
    remnant = .entry
    facts.inventory?.claim = new
    guard let claim = new.claim else {
      if let before = known.claim, before.state != .booked {
        note(InventoryEdit(hold: .ended(.expired)))
      }
      return
    }
    noteClaim()
    guard claim.state == .offered, known.claim?.state != .offered, status == .open else { return }
    if claim.units != facts.inventory?.units { set(units: claim.units) }
    if picker.keys.isExactly(claim.keys) { return }
    if let value = picker.value(ofKeys: claim.keys),
      let changes = try? picker.take(offered: value.fields)
    {
      answer.changes += changes
      answer.hasOtherValue = answer.hasOtherValue || !changes.isEmpty
    } else {
      giveBack(.lost)
    }
  }
}

extension Refusal {
  /// A refusal of the inventory.
  fileprivate init(_ refusal: InventoryRefusal) {
    let keys = refusal.keys.joined(separator: ", ")
    let detail =
      switch refusal.code {
      case .full:
        "the value has more than \(Picker.keyCountMax) keys, or the inventory has as many holds "
          + "and waiters as it can have"
      case .waiting: "others have waited longer for \(keys)"
      case .soldOut: "\(keys) can no longer be had"
      case .held: "others hold \(keys)"
      case .tooManyHolds: "the holder has as many units as one holder may hold or wait for"
      case .holdLimit: "the hold cannot be extended further"
      case .free: "the value can be had now: hold it or confirm it"
      case .wrongKind: "the definition has no inventory any more"
      }
    var params: [JSONTree.Member] = []
    if !refusal.keys.isEmpty {
      params.append(.init("keys", .array(refusal.keys.map(JSONTree.string))))
    }
    if let until = refusal.until { params.append(.init("until", .string(until.rfc3339))) }
    self.init(
      Rejection(refusal.code), detail.count > 500 ? "\(refusal.code)" : detail, params: params)
  }
}

extension Rejection {
  fileprivate init(_ code: InventoryRefusal.Code) {
    self =
      switch code {
      case .full: .full
      case .waiting: .waiting
      case .soldOut: .soldOut
      case .held: .held
      case .tooManyHolds: .tooManyHolds
      case .holdLimit: .holdLimit
      case .free: .free
      case .wrongKind: .wrongKind
      }
  }
}
