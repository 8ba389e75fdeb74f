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

/// The total length of all large request bodies being received or used, in all loops that share it.
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

/// The memory of responses and messages that clients have not read, in all loops that share it.
package final class UnsentBytes: @unchecked Sendable {
  /// Only accessed with atomic operations, by C.
  let count: UnsafeMutablePointer<UInt64>
  let byteCountMax: Int

  package init(byteCountMax: Int) {
    self.byteCountMax = byteCountMax
    count = .allocate(capacity: 1)
    count.initialize(to: 0)
  }

  package var byteCount: Int { Int(wsl_unsent_count(count)) }

  /// Reserves the memory of a response; `nil` if it is in use.
  func reserve(_ byteCount: Int) -> UnsentReservation? {
    var reserved = 0
    guard wsl_unsent_reserve(count, UInt64(byteCountMax), byteCount, &reserved) else { return nil }
    return UnsentReservation(reserved, of: self)
  }

  deinit { count.deallocate() }
}

/// Memory of ``UnsentBytes`` that is released with this object. Used by one thread at a time.
final class UnsentReservation: @unchecked Sendable {
  private var reserved: Int
  private let total: UnsentBytes

  fileprivate init(_ reserved: Int, of total: UnsentBytes) {
    self.reserved = reserved
    self.total = total
  }

  /// Whether the response is long enough to be counted.
  var isCounted: Bool { reserved > 0 }

  /// Releases what a response needs no longer, because it is shorter now.
  func shrink(to byteCount: Int) {
    let needed = max(0, byteCount - Int(WSL_UNCOUNTED_BYTES))
    guard needed < reserved else { return }
    wsl_unsent_release(total.count, reserved - needed)
    reserved = needed
  }

  /// Passes the ownership of the reserved memory to the caller.
  func take() -> Int {
    defer { reserved = 0 }
    return reserved
  }

  deinit { wsl_unsent_release(total.count, reserved) }
}
