import CivilTime
import DequeModule
import PickerSession

/// Who waits for an inventory in memory, in groups that wait for the same units of the same keys.
///
/// Many wait, but for few different things: what is looked up depends on the number of groups that
/// name a key.
struct WaitingLine {
  private struct Wish: Hashable {
    let keys: [String]
    let units: Int
  }

  private final class Group {
    let wish: Wish
    /// In the order of the line.
    var waiters: Deque<(order: Int, id: ClaimID)> = []

    init(_ wish: Wish) { self.wish = wish }

    /// The index of the first who has asked after `order`.
    func index(after order: Int) -> Int { waiters.partitionPoint { $0.order > order } }
  }

  private var groups: [Wish: Group] = [:]
  private var byKey: [String: [Group]] = [:]

  /// The keys that somebody waits for.
  var keys: [String] { Array(byKey.keys) }

  /// Adds somebody behind all others.
  mutating func add(_ claim: InventoryClaim, _ order: Int, _ id: ClaimID) {
    let wish = Wish(keys: claim.keys, units: claim.units)
    if let group = groups[wish] { return group.waiters.append((order, id)) }
    let group = Group(wish)
    group.waiters.append((order, id))
    groups[wish] = group
    for key in claim.keys { byKey[key, default: []].append(group) }
  }

  mutating func remove(_ claim: InventoryClaim, _ order: Int) {
    let wish = Wish(keys: claim.keys, units: claim.units)
    guard let group = groups[wish] else { return }
    let index = group.index(after: order - 1)
    if index < group.waiters.count, group.waiters[index].order == order {
      group.waiters.remove(at: index)
    }
    guard group.waiters.isEmpty else { return }
    groups[wish] = nil
    for key in claim.keys {
      byKey[key]?.removeAll { $0 === group }
      if byKey[key]?.isEmpty == true { byKey[key] = nil }
    }
  }

  /// See ``InventoryTable/waiters(of:after:)``.
  func waiters(of key: String, after order: Int) -> [(order: Int, id: ClaimID)] {
    (byKey[key] ?? []).compactMap { group in
      let index = group.index(after: order)
      return index < group.waiters.count ? group.waiters[index] : nil
    }
  }

  /// See ``InventoryTable/firstOrder(of:wantingMoreThan:)``.
  func firstOrder(of key: String, wantingMoreThan units: Int) -> Int? {
    (byKey[key] ?? []).compactMap { group in
      group.wish.units > units ? group.waiters.first?.order : nil
    }.min()
  }

  /// See ``InventoryTable/waiterCount(of:before:)``.
  func waiterCount(of keys: [String], before order: Int) -> Int {
    var known: Set<ObjectIdentifier> = []
    var count = 0
    for key in keys {
      for group in byKey[key] ?? [] where known.insert(ObjectIdentifier(group)).inserted {
        count += group.index(after: order - 1)
      }
    }
    return count
  }

  /// The places of all.
  var places: [ClaimID: Int] {
    var places = LinePlaces()
    for group in groups.values {
      let number = places.add(keys: group.wish.keys)
      for waiter in group.waiters { places.add(waiter.order, waiter.id, to: number) }
    }
    return places.all()
  }
}

/// Finds the places of all who wait at once: for a long line this is much less work than for each.
struct LinePlaces {
  private var waiters: [(order: Int, group: Int, id: ClaimID)] = []
  private var groups: [[String]] = []
  private var byKey: [String: [Int]] = [:]
  /// Of more sessions than this the places are found together.
  static let askedCountMax = 8
  /// The groups that have a key in common with another are noted, up to so many in all.
  private static let neighborCountMax = 1_000_000

  /// Adds a group of people who wait for the same keys.
  ///
  /// - Returns: Its number.
  mutating func add(keys: [String]) -> Int {
    for key in keys { byKey[key, default: []].append(groups.count) }
    groups.append(keys)
    return groups.count - 1
  }

  mutating func add(_ order: Int, _ id: ClaimID, to group: Int) {
    waiters.append((order, group, id))
  }

  /// The places: 1 + the number of those who have asked before for one of the keys.
  func all() -> [ClaimID: Int] {
    var places = Dictionary<ClaimID, Int>(minimumCapacity: waiters.count)
    var ahead = Array(repeating: 0, count: groups.count)
    var noted: [[Int]?] = Array(repeating: nil, count: groups.count)
    var marks = Array(repeating: -1, count: groups.count)
    var notedCount = 0
    for waiter in waiters.sorted(by: { $0.order < $1.order }) {
      places[waiter.id] = 1 + ahead[waiter.group]
      if let neighbors = noted[waiter.group] {
        for group in neighbors { ahead[group] += 1 }
        continue
      }
      var neighbors: [Int] = []
      for key in groups[waiter.group] {
        for group in byKey[key] ?? [] where marks[group] != waiter.order {
          marks[group] = waiter.order
          ahead[group] += 1
          neighbors.append(group)
        }
      }
      notedCount += neighbors.count
      if notedCount <= LinePlaces.neighborCountMax { noted[waiter.group] = neighbors }
    }
    return places
  }
}
