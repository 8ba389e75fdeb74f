/// When time changes the inventories of a store next, and the changes that the hubs know.
struct InventoryTimes {
  /// When the first hold or offer of each ends, in milliseconds since 1970.
  private var ends: [String: Int64] = [:]
  /// The last change of each of which the hubs were notified.
  private var numbers: [String: Int] = [:]
  /// The time at which the store looks next.
  private var lookAt: Int64?

  /// When those of other nodes were read last; `nil`: all must be read.
  private var lookedAt: Int64?
  private var isLooking = false

  /// - Returns: Whether nobody is about to look.
  mutating func beginLooking() -> Bool {
    defer { isLooking = true }
    return !isLooking
  }

  /// - Returns: The time of the look before this one.
  mutating func looked(at now: Int64) -> Int64? {
    isLooking = false
    defer { lookedAt = now }
    return lookedAt
  }

  mutating func lookFailed() { lookedAt = nil }

  mutating func forget() { (ends, numbers, lookedAt) = ([:], [:], nil) }

  /// Something may end earlier than was known, or later.
  mutating func lookAgain(_ name: String, at end: Int64) { ends[name] = end }

  /// An inventory was counted in. Two threads may say so in another order than they have counted.
  ///
  /// - Parameter end: `nil`: nothing is held or offered.
  /// - Returns: Whether the change is newer than those that the hubs know.
  mutating func note(_ name: String, number: Int, end: Int64?) -> Bool {
    guard number >= numbers[name] ?? 0 else { return false }
    ends[name] = end
    defer { numbers[name] = number }
    return number > numbers[name] ?? 0
  }

  /// When the store must look, if it does not look before then.
  mutating func nextLook(grace: Int64) -> Int64? {
    guard let next = ends.values.min().map({ $0 + grace }), next < lookAt ?? .max else {
      return nil
    }
    lookAt = next
    return next
  }

  /// The inventories in which something is due.
  mutating func takeDue(at now: Int64, grace: Int64) -> [String] {
    lookAt = nil
    let due = ends.filter { $0.value + grace <= now }.keys.sorted()
    for name in due { ends[name] = nil }
    return due
  }
}
