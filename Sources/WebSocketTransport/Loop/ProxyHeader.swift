import CWebSocketLoop

/// Version 2 of the PROXY protocol, with which a proxy or another node reports the client's
/// address.
/// - Source: https://www.haproxy.org/download/2.8/doc/proxy-protocol.txt, section 2.2
enum ProxyHeader {
  private static let signature = Array("\r\n\r\n\0\r\nQUIT\n".utf8)
  private static let prefixCount = 16
  private static let restMax = 4_096
  /// The bytes of a header that are stored: its prefix and the addresses of TCP over IPv6.
  static let storedCount = 52

  /// The length of a header, as far as it is known from the bytes received: at least that of its
  /// prefix. `nil` if they are not the beginning of a header, or if it is too long.
  static func byteCount(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.prefix(signature.count).elementsEqual(signature.prefix(bytes.count)) else {
      return nil
    }
    guard bytes.count >= prefixCount else { return prefixCount }
    let rest = Int(bytes[14]) << 8 | Int(bytes[15])
    return rest <= restMax ? prefixCount + rest : nil
  }

  /// What a complete header says of the client.
  enum Client {
    case address(wsl_address)
    /// None: the proxy's own health checks, or a client whose address is unknown or not numeric.
    case unknown
    case invalid
  }

  static func client(_ bytes: UnsafeRawBufferPointer) -> Client {
    let addresses = bytes.dropFirst(prefixCount)
    switch (bytes[12], bytes[13]) {
    case (0x20, _), (0x21, 0x00): return .unknown
    case (0x21, 0x31): return (Int(bytes[14]) << 8 | Int(bytes[15])) >= 216 ? .unknown : .invalid
    case (0x21, 0x11) where addresses.count >= 12: return .address(.mapped(addresses.prefix(4)))
    case (0x21, 0x21) where addresses.count >= 36:
      return .address(wsl_address(addresses.prefix(16)))
    default: return .invalid
    }
  }

  /// The header with which a connection is relayed. All addresses are written as IPv6, that of a
  /// Unix socket as `::`, so that the other node reads the same address. In place of the
  /// destination's port is the audience.
  static func bytes(for connection: wsl_connection) -> [UInt8] {
    let client = withUnsafeBytes(of: connection.peer) { Array($0) }
    let rest = client + [UInt8](repeating: 0, count: 19) + [UInt8(connection.audience.rawValue)]
    return signature + [0x21, 0x21, 0, UInt8(rest.count)] + rest
  }

  /// The audience of a relayed connection.
  static func audience(_ bytes: UnsafeRawBufferPointer) -> UInt8? {
    bytes.count >= prefixCount + 36 ? bytes[prefixCount + 35] : nil
  }
}
