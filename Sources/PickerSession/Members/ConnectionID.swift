/// One WebSocket: a slot of the loop and how often that slot has been used before.
///
/// An id is never used again, so one that outlives its connection names nothing.
package struct ConnectionID: Hashable, Sendable {
  /// `generation << 32 | slot`.
  package let raw: UInt64

  package init(raw: UInt64) { self.raw = raw }
}
