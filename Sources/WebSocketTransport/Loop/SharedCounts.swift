import CWebSocketLoop

/// Counts the connections of all loops that share it, in total and per address.
///
/// `@unchecked Sendable`: the C implementation has a lock.
package final class ConnectionCount: @unchecked Sendable {
  let count: OpaquePointer

  package init(connectionsMax: Int, addressConnectionsMax: Int) {
    guard
      let count = wsl_peers_create(UInt32(connectionsMax), UInt32(addressConnectionsMax))
    else { fatalError("out of memory") }
    self.count = count
  }

  deinit { wsl_peers_destroy(count) }
}

/// An IPv4 address, or the /64 prefix of an IPv6 address: the unit of per-address limits.
package struct PeerNetwork: Hashable, Sendable {
  package let raw: UInt64

  /// - Parameters:
  ///   - high: The first 64 bits of an IPv6 address, or of the one that maps an IPv4 address.
  ///   - low: The other 64 bits.
  package init(high: UInt64, low: UInt64) { raw = wsl_network_of_words(high, low) }
}

/// The total length of all request bodies being received or used, in all loops that share it.
package final class BodyBytes: @unchecked Sendable {
  /// Only accessed with atomic operations, by wsl_count_body() and C.
  let count: UnsafeMutablePointer<UInt64>

  package init() {
    count = .allocate(capacity: 1)
    count.initialize(to: 0)
  }

  package var byteCount: Int { Int(wsl_body_count(count)) }

  deinit { count.deallocate() }
}
