import PickerHub

/// A part of a response body, and how to get the next one.
package struct BodyPart {
  package typealias Rest = (_ answer: @escaping (BodyPart?) -> Void) -> Void

  package let bytes: [UInt8]
  /// Gets the next part; `nil` after the last one. Answers `nil` if the body cannot be completed.
  package let rest: Rest?

  package init(_ bytes: [UInt8], rest: Rest?) {
    self.bytes = bytes
    self.rest = rest
  }
}

/// A response that is written part by part. The next part is made when the socket has taken the one
/// before, so a slow reader costs the memory of one part.
final class Download: @unchecked Sendable {
  let id: RequestID
  /// The loop that makes the parts.
  let home: HubTransport
  /// Only on the thread of ``home``.
  var rest: BodyPart.Rest?

  init(_ id: RequestID, home: HubTransport, _ rest: @escaping BodyPart.Rest) {
    self.id = id
    self.home = home
    self.rest = rest
  }
}

/// Responses of unknown length, in the chunks of HTTP/1.1. One that cannot be completed ends
/// without the last chunk, by which the client knows.
/// - Source: RFC 9112, section 7.1.
extension HubTransport {
  /// Answers a request with 200 and a body in parts. Called on the loop that makes the parts.
  package func answer(
    _ caller: Caller, headers: [HTTPResponse.Header], parts first: BodyPart
  ) {
    guard let rest = first.rest else {
      return answer(caller, HTTPResponse(status: 200, headers: headers, body: first.bytes))
    }
    let loops = group.transports.map(\.loop)
    guard let index = loops.firstIndex(where: { $0 === caller.loop }) else { return }
    let download = Download(caller.id, home: self, rest)
    let headers = headers + caller.headers + [("Transfer-Encoding", "chunked")]
    let bytes = first.bytes
    group.post(to: index) { transport in
      guard transport.loop.startStream(download.id, headers: headers) else { return }
      if download.id.isHead { return transport.loop.streamEnd(download.id) }
      transport.downloads[download.id] = download
      transport.write(bytes, isLast: false, download)
    }
  }

  /// Has the next part made. Called on the loop that writes.
  func askForMore(_ download: Download) {
    let writer = index
    let group = self.group
    group.post(to: download.home.index) { _ in
      guard let rest = download.rest else { return }
      rest { part in
        download.rest = part?.rest
        let bytes = part?.bytes
        let isLast = part?.rest == nil
        group.post(to: writer) { $0.write(bytes, isLast: isLast, download) }
      }
    }
  }

  /// - Parameter bytes: `nil` if the body cannot be completed.
  private func write(_ bytes: [UInt8]?, isLast: Bool, _ download: Download) {
    guard downloads[download.id] === download else { return }
    var outcome = PickerHub.SendOutcome.sent
    if let bytes {
      let chunks = HubTransport.chunk(bytes) + (isLast ? Array("0\r\n\r\n".utf8) : [])
      outcome = chunks.withUnsafeBytes { loop.streamWrite(download.id, $0) }
    }
    if bytes == nil || isLast || outcome == .gone {
      downloads[download.id] = nil
      if outcome != .gone { loop.streamEnd(download.id) }
    } else if outcome == .sent {
      askForMore(download)
    }
  }

  /// An empty one would end the body.
  private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.isEmpty { return [] }
    return Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
  }
}
