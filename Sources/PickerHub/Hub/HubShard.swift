package import PickerSession

/// The sessions of a server that one hub owns.
///
/// A hash of the session's id gives the index of its hub, so that no table is needed and a session
/// has exactly one hub.
package struct HubShard {
  package let index: Int
  package let count: Int
  /// Counts the sessions of all hubs.
  let total: any SessionTotal
  /// The sessions of all hubs by their names.
  package let names: any ShardIndex
  /// The memory of the sessions of all hubs.
  package let memory: any SessionMemory

  /// - Parameter index: From 0 to `count` - 1.
  package init(
    index: Int, of count: Int, total: any SessionTotal, names: (any ShardIndex)? = nil,
    memory: (any SessionMemory)? = nil
  ) {
    precondition((0..<count).contains(index), "the index of a hub is less than the count of hubs")
    self.index = index
    self.count = count
    self.total = total
    self.names = names ?? OwnIndex()
    self.memory = memory ?? OwnMemory()
  }

  /// The shard of a single hub: it owns all sessions.
  package static var whole: HubShard { HubShard(index: 0, of: 1, total: OwnTotal()) }

  package func has(_ session: SessionID) -> Bool {
    count == 1 || HubShard.index(of: session, among: count) == index
  }

  /// The index of the hub that owns a session.
  ///
  /// Every text has a hub, even if it is not the id of a session. The index depends on `count`; it
  /// is never stored, so that a server can restart with another number of hubs.
  /// - Source: draft-eastlake-fnv, FNV-1a of 64 bits, folded to 32.
  package static func index(of session: SessionID, among count: Int) -> Int {
    guard count > 1 else { return 0 }
    var hash = FNV1aHash()
    hash.add(session.text)
    return Int((hash.value >> 32 ^ hash.value & 0xffff_ffff) % UInt64(count))
  }
}
