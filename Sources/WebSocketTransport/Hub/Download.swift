import Machine

/// A streamed response. The next part is produced when the kernel has accepted the previous one, so
/// that at most one part is buffered for a slow client.
///
/// `@unchecked Sendable`: parts are requested, encoded and written one after the other, so that the
/// variables are never accessed by two threads at the same time.
final class Download: @unchecked Sendable {
  let id: RequestID
  /// The loop that produces the parts.
  let home: HubTransport
  /// Only used on the thread of ``home``.
  var rest: BodyPart.Rest?
  /// The state of the compression; `nil` if the body is not compressed.
  private var gzip: GzipParts?
  private let isChunked: Bool

  init(_ caller: Caller, home: HubTransport, _ rest: @escaping BodyPart.Rest) {
    id = caller.id
    self.home = home
    self.rest = rest
    gzip = caller.acceptsGzip ? GzipParts() : nil
    isChunked = caller.acceptsChunks
  }

  /// Encodes the next part for writing. Must be called once per part, in order.
  ///
  /// - Returns: `nil` if the part cannot be compressed for lack of memory.
  func encode(_ bytes: [UInt8], isLast: Bool) -> [UInt8]? {
    guard let body = gzip == nil ? bytes : gzip?.compress(bytes, isLast: isLast) else { return nil }
    guard isChunked else { return body }
    let end = isLast ? Array("0\r\n\r\n".utf8) : []
    // An empty chunk would end the body.
    if body.isEmpty { return end }
    return Array("\(String(body.count, radix: 16))\r\n".utf8) + body + Array("\r\n".utf8) + end
  }
}
