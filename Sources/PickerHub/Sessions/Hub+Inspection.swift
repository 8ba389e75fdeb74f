package import PickerSession

/// The contents of a hub, for tests and the simulator.
extension Hub {
  /// The numbers of objects in a hub.
  package struct Inventory: Hashable, Sendable {
    package var connections = 0
    /// Sessions in memory.
    package var sessions = 0
    /// Sessions in the log only.
    package var dormant = 0
    package var timers = 0
    package var ticks = 0
    /// The estimated memory of the sessions of all hubs, in bytes.
    package var sessionsBytes = 0

    package init() {}
  }

  package var inventory: Inventory {
    var inventory = Inventory()
    inventory.connections = connections.count
    inventory.sessions = directory.residentCount
    inventory.dormant = directory.dormantInOrder.count
    (inventory.timers, inventory.ticks) = schedule.counts
    inventory.sessionsBytes = shard.memory.byteCount
    return inventory
  }

  /// The numbers of objects that belong to a session.
  package struct SessionInventory: Hashable, Sendable {
    /// Steps whose append is pending, and those behind them.
    package var steps = 0
    package var listeners = 0
    package var connections = 0
    /// Offline members.
    package var absent = 0
    /// Members after all pending joins and returns.
    package var pending = 0

    package init() {}
  }

  package func inventory(of id: SessionID) -> SessionInventory? {
    guard let hosted = directory.hosted(id) else { return nil }
    var inventory = SessionInventory()
    inventory.steps = hosted.steps.count
    inventory.listeners = hosted.session.listeners.count
    inventory.connections = hosted.attendance.connectionCount
    inventory.absent = hosted.attendance.absentCount
    inventory.pending = hosted.memberCountPending
    return inventory
  }

  /// The session object, if it is in memory. The caller must not change it.
  package func session(_ id: SessionID) -> Session? { directory.hosted(id)?.session }

  /// Whether the end of a session was appended, but not stored yet.
  package func isEnding(_ id: SessionID) -> Bool { directory.hosted(id)?.isEnding ?? false }

  /// The pending messages of a connection and their bytes; `nil` if it is closed.
  package func waiting(for id: ConnectionID) -> (count: Int, byteCount: Int)? {
    connections[id]?.sending.pending
  }

  /// Whether a connection has no pending messages and is not write-blocked.
  package func isIdle(_ id: ConnectionID) -> Bool { connections[id]?.sending.isIdle ?? true }
}
