package import PickerSession

/// What a hub holds, for tests and the simulator.
extension Hub {
  /// How many of everything there are.
  package struct Inventory: Hashable, Sendable {
    package var connections = 0
    /// In memory.
    package var sessions = 0
    /// In the log only.
    package var dormant = 0
    package var timers = 0
    package var ticks = 0

    package init() {}
  }

  package var inventory: Inventory {
    var inventory = Inventory()
    inventory.connections = connections.count
    inventory.sessions = directory.residentCount
    inventory.dormant = directory.dormantInOrder.count
    inventory.timers = timers.entryCount
    inventory.ticks = ticks.entryCount
    return inventory
  }

  /// What stands beside a session.
  package struct SessionInventory: Hashable, Sendable {
    /// Steps that wait for the log, or behind one that does.
    package var steps = 0
    package var listeners = 0
    package var connections = 0
    package var absent = 0
    package var pending = 0

    package init() {}
  }

  package func inventory(of id: SessionID) -> SessionInventory? {
    guard let hosted = directory.hosted(id) else { return nil }
    var inventory = SessionInventory()
    inventory.steps = hosted.steps.count
    inventory.listeners = hosted.session.listeners.count
    inventory.connections = hosted.connectionOfMember.count
    inventory.absent = hosted.absentSince.count
    inventory.pending = hosted.memberCountPending
    return inventory
  }

  /// A session as it stands; nobody else may change it.
  package func session(_ id: SessionID) -> Session? { directory.hosted(id)?.session }

  /// Whether a session's end has been accepted.
  package func isEnding(_ id: SessionID) -> Bool { directory.hosted(id)?.isEnding ?? false }

  /// What waits for a connection: how many messages, and how many bytes; `nil` if it is gone.
  package func waiting(for id: ConnectionID) -> (count: Int, byteCount: Int)? {
    connections[id].map { ($0.outbox.waiting.count, $0.outbox.byteCount) }
  }

  /// Whether nothing waits for a connection.
  package func isIdle(_ id: ConnectionID) -> Bool { connections[id]?.outbox.isIdle ?? true }
}
