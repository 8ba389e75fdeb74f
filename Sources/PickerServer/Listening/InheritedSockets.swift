import Glibc
import WebSocketTransport

/// The listening sockets that systemd has passed to this process.
/// - Source: sd_listen_fds(3)
struct InheritedSockets {
  private var descriptors: [String: [CInt]] = [:]

  /// - Parameter process: The id of this process. Sockets for another one are ignored.
  init(environment: [String: String], process: Int32) {
    guard environment["LISTEN_PID"].flatMap(Int32.init) == process,
      let count = environment["LISTEN_FDS"].flatMap(CInt.init), (1...64).contains(count)
    else { return }
    let names = (environment["LISTEN_FDNAMES"] ?? "").split(
      separator: ":", omittingEmptySubsequences: false)
    for index in 0..<count {
      let descriptor = 3 + index
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let name = Int(index) < names.count ? String(names[Int(index)]) : ""
      descriptors[name.isEmpty ? "unknown" : name, default: []].append(descriptor)
    }
  }

  /// Removes the sockets with a name.
  ///
  /// - Throws: ``SocketLoopProblem`` if there are none, or one is not a listening stream socket.
  mutating func take(_ name: String) throws(SocketLoopProblem) -> [CInt] {
    guard let found = descriptors.removeValue(forKey: name) else {
      let names = descriptors.keys.sorted().joined(separator: ", ")
      throw SocketLoopProblem(
        description: "systemd passes no socket named \(name) (FileDescriptorName=)"
          + (names.isEmpty ? "; start the socket unit" : ", but \(names)"))
    }
    for descriptor in found where !InheritedSockets.isListening(descriptor) {
      throw SocketLoopProblem(
        description: "the socket named \(name) is not a listening stream socket; use "
          + "ListenStream= and Accept=no")
    }
    return found
  }

  /// - Throws: ``SocketLoopProblem`` if a socket is left, whose clients would wait forever.
  func checkAllTaken() throws(SocketLoopProblem) {
    guard let name = descriptors.keys.sorted().first else { return }
    throw SocketLoopProblem(
      description: "systemd passes a socket named \(name), which no listener uses; use --listen "
        + "systemd:\(name), or another FileDescriptorName= in the socket unit")
  }

  private static func isListening(_ descriptor: CInt) -> Bool {
    option(SO_ACCEPTCONN, of: descriptor) == 1
      && option(SO_TYPE, of: descriptor) == CInt(SOCK_STREAM.rawValue)
  }

  private static func option(_ name: CInt, of descriptor: CInt) -> CInt {
    var value: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : -1
  }
}
