/// What several nodes have created in a log.
package struct ClusterCount: Hashable, Sendable {
  /// Sessions that have not ended.
  package var sessions: Int
  /// Idempotency keys.
  package var keys: Int

  package init(sessions: Int = 0, keys: Int = 0) {
    self.sessions = sessions
    self.keys = keys
  }

  package static func += (one: inout ClusterCount, other: ClusterCount) { one = one + other }

  package static func -= (one: inout ClusterCount, other: ClusterCount) {
    one.sessions -= other.sessions
    one.keys -= other.keys
  }

  package static func + (one: ClusterCount, other: ClusterCount) -> ClusterCount {
    ClusterCount(sessions: one.sessions + other.sessions, keys: one.keys + other.keys)
  }
}
