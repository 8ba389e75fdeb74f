package import PickerSession

/// Holding messages of a client that has used up its share of the event-loop iteration; see
/// ``ClientShares``.
extension Hub {
  /// Whether a message must wait for a later iteration. While the session is loaded, the inbox has
  /// the messages; while the server shuts down, all that were received are handled.
  func mustHold(_ connection: HubConnection, isNext: Bool = false) -> Bool {
    if case .waiting = connection.phase { return false }
    guard let share = connection.share, !isDraining else { return false }
    return connection.held != nil || connections.clients.mustHold(share, isNext: isNext)
  }

  /// Holds a message. With the second one, the hub stops reading from the connection.
  func hold(_ text: Span<UInt8>, of connection: HubConnection) {
    guard let share = connection.share else { return }
    if let held = connection.held {
      connections.pause(connection)
      return append(text, to: held, of: connection, "too many messages of this address wait")
    }
    let held = Inbox(total: buffered)
    held.append(text)
    connection.held = held
    connections.clients.wait(connection, for: share)
  }

  /// Counts the cost of a message that was handled. If steps are pending, the cost is, too, until
  /// they have run.
  func countCost(of connection: HubConnection, in hosted: HostedSession, at time: HubTime) {
    guard let share = connection.share, connections.clients.isLimited(share) else { return }
    let cost = ClientShares.messageCost + hosted.session.listeners.count
    connections.clients.add(cost, to: share)
    if hosted.steps.isEmpty { return }
    share.pendingCost += cost
    enqueue(.request { _ in share.pendingCost -= cost }, in: hosted, at: time)
  }

  /// Whether messages are held.
  package var holdsMessages: Bool { connections.clients.areWaiting }

  /// Whether messages of a connection are held.
  package func holdsMessages(of connection: ConnectionID) -> Bool {
    connections[connection]?.held != nil
  }

  /// An event-loop iteration has ended, and all posted frames are written.
  ///
  /// - Returns: Whether the caller must call ``receiveHeld(at:)``; the next iteration then begins
  ///   without waiting for events.
  package func endIteration() -> Bool {
    connections.clients.endIteration()
    return connections.clients.canContinue
  }

  /// Handles held messages, as many as the shares of their clients permit in the iteration that
  /// begins.
  package func receiveHeld(at time: HubTime) {
    now = time
    while let connection = connections.clients.next() {
      guard let held = connection.held else { continue }
      connection.held = nil
      connections.resume(connection)
      for message in held.messages where !connection.isClosing && !connection.isLeaving {
        if mustHold(connection, isNext: true) {
          hold(message.span, of: connection)
        } else {
          receive(message.span, from: connection, at: time)
        }
      }
    }
  }

  /// Handles the held messages of a connection, whatever its client's share: they have been
  /// received, and the connection or the server ends. There are few, because reading pauses.
  func receiveAllHeld(of connection: HubConnection, at time: HubTime) {
    guard let held = connection.held else { return }
    dropHeld(of: connection)
    for message in held.messages where !connection.isClosing && !connection.isLeaving {
      receive(message.span, from: connection, at: time)
    }
  }

  /// Drops the held messages of a connection that the hub closes.
  func dropHeld(of connection: HubConnection) {
    guard connection.held != nil, let share = connection.share else { return }
    connection.held = nil
    connections.clients.forget(connection, of: share)
  }
}
