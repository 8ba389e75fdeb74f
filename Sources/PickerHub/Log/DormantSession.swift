package import CivilTime
package import PickerSession

/// A session that is in the log but not in memory, with the values that its timers need, so that
/// its log need not be read for them.
package struct DormantSession: Hashable, Sendable {
  package let id: SessionID
  package let ttlSeconds: Int
  /// The time since its last revision or join.
  package let idleMilliseconds: Int64
  package let nextTick: Instant?
  /// Whether the session must be loaded soon: it may still have members, which must leave in time
  /// if they do not reconnect, or the feed may lack events of its entries, which are then derived.
  package let hasMembers: Bool
  /// `nil` if it is known only after loading the session.
  package let status: SessionStatus?

  package init(
    id: SessionID, ttlSeconds: Int, idleMilliseconds: Int64, nextTick: Instant?, hasMembers: Bool,
    status: SessionStatus? = nil
  ) {
    self.id = id
    self.ttlSeconds = ttlSeconds
    self.idleMilliseconds = idleMilliseconds
    self.nextTick = nextTick
    self.hasMembers = hasMembers
    self.status = status
  }
}
