import CWebSocketLoop
package import PickerHub
package import PickerSession
package import PickerWire

extension SocketLoop: HubPort {
  /// Sends a frame immediately as one text message. Its bytes must be valid UTF-8.
  ///
  /// The loop does not retain the frame; bytes that the kernel does not take are copied. Sending
  /// writes the frame header into the frame's headroom, so a frame must only be used by one loop at
  /// a time.
  package func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome {
    SendOutcome(wsl_send(loop, connection.raw, frame.base + Frame.headroom, frame.count))
  }

  /// Queues a frame like ``send(_:to:)``, but sends it together with the connection's other posted
  /// frames at the end of the event-loop iteration, or of one of the next 15 if it is one to many.
  package func post(
    _ frame: Frame, to connection: ConnectionID, isOneToMany: Bool
  ) -> SendOutcome {
    SendOutcome(
      wsl_post(loop, connection.raw, frame.base + Frame.headroom, frame.count, isOneToMany))
  }

  /// The same for a message without a frame, whose headroom is before it.
  package func post(
    _ message: UnsafeRawBufferPointer, _ kind: FrameKind, to connection: ConnectionID
  ) -> SendOutcome {
    let payload = UnsafeMutableRawPointer(mutating: message.baseAddress)
    return SendOutcome(wsl_post(loop, connection.raw, payload, message.count, false))
  }

  package func post(
    _ frame: Frame, toAll connections: [ConnectionID], isOneToMany: Bool
  ) -> [Int] {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: connections.count) { blocked in
      let blockedCount = connections.withUnsafeBytes { ids in
        wsl_post_all(
          loop, ids.assumingMemoryBound(to: wsl_id.self).baseAddress, connections.count,
          frame.base + Frame.headroom, frame.count, isOneToMany, blocked.baseAddress)
      }
      return blocked.prefix(blockedCount).map(Int.init)
    }
  }

  /// Sends `last`, then a close frame with `code` and `reason`, and waits for the peer's close
  /// frame. The handler's `closed` is called after `closeMilliseconds` at the latest.
  ///
  /// - Parameter reason: Truncated to 123 bytes, never inside a character.
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

  /// Ends a WebSocket without a close frame, as a lost network does; `closed` is called soon after.
  package func drop(_ connection: ConnectionID) { wsl_drop(loop, connection.raw) }

  /// Stops reading from a WebSocket: received data stays in the kernel's buffer until
  /// ``resume(_:)``.
  package func pause(_ connection: ConnectionID) { wsl_pause(loop, connection.raw) }

  package func resume(_ connection: ConnectionID) { wsl_resume(loop, connection.raw) }
}

extension SendOutcome {
  init(_ outcome: wsl_outcome) {
    switch outcome {
    case WSL_SENT: self = .sent
    case WSL_WRITE_BLOCKED: self = .writeBlocked
    default: self = .gone
    }
  }
}
