/// An IPv4 address, or the /64 prefix of an IPv6 address: the unit of per-address limits.
package struct PeerNetwork: Hashable, Sendable {
  package let raw: UInt64

  init(raw: UInt64) { self.raw = raw }

  /// - Parameters:
  ///   - high: The first 64 bits of an IPv6 address, or of the one that maps an IPv4 address.
  ///   - low: The other 64 bits.
  package init(high: UInt64, low: UInt64) {
    raw = high == 0 && low >> 32 == 0xFFFF ? low : high
  }
}
