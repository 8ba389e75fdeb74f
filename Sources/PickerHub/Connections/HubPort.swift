package import PickerModel
package import PickerSession
package import PickerWire

/// The hub's interface to its connections and threads. Its functions are called on the hub's thread
/// and call back into the hub only through ``Hub/writeBlocked(_:)`` and ``inBackground(_:then:)``.
package protocol HubPort: AnyObject {
  /// Writes a frame, or buffers it if the socket is not writable.
  func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome
  /// Sends a frame to a connection that is not write-blocked, in one batch with the other frames
  /// posted in this event-loop iteration.
  ///
  /// - Parameter isOneToMany: Whether it is for a listener of a large session. The port sends the
  ///   others first, and these perhaps in a later iteration.
  /// - Returns: As ``send(_:to:)``. If the batch later finds the connection write-blocked, the port
  ///   calls ``Hub/writeBlocked(_:)``.
  func post(_ frame: Frame, to connection: ConnectionID, isOneToMany: Bool) -> SendOutcome
  /// Posts a message for which there is no frame, because it has one recipient; not one to many.
  ///
  /// - Parameter message: Valid during the call. The port may write into the ``Frame/headroom``
  ///   bytes before it.
  func post(
    _ message: UnsafeRawBufferPointer, _ kind: FrameKind, to connection: ConnectionID
  ) -> SendOutcome
  /// Posts a frame to many connections. The port buffers it for a connection that becomes
  /// write-blocked meanwhile.
  ///
  /// - Returns: The indices in `connections` of those that are write-blocked
  ///   (``SendOutcome/writeBlocked``).
  func post(_ frame: Frame, toAll connections: [ConnectionID], isOneToMany: Bool) -> [Int]
  /// Reports for the log that a member has joined by a connection.
  func joined(_ connection: ConnectionID, as member: MemberID)
  /// Sends `last`, then closes. ``Hub/closed(_:at:)`` follows in a later event-loop iteration.
  func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?)
  /// Stops reading from a connection. Messages that were read already may still be delivered. Until
  /// ``resume(_:)`` the port must not close the connection for inactivity.
  ///
  /// Does nothing for a closed connection. The hub does not pause a paused connection.
  func pause(_ connection: ConnectionID)
  /// Reads again from a paused connection. Does nothing for a closed one.
  func resume(_ connection: ConnectionID)
  /// Whether the port has received a message of a connection that it will pass to the hub later.
  func holds(_ connection: ConnectionID) -> Bool
  /// Reports that a message waits for the log, and will then be delivered to `listenerCount`
  /// listeners.
  ///
  /// - Returns: Called by the hub when that is done or lost; `nil` if nothing counts it.
  func waits(_ connection: ConnectionID, listenerCount: Int) -> (() -> Void)?
  /// Reports for a latency metric that the delta of a command was sent or posted to at least one
  /// connection. The command was received at `arrival`, a ``HubTime/machineNanoseconds``.
  func delivered(commandOf arrival: Int64)
  /// Runs `work` on another thread, and then `then` with its result on the hub's thread.
  func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Value) -> Void)
}

extension HubPort {
  /// Default: sends at once, without a batch.
  package func post(
    _ frame: Frame, to connection: ConnectionID, isOneToMany: Bool
  ) -> SendOutcome {
    send(frame, to: connection)
  }

  /// Default: makes a frame.
  package func post(
    _ message: UnsafeRawBufferPointer, _ kind: FrameKind, to connection: ConnectionID
  ) -> SendOutcome {
    post(Frame(message, kind), to: connection, isOneToMany: false)
  }

  /// Default: posts to one connection after the other.
  package func post(
    _ frame: Frame, toAll connections: [ConnectionID], isOneToMany: Bool
  ) -> [Int] {
    connections.indices.filter {
      post(frame, to: connections[$0], isOneToMany: isOneToMany) == .writeBlocked
    }
  }

  /// Default: keeps reading. The hub then closes a connection that sends too much.
  package func pause(_ connection: ConnectionID) {}
  package func resume(_ connection: ConnectionID) {}

  /// Default: holds and counts nothing.
  package func holds(_ connection: ConnectionID) -> Bool { false }
  package func waits(_ connection: ConnectionID, listenerCount: Int) -> (() -> Void)? { nil }

  /// Default: logs nothing.
  package func joined(_ connection: ConnectionID, as member: MemberID) {}

  /// Default: measures nothing.
  package func delivered(commandOf arrival: Int64) {}

  /// Default: runs both at once on the hub's thread.
  package func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Value) -> Void
  ) {
    then(work())
  }
}
