import CWebSocketLoop

/// A response that is written part by part. The next part is made when the socket has taken the one
/// before, so a slow reader costs the memory of one part.
final class Download: @unchecked Sendable {
  let id: RequestID
  /// The loop that makes the parts.
  let home: HubTransport
  /// Only on the thread of ``home``.
  var rest: BodyPart.Rest?
  /// Used by one part at a time; `nil` if the body is not compressed.
  private var gzip: wsl_gzip_parts?
  private let isChunked: Bool

  init(_ caller: Caller, home: HubTransport, _ rest: @escaping BodyPart.Rest) {
    id = caller.id
    self.home = home
    self.rest = rest
    gzip = caller.acceptsGzip ? wsl_gzip_parts() : nil
    isChunked = caller.takesChunks
  }

  /// The bytes of the next part as they are written. Called for each part in order.
  ///
  /// - Returns: `nil` if there is no memory to compress it.
  func encode(_ bytes: [UInt8], isLast: Bool) -> [UInt8]? {
    guard let body = compress(bytes, isLast: isLast) else { return nil }
    guard isChunked else { return body }
    let end = isLast ? Array("0\r\n\r\n".utf8) : []
    // A chunk of length 0 would end the body.
    if body.isEmpty { return end }
    return Array("\(String(body.count, radix: 16))\r\n".utf8) + body + Array("\r\n".utf8) + end
  }

  private func compress(_ bytes: [UInt8], isLast: Bool) -> [UInt8]? {
    guard var parts = gzip else { return bytes }
    let capacity = bytes.count + bytes.count / 16 + 64
    let compressed = [UInt8](unsafeUninitializedCapacity: capacity) { into, count in
      count = wsl_gzip_part(&parts, bytes, bytes.count, isLast, into.baseAddress, capacity)
    }
    gzip = parts
    return compressed.isEmpty ? nil : compressed
  }
}
