/// Identifies a connection: a slot of the event loop and the generation of that slot.
///
/// An id is never reused, so an id that outlives its connection refers to no other one.
package struct ConnectionID: Hashable, Sendable {
  /// `generation << 32 | slot`.
  package let raw: UInt64

  package init(raw: UInt64) { self.raw = raw }
}
