import PickerServer

/// The addresses to which webhooks may be sent: public ones, and those that the operator allows.
/// - Source: the IANA special-purpose address registries.
struct AddressPolicy: Sendable {
  private let allowed: [AddressRange]

  init(allowed: [AddressRange] = []) { self.allowed = allowed }

  /// - Parameter address: An IPv4-mapped IPv6 address is treated as the IPv4 address.
  func admits(_ address: PeerAddress) -> Bool {
    if allowed.contains(where: { $0.contains(address) }) { return true }
    if address.isIPv4 { return !AddressPolicy.special.contains { $0.contains(address) } }
    return AddressPolicy.global.contains(address)
      && !AddressPolicy.special.contains { $0.contains(address) }
  }

  /// The IPv6 addresses that are assigned as global unicast.
  private static let global = AddressRange("2000::/3")!

  /// Loopback, private, link-local (with cloud metadata), shared, documentation, benchmark,
  /// multicast and reserved addresses, and IPv6 addresses that contain IPv4 ones.
  private static let special = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "2001::/23",
    "2001:db8::/32", "2002::/16", "3fff::/20",
  ].map { AddressRange($0)! }
}
