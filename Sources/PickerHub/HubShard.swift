package import PickerModel
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
  package let names: any SharedIndex
  /// The memory of the sessions of all hubs.
  package let memory: any SessionMemory

  /// - Parameter index: From 0 to `count` - 1.
  package init(
    index: Int, of count: Int, total: any SessionTotal, names: (any SharedIndex)? = nil,
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
private final class OwnTotal: SessionTotal {
  private(set) var count = 0

  func add(_ count: Int) { self.count += count }

  func take(max: Int) -> Bool {
    guard count < max else { return false }
    count += 1
    return true
  }
}

/// The memory of the sessions in all hubs of a server, of their definitions and of their logs in
/// memory, in bytes, an estimate, and its maximum.
package protocol SessionMemory: MemoryAccount {
  var byteCount: Int { get }
  var byteCountMax: Int { get set }
  /// The memory that the last refused session would have taken; 0 if none was refused.
  var refusedByteCount: Int { get set }
}

extension SessionMemory {
  package func hasRoom(for added: Int) -> Bool { byteCount + added <= byteCountMax }

  /// Whether there is room for an empty session, and for one like the last, if that was refused.
  package var hasRoomForRefused: Bool {
    // One that could never be created must not count.
    hasRoom(for: max(min(refusedByteCount, byteCountMax / 2), Session.byteCountMin))
  }
}

/// The memory of the sessions of a single hub. Must be used from one thread, so also the threads
/// that make definitions must be the same.
private final class OwnMemory: SessionMemory, @unchecked Sendable {
  private(set) var byteCount = 0
  var byteCountMax = Int.max
  var refusedByteCount = 0

  func add(_ byteCount: Int) { self.byteCount += byteCount }
}

/// The hash FNV-1a of 64 bits: fast, the same in every process, and not cryptographic.
///
/// - Source: draft-eastlake-fnv.
package struct FNV1aHash: Hashable, Sendable {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  package mutating func add(_ bytes: [UInt8]) {
    for byte in bytes { combine(UInt64(byte)) }
  }

  package mutating func add(_ text: String) {
    for byte in text.utf8 { combine(UInt64(byte)) }
  }

  /// Adds a number that need not be a byte, such as a separator of 256.
  package mutating func combine(_ number: UInt64) {
    value = (value ^ number) &* 0x0000_0100_0000_01b3
  }
}
