import CMachine
import Glibc

/// Reports the state of the process to the service manager.
///
/// Each report is a datagram with `NAME=VALUE` lines to the socket that `NOTIFY_SOCKET` names.
/// - Source: sd_notify(3).
package final class ServiceNotifier: Sendable {
  private let descriptor: Int32
  /// The bytes of a `sockaddr_un`.
  private let address: [UInt8]

  /// - Parameter path: An absolute path, or `@` and the name of an abstract socket.
  /// - Returns: `nil` if it is neither, or the process has too few descriptors.
  package init?(path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    let isAbstract = name.first == UInt8(ascii: "@")
    guard isAbstract || name.first == UInt8(ascii: "/"), name.count >= 2,
      name.count < MemoryLayout.size(ofValue: address.sun_path)
    else { return nil }
    if isAbstract { name[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    // The name of an abstract socket has no final NUL.
    let count = offset + name.count + (isAbstract ? 0 : 1)
    self.address = withUnsafeBytes(of: &address) { Array($0.prefix(count)) }
    descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return nil }
  }

  package convenience init?(environment: [String: String]) {
    guard let path = environment["NOTIFY_SOCKET"] else { return nil }
    self.init(path: path)
  }

  deinit { close(descriptor) }

  /// Sends a report. A report that cannot be sent is dropped: the service manager then acts on
  /// what it does not receive.
  package func send(_ lines: String...) {
    let text = Array(lines.joined(separator: "\n").utf8)
    address.withUnsafeBytes { address in
      _ = sendto(
        descriptor, text, text.count, Int32(MSG_NOSIGNAL),
        address.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(address.count))
    }
  }
}

/// The states of the service.
extension ServiceNotifier {
  func ready(url: String) { send("READY=1", "STATUS=Serving \(url)") }

  func reloading() {
    send("RELOADING=1", "MONOTONIC_USEC=\(machine_monotonic_ns() / 1_000)")
  }

  func stopping() { send("STOPPING=1", "STATUS=Finishing commands and closing connections") }
}
