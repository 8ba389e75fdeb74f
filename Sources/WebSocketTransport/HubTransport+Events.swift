package import PickerSession
import PickerHub
import PickerWire

/// How often something is said on a stream on which nothing else may be.
private let keepAliveMilliseconds: Int64 = 15_000

/// Streams of server-sent events: connections of the hub that never say anything.
extension HubTransport {
  struct EventStream {
    let request: RequestID
    let epochMark: String
    /// When the stream is ended; `nil`: not by time.
    let endsAt: Int64?
    var isFull = false
  }

  /// The last message as an event: the next of the same are octet for octet the same.
  struct EncodedEvent {
    let frame: Frame
    let octets: [UInt8]
  }

  package static let eventHeaders: [(name: String, value: String)] = [
    ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
    // nginx would wait for more.
    ("X-Accel-Buffering", "no"),
  ]

  /// Answers a request with a stream of events.
  ///
  /// - Parameter lifetime: Milliseconds after which the stream is ended, if any.
  /// - Returns: `nil` if the peer is gone.
  package func openEvents(
    _ caller: Caller, epoch: String, lifetime: Int64? = nil
  ) -> ConnectionID? {
    // The connection has come to this loop before its request was answered.
    let id = caller.id
    let headers = HubTransport.eventHeaders + caller.headers
    guard caller.loop === loop, loop.startStream(id, headers: headers) else { return nil }
    let connection = ConnectionID(raw: id.raw)
    streams[connection] = EventStream(
      request: id, epochMark: ServerSentEvent.epochMark(of: epoch),
      endsAt: lifetime.map { now.machine + $0 })
    let due = now.machine + min(keepAliveMilliseconds, lifetime ?? .max)
    keepAliveDue = min(keepAliveDue ?? .max, due)
    return connection
  }

  func sendEvent(_ frame: Frame, to connection: ConnectionID) -> PickerHub.SendOutcome {
    guard let stream = streams[connection] else { return .gone }
    if lastEvent?.frame !== frame {
      let octets = ServerSentEvent.octets(frame, epochMark: stream.epochMark)
      lastEvent = EncodedEvent(frame: frame, octets: octets)
    }
    return write(lastEvent?.octets ?? [], to: connection, stream)
  }

  private func write(
    _ octets: [UInt8], to connection: ConnectionID, _ stream: EventStream
  ) -> PickerHub.SendOutcome {
    switch octets.withUnsafeBytes({ loop.streamWrite(stream.request, $0) }) {
    case .sent: return .sent
    case .full:
      streams[connection]?.isFull = true
      return .full
    case .gone: return .gone
    }
  }

  /// Says why, and ends a stream.
  func closeEvents(_ connection: ConnectionID, last: Frame?) {
    if let last { _ = sendEvent(last, to: connection) }
    guard let stream = streams.removeValue(forKey: connection) else { return }
    loop.streamEnd(stream.request)
    // Only carried to a later turn of the same thread.
    nonisolated(unsafe) let transport = self
    loop.post {
      transport.hub.closed(connection, at: transport.now)
      transport.rearm()
    }
  }

  package func streamWritable(_ id: RequestID) {
    if let download = downloads[id] { return askForMore(download) }
    let connection = ConnectionID(raw: id.raw)
    guard streams[connection] != nil else { return }
    streams[connection]?.isFull = false
    writable(connection)
  }

  package func streamClosed(_ id: RequestID) {
    if downloads.removeValue(forKey: id) != nil { return }
    let connection = ConnectionID(raw: id.raw)
    guard streams.removeValue(forKey: connection) != nil else { return }
    closed(connection)
  }

  /// Says something on every stream that takes it, when it is time.
  func keepAlive() {
    let now = now.machine
    guard let due = keepAliveDue, due <= now else { return }
    for (connection, stream) in streams {
      if let endsAt = stream.endsAt, endsAt <= now { closeEvents(connection, last: nil) }
    }
    for (connection, stream) in streams where !stream.isFull {
      _ = write(ServerSentEvent.comment, to: connection, stream)
    }
    let nextEnd = streams.values.compactMap(\.endsAt).min() ?? .max
    keepAliveDue = streams.isEmpty ? nil : min(now + keepAliveMilliseconds, nextEnd)
  }
}
