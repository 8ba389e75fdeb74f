/// What refuses new sessions.
package enum CreationLimit: Hashable, Sendable {
  /// The maximum of sessions that have not ended.
  case sessions
  /// The maximum of the memory of sessions. Larger definitions and more notes are refused as well.
  case sessionsBytes
  /// The maximum of idempotency keys, which is that of sessions.
  case keys
}
