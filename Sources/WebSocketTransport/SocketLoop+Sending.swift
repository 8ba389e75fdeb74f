import CWebSocketLoop
package import PickerHub
package import PickerSession
package import PickerWire

extension SocketLoop: HubPort {
  /// Sends a frame as one text message, at once. Its octets are valid UTF-8.
  ///
  /// The frame is shared by all connections of this loop, and is not kept: what the kernel does
  /// not take is copied.
  package func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome {
    SendOutcome(wsl_send(loop, connection.raw, frame.base + Frame.headroom, frame.count))
  }

  /// Queues a frame like ``send(_:to:)``, but sends it at the end of the event-loop iteration,
  /// together with the connection's other posted frames.
  package func post(_ frame: Frame, to connection: ConnectionID) -> SendOutcome {
    SendOutcome(wsl_post(loop, connection.raw, frame.base + Frame.headroom, frame.count))
  }

  package func post(_ frame: Frame, toAll connections: [ConnectionID]) -> [Int] {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: connections.count) { full in
      let fullCount = connections.withUnsafeBytes { ids in
        wsl_post_all(
          loop, ids.assumingMemoryBound(to: wsl_id.self).baseAddress, connections.count,
          frame.base + Frame.headroom, frame.count, full.baseAddress)
      }
      return full.prefix(fullCount).map(Int.init)
    }
  }

  /// Sends `last`, then closes with `code` and `reason` once the kernel has all of it, and waits
  /// for the peer's answer. `closed` follows after `closeMilliseconds` at the latest.
  ///
  /// - Parameter reason: Cut to 123 octets, never inside a character.
  package func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    if let last { _ = send(last, to: connection) }
    var text = reason
    while text.utf8.count > WSL_REASON_MAX { text.removeLast() }
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        wsl_close(loop, connection.raw, code, bytes.baseAddress, bytes.count)
      }
    }
  }

  /// Stops reading from a WebSocket: its bytes wait in the kernel until ``resume(_:)``.
  package func pause(_ connection: ConnectionID) { wsl_pause(loop, connection.raw) }

  /// Reads from a paused WebSocket again.
  package func resume(_ connection: ConnectionID) { wsl_resume(loop, connection.raw) }

  /// Answers a request. An answer to a request that is answered or gone is dropped.
  package func answer(_ id: RequestID, _ response: HTTPResponse) {
    let head = response.head(length: response.body.count, keepAlive: response.keepAlive)
    let body = id.isHead || response.status == 204 || response.status == 304 ? [] : response.body
    _ = wsl_answer(loop, id.raw, head, head.count, body, body.count, response.keepAlive)
  }

  /// Answers a request with 200, `headers`, and a body that follows with
  /// ``streamWrite(_:_:)`` and ends with the connection.
  ///
  /// - Returns: Whether the peer is still there.
  package func startStream(_ id: RequestID, headers: [(name: String, value: String)]) -> Bool {
    let head = HTTPResponse(status: 200, headers: headers).head(length: nil, keepAlive: false)
    return wsl_stream_start(loop, id.raw, head, head.count)
  }

  /// Sends a piece of a streamed body. Waits for `streamWritable` as messages for `writable`.
  package func streamWrite(_ id: RequestID, _ bytes: UnsafeRawBufferPointer) -> SendOutcome {
    SendOutcome(wsl_stream_write(loop, id.raw, bytes.baseAddress, bytes.count))
  }

  /// Ends a streamed body, and the connection.
  package func streamEnd(_ id: RequestID) { wsl_stream_end(loop, id.raw) }
}

extension SendOutcome {
  init(_ outcome: wsl_outcome) {
    switch outcome {
    case WSL_SENT: self = .sent
    case WSL_FULL: self = .full
    default: self = .gone
    }
  }
}
