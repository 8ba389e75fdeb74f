import CivilTime
import PickerSession

/// The state that the hub retains of a session that is in the log only.
struct DormantState {
  /// The time of its last revision or join, in machine milliseconds.
  let lastActivity: Int64
  let ttlSeconds: Int
  /// `nil` if it is known only after loading the session.
  let status: SessionStatus?
  /// The instant of the tick in the hub's queue, if any.
  let queuedTick: Instant?
  /// Whether the last load failed.
  var isUnreadable = false
  /// Whether a timer will try to load it again.
  var isRetryQueued = false
}
