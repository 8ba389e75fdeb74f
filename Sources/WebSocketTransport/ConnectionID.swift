/// One WebSocket of one loop: generation << 32 | slot. Never named twice.
package struct ConnectionID: Hashable, Sendable {
  package let raw: UInt64
  package init(raw: UInt64) { self.raw = raw }
}
