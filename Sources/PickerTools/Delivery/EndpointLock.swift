import Glibc
import WebSocketTransport

/// The right to deliver to an endpoint, which one process of a machine has. It ends with the
/// process, however that ends.
///
/// It is a socket in Linux's abstract namespace, whose name is a digest of the server's URL and the
/// endpoint's name: a file would outlive the process, and need a folder that all users can write.
final class EndpointLock {
  private let descriptor: CInt

  /// - Returns: `nil` if another process has it, or the system lets nobody have it now.
  init?(_ endpoint: String, of feed: DeliveryFeed) {
    descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let digest = SocketLoop.sha256(Array("\(feed.url) \(endpoint)".utf8))
    let name = Array("pickerd-deliver-".utf8) + digest
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // An abstract name begins with a zero.
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      for (index, byte) in name.enumerated() { path[index + 1] = byte }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.count)
    let isBound = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0
      }
    }
    if !isBound {
      close(descriptor)
      return nil
    }
  }

  deinit { close(descriptor) }
}
