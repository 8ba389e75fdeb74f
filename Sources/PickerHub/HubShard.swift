package import PickerSession

/// Which of a server's sessions a hub has. The hubs of a server are numbered, and a session's
/// follows from its id: nobody has to look it up, and no two have the same one.
package struct HubShard {
  package let index: Int
  package let count: Int
  /// Counts the sessions of all hubs.
  let total: any SessionTotal

  /// - Parameter index: From 0 to `count` - 1.
  package init(index: Int, of count: Int, total: any SessionTotal) {
    precondition((0..<count).contains(index), "a hub is one of those that there are")
    self.index = index
    self.count = count
    self.total = total
  }

  /// A hub that has all sessions.
  package static var whole: HubShard { HubShard(index: 0, of: 1, total: OwnTotal()) }

  package func has(_ session: SessionID) -> Bool {
    count == 1 || HubShard.index(of: session, among: count) == index
  }

  /// The number of the hub that has a session.
  ///
  /// Any text is somebody's, also one that is no session's id. With another count sessions are
  /// shared out anew; nothing that is kept depends on it.
  /// - Source: draft-eastlake-fnv, FNV-1a of 64 bits, folded to 32.
  package static func index(of session: SessionID, among count: Int) -> Int {
    guard count > 1 else { return 0 }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in session.text.utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return Int((hash >> 32 ^ hash & 0xffff_ffff) % UInt64(count))
  }
}

/// Counts the sessions that have not ended, in all hubs of a server.
package protocol SessionTotal: AnyObject {
  func add(_ count: Int)
  /// Counts one more, unless there are `max` already.
  ///
  /// - Returns: Whether it has counted.
  func take(max: Int) -> Bool
}

/// The total of a hub that is alone.
private final class OwnTotal: SessionTotal {
  private var count = 0

  func add(_ count: Int) { self.count += count }

  func take(max: Int) -> Bool {
    guard count < max else { return false }
    count += 1
    return true
  }
}
