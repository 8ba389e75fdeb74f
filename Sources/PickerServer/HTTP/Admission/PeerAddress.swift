import Glibc
import WebSocketTransport

/// An IPv6 address, or an IPv4 address in its IPv4-mapped form (`::ffff:192.0.2.1`).
package struct PeerAddress: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  /// Parses a numeric address without brackets or port.
  package init?(_ text: some StringProtocol) {
    let text = String(text)
    var bytes = in6_addr()
    if inet_pton(AF_INET, text, &bytes) == 1 {
      high = 0
      low =
        0xFFFF_0000_0000
        | withUnsafeBytes(of: bytes) {
          UInt64($0.load(as: UInt32.self).bigEndian)
        }
    } else if inet_pton(AF_INET6, text, &bytes) == 1 {
      (high, low) = withUnsafeBytes(of: bytes) {
        (
          $0.load(as: UInt64.self).bigEndian,
          $0.load(fromByteOffset: 8, as: UInt64.self).bigEndian
        )
      }
    } else {
      return nil
    }
  }

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

  /// The address as text: `192.0.2.1` or `2001:db8::1`.
  var text: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    var (high, low) = (high.bigEndian, low.bigEndian)
    if isIPv4 {
      var address = in_addr(s_addr: UInt32(truncatingIfNeeded: self.low).bigEndian)
      inet_ntop(AF_INET, &address, &text, socklen_t(INET_ADDRSTRLEN))
    } else {
      var address = in6_addr()
      withUnsafeMutableBytes(of: &address) { bytes in
        withUnsafeBytes(of: &high) { bytes[0..<8].copyBytes(from: $0) }
        withUnsafeBytes(of: &low) { bytes[8..<16].copyBytes(from: $0) }
      }
      inet_ntop(AF_INET6, &address, &text, socklen_t(INET6_ADDRSTRLEN))
    }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The unit of per-address limits: an IPv4 address, or the /64 of an IPv6 address, which is
  /// usually assigned to one subscriber.
  var network: PeerNetwork { PeerNetwork(high: high, low: low) }

  /// The address with all but the first `bitCount` bits set to 0.
  func prefix(_ bitCount: Int) -> PeerAddress {
    func masked(_ word: UInt64, _ count: Int) -> UInt64 {
      count <= 0 ? 0 : word & (UInt64.max << UInt64(max(0, 64 - count)))
    }
    return PeerAddress(high: masked(high, bitCount), low: masked(low, bitCount - 64))
  }
}

/// A range of addresses in CIDR notation: `10.0.0.0/8`, `2001:db8::/32`, or a single address.
package struct AddressRange: Hashable, Sendable {
  /// As it was written.
  let text: String
  private let first: PeerAddress
  private let bitCount: Int

  package init?(_ text: some StringProtocol) {
    self.text = String(text)
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = PeerAddress(parts[0]) else { return nil }
    // An IPv4 range is a range of IPv4-mapped addresses.
    let bitsMax = address.isIPv4 && !parts[0].contains(":") ? 32 : 128
    var count = bitsMax
    if parts.count == 2 {
      guard let number = Int(parts[1]), (0...bitsMax).contains(number) else { return nil }
      count = number
    }
    bitCount = 128 - bitsMax + count
    first = address.prefix(bitCount)
  }

  package func contains(_ address: PeerAddress) -> Bool { address.prefix(bitCount) == first }
}

/// The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` headers and PROXY protocol headers
/// are trusted.
package struct TrustedProxies: Hashable, Sendable {
  private var ranges: [AddressRange]
  private var trustsUnixSockets: Bool

  /// What ``RequestHead/remoteAddress`` is for the peer of a Unix socket.
  package static let unixPeer = "unix"

  /// - Parameter trustsUnixSockets: Whether all peers of Unix sockets are proxies.
  package init(_ ranges: [AddressRange] = [], trustsUnixSockets: Bool = false) {
    self.ranges = ranges
    self.trustsUnixSockets = trustsUnixSockets
  }

  /// Adds `unix`, an address or a range.
  mutating func add(_ text: String) throws(ConfigurationProblem) {
    if text == TrustedProxies.unixPeer { return trustsUnixSockets = true }
    guard let range = AddressRange(text) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not an address range. Use the proxy's address, "
          + "such as 10.0.0.7, a range, such as 10.0.0.0/8 or fd00::/8, unix, or none.")
    }
    ranges.append(range)
  }

  /// What ``add(_:)`` reads.
  var texts: [String] {
    ranges.map(\.text) + (trustsUnixSockets ? [TrustedProxies.unixPeer] : [])
  }

  /// Proxies on the same machine.
  package static let standard = TrustedProxies(
    [AddressRange("127.0.0.0/8"), AddressRange("::1")].compactMap { $0 }, trustsUnixSockets: true)

  /// Whether the address of a peer belongs to one of the proxies.
  package func contains(_ peer: String) -> Bool {
    if peer == TrustedProxies.unixPeer { return trustsUnixSockets }
    return PeerAddress(peer).map(isTrusted) ?? false
  }

  /// The address of the client that sent a request: the socket's peer or, if that is a trusted
  /// proxy, the rightmost untrusted address in `X-Forwarded-For`; if all are trusted, the leftmost.
  ///
  /// Entries to the left of that address may be forged by the client. An entry that is not an
  /// address ends the search; the result is then the proxy that added it.
  /// - Returns: `nil` if neither `peer` nor the header has a numeric address.
  package func client(peer: String, forwardedFor: String?) -> PeerAddress? {
    var client = PeerAddress(peer)
    guard let forwardedFor, contains(peer) else { return client }
    let entries = forwardedFor.split(separator: ",", omittingEmptySubsequences: false)
    for entry in entries.reversed() {
      guard let address = TrustedProxies.address(in: entry) else { break }
      client = address
      if !isTrusted(address) { break }
    }
    return client
  }

  package func isTrusted(_ address: PeerAddress) -> Bool {
    ranges.contains { $0.contains(address) }
  }

  /// Parses `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`, ignoring blanks.
  private static func address(in entry: Substring) -> PeerAddress? {
    let entry = entry.filter { $0 != " " && $0 != "\t" }
    if entry.hasPrefix("[") {
      return PeerAddress(entry.dropFirst().prefix { $0 != "]" })
    }
    if let address = PeerAddress(entry) { return address }
    return entry.firstIndex(of: ":").flatMap { PeerAddress(entry[..<$0]) }
  }
}
