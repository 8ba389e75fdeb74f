import BackgroundWork
package import PickerHub
package import PickerSession
package import PickerWire

/// The hub's actions on its connections: WebSockets, which the loop serves, and event streams.
extension HubTransport {
  package func send(_ frame: Frame, to connection: ConnectionID) -> PickerHub.SendOutcome {
    if !streams.isEmpty, streams[connection] != nil { return sendEvent(frame, to: connection) }
    return loop.send(frame, to: connection)
  }

  package func post(
    _ frame: Frame, to connection: ConnectionID, isOneToMany: Bool
  ) -> PickerHub.SendOutcome {
    if !streams.isEmpty, streams[connection] != nil { return sendEvent(frame, to: connection) }
    return loop.post(frame, to: connection, isOneToMany: isOneToMany)
  }

  package func post(
    _ message: UnsafeRawBufferPointer, _ kind: FrameKind, to connection: ConnectionID
  ) -> PickerHub.SendOutcome {
    if !streams.isEmpty, streams[connection] != nil {
      return sendEvent(Frame(message, kind), to: connection)
    }
    return loop.post(message, kind, to: connection)
  }

  package func post(
    _ frame: Frame, toAll connections: [ConnectionID], isOneToMany: Bool
  ) -> [Int] {
    if streams.isEmpty {
      return loop.post(frame, toAll: connections, isOneToMany: isOneToMany)
    }
    return connections.indices.filter {
      post(frame, to: connections[$0], isOneToMany: isOneToMany) == .writeBlocked
    }
  }

  package func joined(_ connection: ConnectionID, as member: MemberID) {
    connectionLog(connection, .joined(member))
  }

  package func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    connectionLog(connection, .closing(code: code))
    if streams[connection] != nil { return closeEvents(connection, last: last) }
    loop.close(connection, code: code, reason: reason, last: last)
  }

  package func pause(_ connection: ConnectionID) { loop.pause(connection) }

  package func resume(_ connection: ConnectionID) { loop.resume(connection) }

  package func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Value) -> Void
  ) {
    // Safe: both are passed through the other thread, but only used on the loop's.
    nonisolated(unsafe) let then = then
    nonisolated(unsafe) let transport = self
    HubTransport.background.async { [loop] in
      let value = work()
      loop.post {
        then(value)
        transport.rearm()
      }
    }
  }

  package func freeInBackground<Value: Sendable>(_ value: Value) {
    // In a later event-loop iteration nothing else refers to the value. The closures do not own the
    // object, because the loop releases its closure after the other thread may have run the other.
    let retained = Unmanaged.passRetained(Retained(value))
    let isPosted = loop.post { HubTransport.freeing.async { retained.release() } }
    if !isPosted { retained.release() }
  }

  package func delivered(commandOf arrival: Int64) { latencies.delivered(commandOf: arrival) }

  package func written() { latencies.written() }

  /// Covers deltas that were written without being posted, such as stream events. Held messages and
  /// requests are handled now, so that those which arrive until the next iteration need not wait
  /// for them.
  package func iterated() {
    latencies.iterated()
    let continues = hub.endIteration()
    if continues { hub.receiveHeld(at: now) }
    guard serveHeld() || continues else { return }
    rearm()
    loop.wake()
  }
}

/// A value that is to be released on another thread.
private final class Retained<Value: Sendable>: Sendable {
  private let value: Value

  init(_ value: Value) { self.value = value }
}
