import Glibc
import JSONText

/// Checks the `Host` header of requests, as protection against DNS rebinding.
///
/// If an attacker makes the name of a malicious page resolve to this server's address, the browser
/// treats the page and the server as the same origin. Only the name in `Host` distinguishes them.
/// - Source: RFC 9110, sections 7.2 and 7.4.
package struct HostPolicy: Hashable, Sendable {
  package enum Verdict: Sendable { case accepted, malformed, misdirected }

  /// The accepted names in addition to the loopback names: lower case, IPv6 addresses in brackets.
  let names: Set<String>
  /// Whether every well-formed `Host` is accepted.
  let acceptsAnyName: Bool
  /// Whether every numeric address is accepted.
  let acceptsAddresses: Bool

  /// - Parameters:
  ///   - names: The names given with `--host`. If empty, only the loopback names and `publicName`
  ///     are accepted if a listener is or may be a loopback address, otherwise every name.
  ///     Addresses are accepted in addition with `acceptsAddresses`.
  ///   - publicName: The name in `--public-url`, which is accepted in addition.
  ///   - acceptsAddresses: For clients that know the server by its address, such as Prometheus: DNS
  ///     rebinding needs a name.
  package init(
    listen: [ListenAddress], names: some Collection<HostName>, publicName: HostName? = nil,
    acceptsAddresses: Bool = false
  ) {
    self.acceptsAddresses = acceptsAddresses
    self.names = Set(names.map(\.text) + (publicName.map { [$0.text] } ?? []))
    acceptsAnyName = names.isEmpty && !listen.contains(where: \.mayBeLoopback)
  }

  package func verdict(on header: String?) -> Verdict {
    guard let header, let name = HostName(header: header) else { return .malformed }
    return acceptsAnyName || name.isLoopback || names.contains(name.text)
      || acceptsAddresses && name.isAddress
      ? .accepted : .misdirected
  }
}

/// The host of a `Host` header or of `--host`, without a port: a DNS name or a numeric address.
package struct HostName: Hashable, Sendable {
  /// In lower case; an IPv6 address in brackets, as `inet_ntop` writes it.
  package let text: String

  /// Parses `name`, `192.0.2.1`, `[2001:db8::1]`, or an IPv6 address without brackets.
  package init?(_ text: String) {
    let text = text.lowercased()
    if text.contains(":") {
      let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
      let bare = isBracketed ? String(text.dropFirst().dropLast()) : text
      guard let address = HostName.ipv6(bare) else { return nil }
      self.text = "[\(address)]"
    } else {
      guard HostName.isName(text) else { return nil }
      self.text = text
    }
  }

  /// Parses the value of a `Host` header: a name or address, with an optional port.
  /// - Source: RFC 9110, section 7.2; RFC 3986, section 3.2.
  init?(header: String) {
    var host = header[...]
    if let colon = header.lastIndex(of: ":"), !header.hasSuffix("]") {
      let port = header[header.index(after: colon)...]
      guard port.utf8.count <= 5, port.utf8.allSatisfy(\.isDigit),
        (Int(port) ?? 0) <= 65_535
      else { return nil }
      host = header[..<colon]
    }
    if host.contains(":"), !host.hasPrefix("[") { return nil }
    self.init(String(host))
  }

  /// Whether the name always refers to the client's own machine: `localhost`, 127.0.0.0/8, ::1.
  var isLoopback: Bool {
    if text == "localhost" || text == "[::1]" { return true }
    var address = in_addr()
    return inet_pton(AF_INET, text, &address) == 1
      && UInt32(bigEndian: address.s_addr) >> 24 == 127
  }

  /// Whether it is a numeric address.
  var isAddress: Bool {
    var address = in_addr()
    return text.hasPrefix("[") || inet_pton(AF_INET, text, &address) == 1
  }

  /// Letters, digits, `-`, `_` and dots, at most 253 bytes.
  private static func isName(_ text: String) -> Bool {
    (1...253).contains(text.utf8.count) && text.isWord(with: "-_.")
  }

  private static func ipv6(_ text: String) -> String? {
    var address = in6_addr()
    guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
    var written = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(AF_INET6, &address, &written, socklen_t(written.count)) != nil else {
      return nil
    }
    return written.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }
}
