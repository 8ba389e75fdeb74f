import CWebSocketLoop
import Glibc

extension wsl_address {
  /// The address of a peer; zero for that of a Unix socket.
  init(_ storage: sockaddr_storage) {
    self.init()
    withUnsafeBytes(of: storage) { bytes in
      switch CInt(storage.ss_family) {
      case AF_INET: self = .mapped(bytes[4..<8])
      case AF_INET6: self = wsl_address(bytes[8..<24])
      default: break
      }
    }
  }

  /// An IPv6 address of 16 bytes.
  init(_ address: Slice<UnsafeRawBufferPointer>) {
    self.init()
    withUnsafeMutableBytes(of: &bytes) { $0.copyBytes(from: address) }
  }

  /// An IPv4 address of 4 bytes.
  static func mapped(_ address: Slice<UnsafeRawBufferPointer>) -> wsl_address {
    var mapped = wsl_address()
    withUnsafeMutableBytes(of: &mapped.bytes) { bytes in
      bytes[10] = 0xFF
      bytes[11] = 0xFF
      bytes[12...].copyBytes(from: address)
    }
    return mapped
  }

  private var words: (high: UInt64, low: UInt64) {
    withUnsafeBytes(of: bytes) { bytes in
      (
        UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }

  var network: PeerNetwork { PeerNetwork(high: words.high, low: words.low) }

  /// `192.0.2.1`, `2001:db8::1`, or `unix` without an address.
  var text: String {
    let (high, low) = words
    if high == 0, low == 0 { return "unix" }
    let isMapped = high == 0 && low >> 32 == 0xFFFF
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      withUnsafeBytes(of: bytes) { bytes in
        let start = bytes.baseAddress.map { isMapped ? $0 + 12 : $0 }
        inet_ntop(isMapped ? AF_INET : AF_INET6, start, text.baseAddress, socklen_t(text.count))
      }
      return String(cString: text.baseAddress!)
    }
  }
}
