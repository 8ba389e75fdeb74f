import Foundation
import Testing

/// A TCP port of this machine that answers like one of a lost machine, or of one without a server.
final class SilentPort {
  let number: Int
  private var sockets: [Int32] = []

  /// - Parameter refuses: Whether connections are refused. Otherwise nothing answers: the queue of
  ///   connections is full.
  init(refuses: Bool = false) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    sockets = [listener]
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && getsockname(listener, address, &size) == 0
      }
    }
    try #require(isBound)
    number = Int(UInt16(bigEndian: place.sin_port))
    guard !refuses else { return }
    try #require(listen(listener, 0) == 0)
    for _ in 0..<4 {
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
      sockets.append(client)
      withUnsafePointer(to: &place) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          _ = connect(client, address, size)
        }
      }
    }
  }

  deinit { for descriptor in sockets { close(descriptor) } }
}
