import Glibc

/// The address of a listener: a numeric address, so that no name lookup is needed, and a port.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// As written by `inet_ntop`, without brackets: `127.0.0.1`, `::1`.
  package let host: String
  /// 0…65535; 0 means any free port.
  package let port: Int
  package let isIPv6: Bool

  package static let standard = ListenAddress(host: "127.0.0.1", port: 7681, isIPv6: false)

  private init(host: String, port: Int, isIPv6: Bool) {
    self.host = host
    self.port = port
    self.isIPv6 = isIPv6
  }

  /// Parses `127.0.0.1:7681`, `[::1]:7681`, or `:7681`, which means 127.0.0.1.
  ///
  /// - Throws: ``ConfigurationProblem`` for anything else, including host names.
  package init(_ text: String) throws(ConfigurationProblem) {
    guard let colon = text.lastIndex(of: ":") else {
      throw ListenAddress.problem(text, "has no port")
    }
    let digits = text[text.index(after: colon)...]
    guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let port = Int(digits), port <= 65_535
    else { throw ListenAddress.problem(text, "has no port from 0 to 65535") }

    let written = text[..<colon]
    if written.isEmpty {
      self.init(host: ListenAddress.standard.host, port: port, isIPv6: false)
    } else if written.hasPrefix("[") && written.hasSuffix("]") {
      guard let host = ListenAddress.normalized(String(written.dropFirst().dropLast()), AF_INET6)
      else { throw ListenAddress.problem(text, "has no IPv6 address in its brackets") }
      self.init(host: host, port: port, isIPv6: true)
    } else {
      guard let host = ListenAddress.normalized(String(written), AF_INET) else {
        throw ListenAddress.problem(text, "has no numeric IPv4 address before its port")
      }
      self.init(host: host, port: port, isIPv6: false)
    }
  }

  /// Whether only processes on the same machine can connect.
  package var isLoopback: Bool { isIPv6 ? host == "::1" : host.hasPrefix("127.") }

  package var description: String { (isIPv6 ? "[\(host)]" : host) + ":\(port)" }

  private static func normalized(_ text: String, _ family: Int32) -> String? {
    var address = in6_addr()
    guard inet_pton(family, text, &address) == 1 else { return nil }
    var written = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, &address, &written, socklen_t(written.count)) != nil else { return nil }
    return written.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  private static func problem(
    _ text: String, _ what: String
  ) -> ConfigurationProblem {
    ConfigurationProblem(
      "\(ConfigurationProblem.shown(text)) \(what). Write ADDRESS:PORT with a numeric "
        + "address, such as 127.0.0.1:7681, [::1]:7681, 0.0.0.0:80 (all interfaces) or "
        + ":0 (127.0.0.1, any free port).")
  }
}
