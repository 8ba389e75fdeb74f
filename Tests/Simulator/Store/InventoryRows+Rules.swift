import CivilTime
import PickerModel
import PickerSession

/// What must be true of an inventory after every transaction, computed from the claims alone.
///
/// - Source: web/guide/holds.md.
extension InventoryRows {
  /// How long a hold or an offer counts after its end.
  static let graceMilliseconds: Int64 = 2000

  /// The first rule that does not hold; `nil` if all hold.
  ///
  /// - Parameter former: What the transaction before has left; `nil` if that is not known.
  func violation(after former: InventoryRows?) -> String? {
    if let contradiction { return contradiction }
    if let sentence = difference(from: counts) { return sentence }
    for (id, row) in sorted {
      if let until = row.claim.until, ended(until) {
        return "what ends at \(until.rfc3339) does not count at \(now.rfc3339): \(id.parts.text)"
      }
      if row.claim.state == .waiting, isOpen(row.claim, for: id) {
        return "units that are free go to the line: \(id.parts.text) waits for \(row.claim.keys)"
      }
    }
    guard let former else { return nil }
    for (id, row) in sorted where former.claims[id] != row {
      if let sentence = violation(of: row, id, after: former) { return sentence }
    }
    return nil
  }

  /// Whether a hold or an offer has ended for good.
  func ended(_ until: Instant) -> Bool {
    until.milliseconds + InventoryRows.graceMilliseconds <= now.milliseconds
  }

  private var sorted: [(key: ClaimID, value: Row)] {
    claims.sorted { $0.key.parts.text < $1.key.parts.text }
  }

  // MARK: - Counting

  /// The units that are taken of a key.
  private func taken(_ key: String, but me: ClaimID? = nil) -> Int {
    units(of: key) { id, row in id != me && row.claim.state.takes }
  }

  /// The sum of the units of some claims that name a key.
  private func units(of key: String, _ counts: (ClaimID, Row) -> Bool) -> Int {
    claims.reduce(0) { sum, next in
      next.value.claim.keys.contains(key) && counts(next.key, next.value)
        ? sum + next.value.claim.units : sum
    }
  }

  private func free(_ key: String, but me: ClaimID? = nil) -> Int {
    settings.capacity(of: key) - taken(key, but: me)
  }

  /// Those in the line who have asked before a session, or all if it does not wait.
  private func earlier(than id: ClaimID) -> [Row] {
    let order = claims[id]?.order ?? .max
    return claims.filter { $0.key != id && $0.value.order ?? .max < order }.map(\.value)
  }

  /// Why a key cannot be had; `nil` if it can.
  ///
  /// - Parameter isKept: Whether somebody keeps it who wants more than there is.
  private func closure(
    of key: String, units: Int, for id: ClaimID, keptForever isKept: Bool = true
  ) -> InventoryRefusal.Code? {
    if let own = claims[id]?.claim, own.state.takes, own.keys.contains(key), own.units >= units {
      return nil
    }
    let free = free(key)
    let keepers = earlier(than: id).filter { $0.claim.keys.contains(key) && $0.claim.units > free }
    if keepers.contains(where: { isKept || !isHopeless($0) }) { return .waiting }
    if self.free(key, but: id) >= units { return nil }
    let booked = self.units(of: key) { $0 != id && $1.claim.state == .booked }
    return settings.capacity(of: key) - booked < units ? .soldOut : .held
  }

  /// Whether somebody waits for more than there is.
  private func isHopeless(_ row: Row) -> Bool {
    row.claim.keys.contains { settings.capacity(of: $0) < row.claim.units }
  }

  private func isOpen(_ claim: Claim, for id: ClaimID) -> Bool {
    claim.keys.allSatisfy { closure(of: $0, units: claim.units, for: id) == nil }
  }

  /// Whether a session may see this level of a key.
  func may(_ id: ClaimID, see level: KeyLevel?, of key: String, units: Int) -> Bool {
    [true, false].contains { isKept in
      let left = max(0, free(key, but: id))
      let expected: KeyLevel? =
        switch closure(of: key, units: units, for: id, keptForever: isKept) {
        case .held: .held
        case nil: left <= settings.few ? .few(left: left) : nil
        default: .gone
        }
      return level == expected
    }
  }

  /// The place in the line, from 1; `nil` for a session that does not wait.
  func place(of id: ClaimID) -> Int? {
    guard let row = claims[id], row.order != nil else { return nil }
    return 1 + earlier(than: id).count { !Set($0.claim.keys).isDisjoint(with: row.claim.keys) }
  }

  /// The keys that somebody has or waits for, or that have units of their own.
  var touchedKeys: Set<String> {
    claims.values.reduce(into: Set(settings.keys.keys)) { $0.formUnion($1.claim.keys) }
  }

  /// How counts differ from those of the claims, as a sentence; `nil` if they do not.
  func difference(from counts: [String: KeyCount]) -> String? {
    for key in touchedKeys.union(counts.keys).sorted() {
      let count = counts[key] ?? KeyCount(capacity: settings.capacity(of: key))
      func units(_ state: Claim.State) -> Int { self.units(of: key) { $1.claim.state == state } }
      let waiters = claims.values.filter { $0.order != nil && $0.claim.keys.contains(key) }
      let numbers = [count.capacity, count.booked, count.held, count.offered, count.waiting]
      let expected = [
        settings.capacity(of: key), units(.booked), units(.held), units(.offered), waiters.count,
      ]
      if numbers != expected { return "the counts of \(key) are \(expected), not \(numbers)" }
      let keepers = waiters.filter { $0.claim.units > free(key) }
      let first = keepers.compactMap(\.order).min()
      let others = keepers.filter { !isHopeless($0) }.compactMap(\.order).min()
      if count.keptSince != first, count.keptSince != others {
        return "\(key) is kept for the first who wants more than is free: \(first as Any), not "
          + "\(count.keptSince as Any)"
      }
    }
    return nil
  }

  // MARK: - What was granted

  private func violation(of row: Row, _ id: ClaimID, after former: InventoryRows) -> String? {
    let (claim, old) = (row.claim, former.claims[id])
    if let sentence = excess(of: row, id, after: former) { return sentence }
    guard claim.state.takes, !row.isOver else { return nil }
    if claim.state == .offered, let place = old?.order, isFirst(before: place, claim, former) {
      return "what is free goes to the first in the line: \(id.parts.text) has \(claim.keys)"
    }
    for key in claim.keys {
      let had = old.map { $0.claim.state.takes && $0.claim.keys.contains(key) } ?? false
      if had, old?.claim.units ?? 0 >= claim.units { continue }
      let capacity = max(settings.capacity(of: key), former.settings.capacity(of: key))
      // What was certainly taken when it was granted: later steps may have freed other units.
      let at = row.number ?? .max
      let taken = units(of: key) { other, row in
        row.claim.state.takes && (former.claims[other] == row || row.number ?? .max <= at)
      }
      if taken > capacity, row.number != nil || !hasNewOver(after: former) {
        return "nothing is granted that there is not: \(id.parts.text) has \(key)"
      }
      let mostFree =
        capacity
        - units(of: key) { other, row in
          other != id && row.claim.state.takes
            && (former.claims[other] == row || row.number.map { $0 < at } ?? false)
        }
      if isOvertaken(by: old, id, on: key, whereFree: mostFree, former) {
        return "nobody in the line is overtaken: \(id.parts.text) has \(key)"
      }
    }
    return nil
  }

  private func hasNewOver(after former: InventoryRows) -> Bool {
    claims.contains { $0.value.isOver && former.claims[$0.key] != $0.value }
  }

  /// Whether somebody has waited longer who could have been offered the same: it wants no other
  /// keys, and no more units.
  private func isFirst(before place: Int, _ claim: Claim, _ former: InventoryRows) -> Bool {
    claims.contains { other, waiter in
      guard let order = waiter.order, order < place, former.claims[other]?.order == order else {
        return false
      }
      return waiter.claim.units <= claim.units && Set(waiter.claim.keys).isSubset(of: claim.keys)
    }
  }

  /// Whether somebody has waited longer for more than was free of a key that a session was given.
  private func isOvertaken(
    by old: Row?, _ id: ClaimID, on key: String, whereFree mostFree: Int, _ former: InventoryRows
  ) -> Bool {
    let order = old?.order ?? .max
    return claims.contains { other, waiter in
      guard other != id, let place = waiter.order, place < order,
        former.claims[other]?.order == place, waiter.claim.keys.contains(key)
      else { return false }
      return waiter.claim.units > mostFree && !isHopeless(waiter) && !former.isHopeless(waiter)
    }
  }

  /// A holder does not get more than it may hold, be offered or wait for.
  private func excess(of row: Row, _ id: ClaimID, after former: InventoryRows) -> String? {
    let (claim, old) = (row.claim, former.claims[id]?.claim)
    guard let most = settings.perHolder, former.settings.perHolder == most,
      let holder = row.holder, claim.state == .held || claim.state == .waiting,
      old?.state != .booked, old?.state != claim.state || old?.keys != claim.keys
    else { return nil }
    let weight = claims.values.reduce(0) { sum, row in
      row.holder == holder && row.claim.state != .booked
        ? sum + row.claim.units * row.claim.keys.count : sum
    }
    return weight > most ? "a holder has at most \(most) units of keys, not \(weight)" : nil
  }
}
