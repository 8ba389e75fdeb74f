import Glibc
import WebSocketTransport

/// A listening Unix socket and its file.
///
/// The file has mode 0660 and belongs to the process's user and group: members of that group can
/// connect.
final class UnixListener: Sendable {
  private static let mode: mode_t = 0o660
  private static let backlog: CInt = 1_024

  let path: String
  /// For one ``SocketLoop``, which closes it.
  let descriptor: CInt
  private let device: dev_t
  private let number: ino_t

  /// Replaces the file of a process that has ended without removing it.
  ///
  /// - Throws: ``SocketLoopProblem`` if another process listens at the path, or it cannot be used.
  init(path: String) throws(SocketLoopProblem) {
    let address = SocketAddress(path: path)
    try UnixListener.removeStale(path, address)
    let descriptor = UnixListener.socket()
    // The file gets the mode of the socket without the bits of the umask, so that it never has more
    // permissions than this.
    guard descriptor >= 0, fchmod(descriptor, UnixListener.mode) == 0,
      address.call({ bind(descriptor, $0, $1) }) == 0,
      chmod(path, UnixListener.mode) == 0, listen(descriptor, UnixListener.backlog) == 0,
      let status = UnixListener.status(path)
    else {
      let error = errno
      close(descriptor)
      throw UnixListener.problem(path, String(cString: strerror(error)))
    }
    self.path = path
    self.descriptor = descriptor
    device = status.st_dev
    number = status.st_ino
  }

  deinit { removeFile() }

  /// Removes the file, unless another process has replaced it.
  func removeFile() {
    guard let status = UnixListener.status(path), status.st_dev == device,
      status.st_ino == number
    else { return }
    unlink(path)
  }

  private static func removeStale(
    _ path: String, _ address: SocketAddress
  ) throws(SocketLoopProblem) {
    guard let status = status(path) else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw problem(path, "there is a file that is not a socket")
    }
    let probe = socket()
    defer { close(probe) }
    let isConnected = address.call { connect(probe, $0, $1) } == 0
    // EAGAIN: the backlog is full.
    guard !isConnected, errno != EAGAIN else {
      throw problem(path, "another process listens there; stop it, or choose another path")
    }
    guard errno == ECONNREFUSED else { throw problem(path, String(cString: strerror(errno))) }
    unlink(path)
  }

  private static func socket() -> CInt {
    Glibc.socket(
      AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  private static func problem(_ path: String, _ why: String) -> SocketLoopProblem {
    SocketLoopProblem(description: "cannot listen at unix:\(path): \(why)")
  }
}
