import CMachine
import CWebSocketLoop
import Glibc

/// Accepts connections, counts them, and reads the addresses that proxies report.
extension SocketLoop {
  struct Listener {
    let descriptor: CInt
    let listening: Listening
  }

  /// The time in which connections of a listener are accepted in an iteration, as long as the share
  /// of an address. Nothing is read of them then.
  private static let acceptNanoseconds: Int64 = 250_000
  private static let unsentBytes: CInt = 32_768

  /// Accepts pending connections of a listener when its socket is readable.
  ///
  /// - Returns: Whether there may be more.
  func accept(_ number: Int) -> Bool {
    let listener = listeners[number]
    let end = machine_monotonic_ns() + SocketLoop.acceptNanoseconds
    repeat {
      var storage = sockaddr_storage()
      let descriptor = accept(listener.descriptor, &storage)
      if descriptor >= 0 {
        begin(made(descriptor, listener, wsl_address(storage), storage.ss_family), listener)
      } else if errno == EMFILE || errno == ENFILE {
        refuseWithSpare(listener)
      } else if errno != EINTR, errno != ECONNABORTED {
        return false
      }
    } while machine_monotonic_ns() < end
    return true
  }

  private func accept(_ listener: CInt, _ storage: inout sockaddr_storage) -> CInt {
    withUnsafeMutableBytes(of: &storage) { bytes in
      wsl_accept(listener, bytes.baseAddress, UInt32(bytes.count))
    }
  }

  /// Refuses a connection when the process is out of descriptors. To accept it, the spare
  /// descriptor is closed. A connection that is not accepted would keep the listening socket
  /// readable, and the loop would spin.
  private func refuseWithSpare(_ listener: Listener) {
    Glibc.close(spareDescriptor)
    var storage = sockaddr_storage()
    let descriptor = accept(listener.descriptor, &storage)
    if descriptor >= 0 { turnAway(made(descriptor, listener, wsl_address(), 0), isFull: true) }
    spareDescriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
  }

  private func made(
    _ descriptor: CInt, _ listener: Listener, _ peer: wsl_address, _ family: sa_family_t
  ) -> wsl_connection {
    var connection = wsl_connection()
    connection.descriptor = descriptor
    connection.audience = wsl_audience(listener.listening.audience)
    connection.is_unix = family == sa_family_t(AF_UNIX)
    connection.is_relayed = listener.listening.isRelayed
    connection.is_tls = listener.listening.isTLS
    connection.peer = peer
    return connection
  }

  private func begin(_ connection: wsl_connection, _ listener: Listener) {
    var connection = connection
    let isProxied = listener.listening.isProxied || listener.listening.isRelayed
    // Only trusted proxies and other nodes may report the addresses of clients.
    if listener.listening.isProxied, !isProxy(connection.peer) {
      Glibc.close(connection.descriptor)
      return logClosed(connection, "it is not a trusted proxy")
    }
    if !isProxied, listener.listening.audience != .operators {
      connection.network = countedNetwork(connection.peer)
    }
    guard admit(connection) else { return }
    setOptions(connection)
    if !isProxied { counted.accepted += 1 }
    wsl_begin(loop, connection, isProxied)
  }

  private func isProxy(_ peer: wsl_address) -> Bool { configuration.isProxy(peer.text) }

  /// The network whose connection limit applies to a public connection.
  private func countedNetwork(_ peer: wsl_address) -> UInt64 {
    isProxy(peer) ? UInt64(WSL_EXEMPT_NETWORK) : peer.network.raw
  }

  private func logClosed(_ connection: wsl_connection, _ reason: String) {
    log(true, "a connection from \(connection.peer.text) was closed: \(reason)")
  }

  /// Counts a new connection, or refuses it and returns false if a limit is reached.
  private func admit(_ connection: wsl_connection) -> Bool {
    guard connection.audience != WSL_ADMIN else {
      guard operatorCount < Int(WSL_ADMIN_CONNECTIONS_MAX) else {
        turnAway(connection, isFull: true)
        return false
      }
      operatorCount += 1
      return true
    }
    let isClient = connection.audience != WSL_BACKEND && !connection.is_relayed
    switch counts.begin(connection.network, isClient: isClient) {
    case .admitted: return true
    case .tooMany: turnAway(connection, isFull: true)
    case .tooManyOfNetwork: turnAway(connection, isFull: false)
    }
    return false
  }

  /// Refuses a connection that is not counted.
  private func turnAway(_ connection: wsl_connection, isFull: Bool) {
    if isFull { counted.refusedFull += 1 } else { counted.refusedOfAddress += 1 }
    wsl_turn_away(
      connection, isFull ? 503 : 429, isFull ? "full" : "tooMany",
      isFull ? "too many connections" : "too many connections from this address")
  }

  func uncount(_ audience: wsl_audience, _ network: UInt64) {
    if audience == WSL_ADMIN { operatorCount -= 1 } else { counts.end(network) }
  }

  private func setOptions(_ connection: wsl_connection) {
    // Limit the unsent data in the kernel: updates for a slow peer wait in the hub, which can
    // replace them by a snapshot.
    func set(_ level: CInt, _ name: CInt, _ value: CInt) {
      var value = value
      setsockopt(connection.descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
    }
    guard !connection.is_unix else { return set(SOL_SOCKET, SO_SNDBUF, SocketLoop.unsentBytes) }
    let tcp = CInt(IPPROTO_TCP)
    set(tcp, TCP_NODELAY, 1)
    set(tcp, TCP_NOTSENT_LOWAT, SocketLoop.unsentBytes)
    // Close the connection if the peer does not acknowledge sent data within this time.
    set(tcp, TCP_USER_TIMEOUT, CInt(configuration.pongMilliseconds))
  }

  /// Reads what was received of a PROXY protocol header; `bytes` are the first of `count`.
  ///
  /// - Returns: The length of the header; equal to `count` if it is complete and the connection is
  ///   counted for the client; -1 to close the connection; -2 if the client has too many; -3 if
  ///   all clients have.
  func proxied(
    _ connection: inout wsl_connection, _ bytes: UnsafeRawBufferPointer, count: Int
  ) -> Int {
    guard let length = ProxyHeader.byteCount(bytes) else {
      logClosed(connection, "it does not begin with a PROXY protocol header, version 2")
      return -1
    }
    guard count == length else { return length }
    let proxy = connection
    switch ProxyHeader.client(bytes) {
    case .address(let address): connection.peer = address
    case .unknown: break
    case .invalid:
      logClosed(connection, "its PROXY protocol header is invalid")
      return -1
    }
    if connection.is_relayed, ProxyHeader.audience(bytes) == UInt8(WSL_BACKEND.rawValue) {
      connection.audience = WSL_BACKEND
    }
    if connection.is_relayed, connection.audience != WSL_BACKEND, counts.isOverClientsMax {
      counted.refusedFull += 1
      return -3
    }
    let network =
      connection.audience == WSL_BACKEND ? proxy.network : countedNetwork(connection.peer)
    guard counts.move(from: proxy.network, to: network) else {
      counted.refusedOfAddress += 1
      return -2
    }
    connection.network = network
    counted.accepted += 1
    return length
  }
}
