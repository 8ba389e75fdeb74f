#if canImport(Glibc)
  import Foundation
  import Glibc

  /// WebSockets over plain TCP, where the system has none: `ws` only. For `wss`, put a proxy that
  /// speaks TLS in between, or give a transport of your own.
  public struct PlainSocketTransport: SocketTransport {
    public init() {}

    public func dial(_ address: SessionAddress) -> any ClientSocket { PlainSocket(address) }
  }

  extension SocketTransport where Self == PlainSocketTransport {
    /// The platform's own.
    public static var platform: PlainSocketTransport { PlainSocketTransport() }
  }

  /// One thread reads; whoever sends, writes. The lock holds what both know.
  private final class PlainSocket: ClientSocket, @unchecked Sendable {
    let events: AsyncStream<SocketEvent>
    private let continuation: AsyncStream<SocketEvent>.Continuation
    private let lock = NSLock()
    /// −1 when there is none.
    private var descriptor: Int32 = -1
    private var isOpen = false
    private var isClosed = false

    /// The server pings every 20 s: a line that is silent for longer than this is dead.
    private static let silenceSeconds = 60
    private static let sendSeconds = 10

    init(_ address: SessionAddress) {
      (events, continuation) = AsyncStream.makeStream(of: SocketEvent.self)
      let thread = Thread { [self] in
        let code = address.isSecure ? 1006 : talk(to: address)
        hangUp()
        continuation.yield(.closed(code: code))
        continuation.finish()
      }
      thread.name = "pickerd socket"
      thread.start()
    }

    func send(_ text: String) { write(.text, Array(text.utf8)) }

    func close() {
      write(.close, [0x03, 0xE8])
      lock.withLock {
        isClosed = true
        // The thread's read ends, and it closes the descriptor.
        if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
      }
    }

    /// - Returns: The close code, 1006 where none came.
    private func talk(to address: SessionAddress) -> Int {
      guard let socket = connect(to: address) else { return 1006 }
      let isWanted = lock.withLock {
        descriptor = socket
        return !isClosed
      }
      guard isWanted else { return 1006 }
      let handshake = Handshake(nonce: (0..<16).map { _ in .random(in: 0...255) })
      guard writeAll(handshake.request(address), to: socket) else { return 1006 }
      var head: [UInt8] = []
      while head.suffix(4) != [13, 10, 13, 10] {
        // One octet at a time, so that the first frame stays in the socket.
        guard head.count < 16_384, let octet = read(socket, countMax: 1)?.first else {
          return 1006
        }
        head.append(octet)
      }
      guard handshake.isAccepted(by: head.dropLast(4)) else { return 1006 }
      lock.withLock { isOpen = true }
      continuation.yield(.opened)
      return listen(on: socket)
    }

    private func listen(on socket: Int32) -> Int {
      var frames = WebSocketFrames()
      while let octets = read(socket, countMax: 65_536) {
        frames.append(octets)
        while let incoming = frames.next() {
          switch incoming {
          case .text(let message): continuation.yield(.message(message))
          case .ping(let payload): write(.pong, payload)
          case .close(let code):
            // 1005 says that there was no code, and is never sent.
            write(.close, code == 1005 ? [] : [UInt8(code >> 8), UInt8(code & 0xFF)])
            return code
          case .broken(let code):
            write(.close, [UInt8(code >> 8), UInt8(code & 0xFF)])
            return 1006
          }
        }
      }
      return 1006
    }

    private func write(_ opcode: WebSocketFrames.Opcode, _ payload: [UInt8]) {
      lock.withLock {
        guard isOpen, !isClosed, descriptor >= 0 else { return }
        let frame = WebSocketFrames.frame(
          opcode, payload, mask: .random(in: .min ... .max))
        // Half a frame is worse than none: a line that takes no more is given up.
        if !writeAll(frame, to: descriptor) { shutdown(descriptor, Int32(SHUT_RDWR)) }
      }
    }

    private func hangUp() {
      lock.withLock {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
      }
    }

    // MARK: - System calls

    private func connect(to address: SessionAddress) -> Int32? {
      var hints = addrinfo()
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
      var list: UnsafeMutablePointer<addrinfo>?
      guard getaddrinfo(address.host, String(address.port), &hints, &list) == 0 else { return nil }
      defer { freeaddrinfo(list) }
      var place = list
      while let found = place?.pointee {
        let socket = Glibc.socket(
          found.ai_family, found.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), found.ai_protocol)
        if socket >= 0 {
          // For connecting, SO_SNDTIMEO is the limit.
          setTimeout(socket, SO_SNDTIMEO, seconds: Self.sendSeconds)
          setTimeout(socket, SO_RCVTIMEO, seconds: Self.silenceSeconds)
          var yes: Int32 = 1
          setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(4))
          if Glibc.connect(socket, found.ai_addr, found.ai_addrlen) == 0 { return socket }
          Glibc.close(socket)
        }
        place = found.ai_next
      }
      return nil
    }

    private func setTimeout(_ socket: Int32, _ name: Int32, seconds: Int) {
      var value = timeval(tv_sec: seconds, tv_usec: 0)
      setsockopt(socket, SOL_SOCKET, name, &value, socklen_t(MemoryLayout<timeval>.size))
    }

    /// - Returns: `nil` at the end, after an error, and after 60 s of silence.
    private func read(_ socket: Int32, countMax: Int) -> [UInt8]? {
      let octets = [UInt8](unsafeUninitializedCapacity: countMax) { buffer, count in
        var result = recv(socket, buffer.baseAddress, countMax, 0)
        while result < 0 && errno == EINTR { result = recv(socket, buffer.baseAddress, countMax, 0) }
        count = max(0, result)
      }
      return octets.isEmpty ? nil : octets
    }

    private func writeAll(_ octets: [UInt8], to socket: Int32) -> Bool {
      octets.withUnsafeBytes { bytes in
        var start = 0
        while start < bytes.count {
          let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
          let count = Glibc.send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
          if count < 0 && errno == EINTR { continue }
          guard count > 0 else { return false }
          start += count
        }
        return true
      }
    }
  }
#endif
