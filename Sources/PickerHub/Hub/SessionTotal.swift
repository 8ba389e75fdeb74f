/// The number of sessions that have not ended, in all hubs of a server. Hubs call it from their own
/// threads.
package protocol SessionTotal: AnyObject {
  var count: Int { get }
  func add(_ count: Int)
  /// Adds one if there are fewer than `max`.
  ///
  /// - Returns: Whether it added one.
  func take(max: Int) -> Bool
}

/// The total of a single hub, used from its thread only.
final class OwnTotal: SessionTotal {
  private(set) var count = 0

  func add(_ count: Int) { self.count += count }

  func take(max: Int) -> Bool {
    guard count < max else { return false }
    count += 1
    return true
  }
}
