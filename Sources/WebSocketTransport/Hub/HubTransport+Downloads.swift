import PickerHub

/// A part of a response body, with a function that produces the next one.
package struct BodyPart {
  package typealias Rest = (_ answer: @escaping (BodyPart?) -> Void) -> Void

  package let bytes: [UInt8]
  /// Produces the next part; `nil` if this is the last one. Calls `answer` with `nil` if the body
  /// cannot be completed.
  package let rest: Rest?

  package init(_ bytes: [UInt8], rest: Rest?) {
    self.bytes = bytes
    self.rest = rest
  }
}

/// Responses that are written part by part, with chunked transfer coding unless the request is
/// HTTP/1.0. A response that cannot be completed ends without the last chunk, so that the client
/// detects the truncation.
/// - Source: RFC 9112, section 7.1.
extension HubTransport {
  /// Answers a request with 200 and a body in parts. Must be called on the loop that produces the
  /// parts, which can differ from the loop of the connection.
  package func answer(
    _ caller: Caller, headers: [HTTPResponse.Header], parts first: BodyPart
  ) {
    var response = HTTPResponse(status: 200, headers: headers, body: first.bytes)
    guard let rest = first.rest else { return answer(caller, response) }
    let memory = reserve(first)
    if memory == nil { return answer(caller, tooManyUnsent) }
    responses.count(caller.route, caller.method, status: 200)
    let loops = group.transports.map(\.loop)
    guard let index = loops.firstIndex(where: { $0 === caller.loop }) else { return }
    response.headers += caller.headers
    response.vary(by: "Accept-Encoding")
    if caller.acceptsGzip { response.headers.append(("Content-Encoding", "gzip")) }
    if caller.acceptsChunks { response.headers.append(("Transfer-Encoding", "chunked")) }
    let download = Download(caller, home: self, rest)
    group.post(to: index) { [headers = response.headers] transport in
      guard transport.loop.startStream(download.id, headers: headers) else { return }
      if download.id.isHead { return transport.loop.streamEnd(download.id) }
      transport.downloads[download.id] = download
    }
    encode(first.bytes, isLast: false, download, memory, for: index)
  }

  /// Reserves the memory of a part until it is written; `nil` if there is none.
  private func reserve(_ part: BodyPart) -> PartMemory? {
    guard let unsent = loop.configuration.unsent else { return PartMemory(reservation: nil) }
    return unsent.reserve(part.bytes.count).map { PartMemory(reservation: $0) }
  }

  /// Requests the next part. Must be called on the loop of the connection.
  func requestNextPart(_ download: Download) {
    let writer = index
    group.post(to: download.home.index) { home in
      guard let rest = download.rest else { return }
      rest { part in
        download.rest = part?.rest
        let memory = part.flatMap(home.reserve)
        let bytes = memory == nil ? nil : part?.bytes
        home.encode(bytes, isLast: part?.rest == nil, download, memory, for: writer)
      }
    }
  }

  /// Encodes a part on another thread, then writes it on the loop with the index `writer`.
  ///
  /// - Parameter bytes: `nil` if the body cannot be completed.
  private func encode(
    _ bytes: [UInt8]?, isLast: Bool, _ download: Download, _ memory: PartMemory?, for writer: Int
  ) {
    let group = self.group
    HubTransport.compressingLong.async {
      let encoded = bytes.flatMap { download.encode($0, isLast: isLast) }
      group.post(to: writer) { transport in
        // The loop counts what the kernel does not take.
        memory?.reservation?.shrink(to: 0)
        transport.write(encoded, isLast: isLast, download)
      }
    }
  }

  private func write(_ bytes: [UInt8]?, isLast: Bool, _ download: Download) {
    guard downloads[download.id] === download else { return freeInBackground(download) }
    var outcome = PickerHub.SendOutcome.sent
    if let bytes, !bytes.isEmpty {
      outcome = bytes.withUnsafeBytes { loop.streamWrite(download.id, $0) }
    }
    if bytes == nil || isLast || outcome == .gone {
      downloads[download.id] = nil
      if outcome != .gone { loop.streamEnd(download.id) }
      if !isLast { freeInBackground(download) }
    } else if outcome == .sent {
      requestNextPart(download)
    }
  }
}

/// The memory of a part that is being encoded.
private struct PartMemory: Sendable {
  /// `nil` if it is not counted.
  let reservation: UnsentReservation?
}
