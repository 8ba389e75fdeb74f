/// The outcome of sending a frame.
package enum SendOutcome: Sendable {
  /// Accepted. The hub may send another at once, unless ``Hub/writeBlocked(_:)`` is called.
  case sent
  /// Accepted, but the connection is write-blocked: the hub sends no other frame before
  /// ``Hub/writable(_:at:)`` is called.
  case writeBlocked
  /// Dropped because the connection is closed; ``Hub/closed(_:at:)`` follows or was called already.
  case gone
}
