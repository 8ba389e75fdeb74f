package import PickerSession
import PickerHub
import PickerWire

/// The interval of comments that keep idle streams alive.
private let keepAliveMilliseconds: Int64 = 15_000

/// Streams of server-sent events. To the hub they are connections that never send a message.
extension HubTransport {
  struct EventStream {
    let request: RequestID
    let epochMark: String
    /// When the server ends the stream, by ``HubTime/machine``; `nil` if it has no time limit.
    let endsAt: Int64?
    /// Whether the key that opened the stream is still valid; `nil` if no key did.
    let isAdmitted: (() -> Bool)?
    var isFull = false
  }

  /// The last frame, encoded as an event. Streams that receive the same frame share the encoding.
  struct EncodedEvent {
    let frame: Frame
    let bytes: [UInt8]
  }

  package static let eventHeaders: [(name: String, value: String)] = [
    ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
    // Otherwise nginx would buffer the stream.
    ("X-Accel-Buffering", "no"),
  ]

  /// Answers a request with a stream of events.
  ///
  /// - Parameters:
  ///   - session: The session and the head of the request, for the log.
  ///   - lifetime: Milliseconds after which the server ends the stream, if any.
  ///   - isAdmitted: Checked before each event and each comment; if it is false, the stream ends.
  /// - Returns: The id under which the hub addresses the stream; `nil` if the request has ended, or
  ///   was answered with 429.
  package func openEvents(
    _ caller: Caller, of session: (id: SessionID, head: RequestHead), epoch: String,
    lifetime: Int64? = nil, isAdmitted: (() -> Bool)? = nil
  ) -> ConnectionID? {
    // `loop(forOpening:isWebSocket:)` has moved the connection to this loop before.
    let id = caller.id
    let headers = HubTransport.eventHeaders + caller.headers
    guard caller.loop === loop else { return nil }
    if let client = client(session.head), !loop.count(id, of: client) {
      answer(caller, SocketLoop.tooManyOfAddress)
      return nil
    }
    guard loop.startStream(id, headers: headers) else { return nil }
    responses.count(caller.route, caller.method, status: 200)
    let connection = ConnectionID(raw: id.raw)
    connectionLog(connection, .opened(session.id, head: session.head, isStream: true))
    streams[connection] = EventStream(
      request: id, epochMark: ServerSentEvent.epochMark(of: epoch),
      endsAt: lifetime.map { now.machine + $0 }, isAdmitted: isAdmitted)
    let due = now.machine + min(keepAliveMilliseconds, lifetime ?? .max)
    keepAliveDue = min(keepAliveDue ?? .max, due)
    return connection
  }

  func sendEvent(_ frame: Frame, to connection: ConnectionID) -> PickerHub.SendOutcome {
    guard let stream = streams[connection] else { return .gone }
    guard stream.isAdmitted?() ?? true else {
      closeEvents(connection, last: nil)
      return .gone
    }
    if lastEvent?.frame !== frame {
      let bytes = ServerSentEvent.bytes(frame, epochMark: stream.epochMark)
      lastEvent = EncodedEvent(frame: frame, bytes: bytes)
    }
    return write(lastEvent?.bytes ?? [], to: connection, stream)
  }

  private func write(
    _ bytes: [UInt8], to connection: ConnectionID, _ stream: EventStream
  ) -> PickerHub.SendOutcome {
    switch bytes.withUnsafeBytes({ loop.streamWrite(stream.request, $0) }) {
    case .sent: return .sent
    case .writeBlocked:
      streams[connection]?.isFull = true
      return .writeBlocked
    case .gone: return .gone
    }
  }

  /// Sends `last` as the final event and ends a stream.
  func closeEvents(_ connection: ConnectionID, last: Frame?) {
    if let last { _ = sendEvent(last, to: connection) }
    guard let stream = streams.removeValue(forKey: connection) else { return }
    loop.streamEnd(stream.request)
    // Safe: used in a later event-loop iteration on the same thread.
    nonisolated(unsafe) let transport = self
    loop.post { transport.closed(connection) }
  }

  package func streamWritable(_ id: RequestID) {
    if let download = downloads[id] { return requestNextPart(download) }
    let connection = ConnectionID(raw: id.raw)
    guard streams[connection] != nil else { return }
    streams[connection]?.isFull = false
    writable(connection)
  }

  package func streamClosed(_ id: RequestID) {
    if let download = downloads.removeValue(forKey: id) { return freeInBackground(download) }
    let connection = ConnectionID(raw: id.raw)
    guard streams.removeValue(forKey: connection) != nil else { return }
    closed(connection)
  }

  /// When `keepAliveDue` has passed, ends the streams that have reached their time limit or whose
  /// key was revoked, and sends a comment on all others that are not write-blocked.
  func keepAlive() {
    let now = now.machine
    guard let due = keepAliveDue, due <= now else { return }
    for (connection, stream) in streams {
      let hasEnded = stream.endsAt.map { $0 <= now } ?? false
      if hasEnded || stream.isAdmitted?() == false { closeEvents(connection, last: nil) }
    }
    for (connection, stream) in streams where !stream.isFull {
      _ = write(ServerSentEvent.comment, to: connection, stream)
    }
    let nextEnd = streams.values.compactMap(\.endsAt).min() ?? .max
    keepAliveDue = streams.isEmpty ? nil : min(now + keepAliveMilliseconds, nextEnd)
  }
}
