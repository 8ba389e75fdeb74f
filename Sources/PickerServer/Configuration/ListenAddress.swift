import Glibc

/// The address of a listener.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  package enum Socket: Hashable, Sendable {
    case tcp(TCPAddress)
    /// The absolute path of a Unix socket.
    case unix(path: String)
    /// The sockets that systemd passes under a name.
    case systemd(name: String)
  }

  package let socket: Socket
  /// `proxy:`, whether connections begin with a PROXY protocol header.
  package let isProxied: Bool
  /// `tls:`, whether a listener that has no TLS by default has it.
  package let hasTLS: Bool

  package static let standard = ListenAddress(.tcp(.standard))

  init(_ socket: Socket, isProxied: Bool = false, hasTLS: Bool = false) {
    self.socket = socket
    self.isProxied = isProxied
    self.hasTLS = hasTLS
  }

  /// Parses `127.0.0.1:7681`, `[::1]:7681`, `:7681`, which means 127.0.0.1, `unix:/path`, `systemd`
  /// or `systemd:name`; with the prefix `proxy:` for a public listener, and `tls:` for an admin
  /// listener and that of the backend.
  ///
  /// - Throws: ``ConfigurationProblem`` for anything else, including host names.
  package init(_ text: String, of setting: Setting = .listen) throws(ConfigurationProblem) {
    var rest = text[...]
    func skip(_ prefix: String, of owners: Setting...) -> Bool {
      guard owners.contains(setting), rest.hasPrefix(prefix) else { return false }
      rest = rest.dropFirst(prefix.count)
      return true
    }
    isProxied = skip("proxy:", of: .listen)
    hasTLS = skip("tls:", of: .adminListen, .apiListen)
    if rest.hasPrefix("unix:") {
      socket = .unix(path: try ListenAddress.path(String(rest.dropFirst("unix:".count))))
    } else if rest == "systemd" || rest.hasPrefix("systemd:") {
      let name = rest.dropFirst("systemd:".count)
      socket = .systemd(name: name.isEmpty ? ListenAddress.standardName(setting) : String(name))
    } else {
      socket = .tcp(try TCPAddress(String(rest), in: text))
    }
  }

  /// Whether pages in a browser on the same machine may be able to connect to a loopback address.
  package var mayBeLoopback: Bool {
    switch socket {
    case .tcp(let address): address.isLoopback
    case .unix: false
    case .systemd: true
    }
  }

  package var description: String {
    let prefix = (isProxied ? "proxy:" : "") + (hasTLS ? "tls:" : "")
    switch socket {
    case .tcp(let address): return prefix + address.description
    case .unix(let path): return prefix + "unix:" + path
    case .systemd(let name): return prefix + "systemd:" + name
    }
  }

  /// The `FileDescriptorName=` in the socket units of `deploy/`.
  private static func standardName(_ setting: Setting) -> String {
    switch setting {
    case .adminListen: "admin"
    case .apiListen: "api"
    case .redirectHttp: "redirect"
    default: "public"
    }
  }

  private static func path(_ path: String) throws(ConfigurationProblem) -> String {
    let lengthMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
    guard path.hasPrefix("/"), path.utf8.count <= lengthMax, !path.contains("\0") else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(path)) is not the path of a socket. Use an absolute path of "
          + "at most \(lengthMax) bytes, such as unix:/run/pickerd/web.")
    }
    return path
  }
}

/// A numeric address, so that no name lookup is needed, and a port.
package struct TCPAddress: Hashable, Sendable, CustomStringConvertible {
  /// As written by `inet_ntop`, without brackets: `127.0.0.1`, `::1`.
  package let host: String
  /// 0…65535; 0 means any free port.
  package let port: Int
  package let isIPv6: Bool

  static let standard = TCPAddress(host: "127.0.0.1", port: 7681, isIPv6: false)

  init(host: String, port: Int, isIPv6: Bool) {
    self.host = host
    self.port = port
    self.isIPv6 = isIPv6
  }

  /// Parses `127.0.0.1:7681`, `[::1]:7681`, or `:7681`, which means 127.0.0.1.
  ///
  /// - Parameter whole: What an error message quotes instead of `text`.
  package init(_ text: String, in whole: String? = nil) throws(ConfigurationProblem) {
    let whole = whole ?? text
    guard let colon = text.lastIndex(of: ":") else {
      throw TCPAddress.problem(whole, "has no port")
    }
    let digits = text[text.index(after: colon)...]
    guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isDigit),
      let port = Int(digits), port <= 65_535
    else { throw TCPAddress.problem(whole, "has no port from 0 to 65535") }

    let written = text[..<colon]
    if written.isEmpty {
      self.init(host: TCPAddress.standard.host, port: port, isIPv6: false)
    } else if written.hasPrefix("[") && written.hasSuffix("]") {
      guard let host = TCPAddress.normalized(String(written.dropFirst().dropLast()), AF_INET6)
      else { throw TCPAddress.problem(whole, "has no IPv6 address in its brackets") }
      self.init(host: host, port: port, isIPv6: true)
    } else {
      guard let host = TCPAddress.normalized(String(written), AF_INET) else {
        throw TCPAddress.problem(whole, "has no numeric IPv4 address before its port")
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

  private static func problem(_ text: String, _ what: String) -> ConfigurationProblem {
    ConfigurationProblem(
      "\(ConfigurationProblem.shown(text)) \(what). Write ADDRESS:PORT with a numeric "
        + "address, such as 127.0.0.1:7681, [::1]:7681, 0.0.0.0:80 (all interfaces) or "
        + ":0 (127.0.0.1, any free port); or unix:/PATH, or systemd.")
  }
}
