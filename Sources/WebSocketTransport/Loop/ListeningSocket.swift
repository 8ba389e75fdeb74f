import Glibc

/// TCP sockets for numeric addresses.
enum ListeningSocket {
  private static let backlog: CInt = 1_024

  /// Opens a socket that listens on exactly one numeric IPv4 or IPv6 address.
  ///
  /// - Returns: The socket, and its port: 0 selects any free one.
  static func open(
    host: String, port: UInt16
  ) throws(SocketLoopProblem) -> (descriptor: CInt, port: UInt16) {
    let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    guard let address = resolve(host, port) else {
      throw SocketLoopProblem(
        description: "cannot listen at \(place): not a numeric IPv4 or IPv6 address, such as "
          + "127.0.0.1 or ::1")
    }
    defer { freeaddrinfo(address) }
    let descriptor = make(address)
    var on: CInt = 1
    let size = socklen_t(MemoryLayout<CInt>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
    // [::] must not accept IPv4 connections as well.
    setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &on, size)
    guard bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0,
      Glibc.listen(descriptor, backlog) == 0, let bound = boundPort(descriptor)
    else {
      let reason = reason(errno)
      close(descriptor)
      throw SocketLoopProblem(description: "cannot listen at \(place): \(reason)")
    }
    return (descriptor, bound)
  }

  /// A socket that connects to a numeric address, whose loss is noticed within 5 s; `nil` if it
  /// cannot connect.
  static func connecting(to host: String, port: UInt16) -> CInt? {
    guard let address = resolve(host, port) else { return nil }
    defer { freeaddrinfo(address) }
    let descriptor = make(address)
    let options: [(CInt, CInt, CInt)] = [
      (CInt(IPPROTO_TCP), TCP_NODELAY, 1), (SOL_SOCKET, SO_KEEPALIVE, 1),
      (CInt(IPPROTO_TCP), TCP_KEEPIDLE, 2), (CInt(IPPROTO_TCP), TCP_KEEPINTVL, 1),
      (CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, 5_000),
    ]
    for (level, name, value) in options {
      var value = value
      setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
    }
    let result = connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen)
    if result == 0 || errno == EINPROGRESS { return descriptor }
    close(descriptor)
    return nil
  }

  private static func resolve(_ host: String, _ port: UInt16) -> UnsafeMutablePointer<addrinfo>? {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    return getaddrinfo(host, "\(port)", &hints, &found) == 0 ? found : nil
  }

  private static func make(_ address: UnsafeMutablePointer<addrinfo>) -> CInt {
    let flags = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    return socket(address.pointee.ai_family, CInt(flags), 0)
  }

  private static func boundPort(_ descriptor: CInt) -> UInt16? {
    var bound = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = withUnsafeMutableBytes(of: &bound) { bytes in
      getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
    }
    // Both families have the port at the same place.
    return result == 0 ? UInt16(bigEndian: bound.sin6_port) : nil
  }

  private static func reason(_ error: CInt) -> String {
    switch error {
    case EADDRINUSE:
      "the port is in use; stop the other program or choose another port (0: any free port)"
    case EADDRNOTAVAIL: "this machine has no such address"
    case EACCES:
      "permission denied; choose a port from 1024 up, or let systemd open it (systemd:NAME)"
    default: String(cString: strerror(error))
    }
  }
}
