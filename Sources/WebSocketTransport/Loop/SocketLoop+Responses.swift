import CWebSocketLoop
package import PickerHub

/// Responses, complete or streamed.
extension SocketLoop {
  /// Answers a request. Has no effect if the request was already answered or has ended.
  package func answer(_ id: RequestID, _ response: HTTPResponse) {
    _ = answer(id, response, nil)
  }

  /// - Parameter reservation: The memory of the response until the client has read it.
  /// - Returns: False if the request has ended or was already answered, or if what the client's
  ///   network has not read uses its share of the memory.
  func answer(
    _ id: RequestID, _ response: HTTPResponse, _ reservation: UnsentReservation?
  ) -> Bool {
    let keepAlive = response.keepAlive && wsl_is_reusable(loop, id.raw)
    let head = response.head(length: response.body.count, keepAlive: keepAlive)
    let body = id.isHead || response.status == 204 || response.status == 304 ? [] : response.body
    let network = wsl_network_of(loop, id.raw)
    let byteCount = reservation?.take() ?? 0
    guard holdUnsent(byteCount, network) else {
      unsent.release(byteCount)
      return false
    }
    let isSent = wsl_answer(
      loop, id.raw, head, head.count, body, body.count, keepAlive, byteCount)
    if !isSent { release(byteCount, WSL_UNSENT, network) }
    return isSent
  }

  /// Answers a request with 200 and `headers`. The body follows with ``streamWrite(_:_:)`` and ends
  /// with the connection.
  ///
  /// - Returns: False if the request was already answered or has ended.
  package func startStream(_ id: RequestID, headers: [(name: String, value: String)]) -> Bool {
    let head = HTTPResponse(status: 200, headers: headers).head(length: nil, keepAlive: false)
    return wsl_stream_start(loop, id.raw, head, head.count)
  }

  /// Counts a connection against the network of the client for which a proxy has opened it; see
  /// ``SocketLoopConfiguration/addressConnectionsMax``.
  ///
  /// - Returns: False if that network has too many connections.
  package func count(_ id: RequestID, of client: PeerNetwork) -> Bool {
    count(id.raw, client)
  }

  func count(_ id: wsl_id, _ client: PeerNetwork) -> Bool {
    if wsl_count_client(loop, id, client.raw) { return true }
    counted.refusedOfAddress += 1
    return false
  }

  /// Sends a part of a streamed body. After ``SendOutcome/writeBlocked`` the caller must wait for
  /// handler's `streamWritable`.
  package func streamWrite(_ id: RequestID, _ bytes: UnsafeRawBufferPointer) -> SendOutcome {
    SendOutcome(wsl_stream_write(loop, id.raw, bytes.baseAddress, bytes.count))
  }

  /// Ends a streamed response by closing the connection when everything has been written.
  package func streamEnd(_ id: RequestID) { wsl_stream_end(loop, id.raw) }
}
