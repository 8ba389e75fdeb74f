import Foundation
import Glibc

/// A client WebSocket with minimal work of its own, so that the server dominates the measurement.
final class LoadSocket {
  let descriptor: Int32
  private var buffer: [UInt8] = []
  private var chunk = [UInt8](repeating: 0, count: 16_384)
  private var ref = 0

  /// Creates a session.
  ///
  /// - Returns: The path of its socket.
  static func create(at port: UInt16) throws -> String {
    let body = BenchPicker.creation
    let socket = try LoadSocket(port: port)
    try socket.send(
      Array(
        """
        POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\
        Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)
        """.utf8))
    while try socket.read() {}
    let answer = String(decoding: socket.buffer, as: UTF8.self)
    guard let location = answer.split(separator: "\r\n").first(where: { $0.hasPrefix("Location") })
    else { throw LoadProblem("no session was made: \(answer.prefix(200))") }
    return String(location.dropFirst("Location: ".count))
  }

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let descriptor = self.descriptor
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      throw LoadProblem("cannot connect: \(String(cString: strerror(errno)))")
    }
    var one: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(descriptor) }

  /// Connects and performs the handshake.
  convenience init(port: UInt16, path: String) throws {
    try self.init(port: port)
    try send(
      Array(
        """
        GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\n\
        Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: pickerd.v1\r\n\r\n
        """.utf8))
    let end = Array("\r\n\r\n".utf8)
    while buffer.count < 4 || buffer.suffix(4) != end[...] {
      guard try read() else { throw LoadProblem("the handshake was refused") }
    }
    guard buffer.starts(with: Array("HTTP/1.1 101".utf8)) else {
      throw LoadProblem("no handshake: \(String(decoding: buffer.prefix(200), as: UTF8.self))")
    }
    buffer.removeAll()
  }

  func join() throws {
    try sendText(Array(#"{"type":"join","name":"Ana"}"#.utf8))
    while try !takeMessages(until: BenchPicker.isWelcome) {
      guard try read() else { throw LoadProblem("closed before the welcome") }
    }
  }

  /// Sends the next command.
  func command() throws {
    ref += 1
    try sendText(BenchPicker.command(ref: ref))
  }

  /// Reads available messages; whether they include the last command's answer.
  func receivesAnswer() throws -> Bool {
    guard try read() else { throw LoadProblem("the server has hung up") }
    return try takeMessages(until: BenchPicker.isAnswer)
  }

  /// Removes complete messages from the buffer; the server's frames are short and not masked.
  private func takeMessages(until found: (UnsafeRawBufferPointer) -> Bool) throws -> Bool {
    var start = 0
    var isFound = false
    while buffer.count >= start + 4 {
      let short = Int(buffer[start + 1])
      let head = short < 126 ? 2 : 4
      guard short < 127 else { throw LoadProblem("a message of more than 64 KiB") }
      let count = short < 126 ? short : Int(buffer[start + 2]) << 8 | Int(buffer[start + 3])
      guard buffer.count >= start + head + count else { break }
      buffer.withUnsafeBytes { bytes in
        if found(UnsafeRawBufferPointer(rebasing: bytes[(start + head)..<(start + head + count)])) {
          isFound = true
        }
      }
      start += head + count
    }
    buffer.removeFirst(start)
    return isFound
  }

  /// Masked with zeros.
  private func sendText(_ text: [UInt8]) throws {
    precondition(text.count < 126)
    try send([0x81, 0x80 | UInt8(text.count), 0, 0, 0, 0] + text)
  }

  private func send(_ bytes: [UInt8]) throws {
    guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    else { throw LoadProblem("cannot send: \(String(cString: strerror(errno)))") }
  }

  /// - Returns: `false` if the server has closed the connection.
  private func read() throws -> Bool {
    let count = recv(descriptor, &chunk, chunk.count, 0)
    guard count >= 0 else { throw LoadProblem("cannot read: \(String(cString: strerror(errno)))") }
    buffer.append(contentsOf: chunk[..<count])
    return count > 0
  }
}
