import Glibc

/// The address of a socket, as the kernel stores it.
struct SocketAddress {
  private var storage = sockaddr_storage()
  private var length: socklen_t

  /// - Parameter path: An absolute path that fits into `sun_path`.
  init(path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    precondition(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    length = socklen_t(MemoryLayout<sockaddr_un>.size)
    withUnsafeMutableBytes(of: &storage) { storage in
      withUnsafeBytes(of: &address) { storage.copyBytes(from: $0) }
    }
  }

  /// The address that a socket is bound to; `nil` if there is none.
  init?(of descriptor: CInt) {
    length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &length)
      }
    }
    guard result == 0 else { return nil }
  }

  /// The numeric address and port; `nil` for other families than IPv4 and IPv6.
  var tcp: TCPAddress? {
    var host = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    var service = [CChar](repeating: 0, count: 8)
    let isIPv6 = storage.ss_family == sa_family_t(AF_INET6)
    guard isIPv6 || storage.ss_family == sa_family_t(AF_INET) else { return nil }
    let result = call { address, length in
      getnameinfo(
        address, length, &host, socklen_t(host.count), &service, socklen_t(service.count),
        NI_NUMERICHOST | NI_NUMERICSERV)
    }
    guard result == 0 else { return nil }
    return TCPAddress(
      host: SocketAddress.text(host), port: Int(SocketAddress.text(service)) ?? 0, isIPv6: isIPv6)
  }

  /// The path of a Unix socket; `nil` for other families.
  var path: String? {
    guard storage.ss_family == sa_family_t(AF_UNIX) else { return nil }
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    return withUnsafeBytes(of: storage) { bytes in
      String(decoding: bytes.dropFirst(offset).prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// Passes the address to a system call.
  func call(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    withUnsafePointer(to: storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
