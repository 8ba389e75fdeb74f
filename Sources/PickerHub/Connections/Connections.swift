import PickerModel
import PickerSession
import PickerWire

/// The open connections of a hub, and the only way to them.
///
/// It owns the table of connections and what is pending for each (``SendState``), and is the only
/// type that calls the port to send, post, close, pause or resume. Invariants: a frame is passed to
/// the port only if the connection is not write-blocked and no older message is pending; a paused
/// connection is not paused again.
///
/// Closing a connection concerns its session, so a connection with too many pending messages is
/// only reported: after each delivery the caller closes those of ``nextOverflowing()``. Until then
/// they receive nothing.
final class Connections {
  private let port: any HubPort
  private let schedule: HubSchedule
  private let buffers: HubBuffers
  private let limits: ServerLimits
  private(set) var table = ConnectionTable()
  /// How often a connection became write-blocked or was closed. The fan-out compares it to see
  /// whether connections that were idle may not be any more.
  private(set) var stopCount = 0
  /// Deliveries, snapshots for slow readers, and closes.
  private(set) var counters = HubCounters()
  private var overflowing: [HubConnection] = []

  init(
    _ port: any HubPort, _ schedule: HubSchedule, _ buffers: HubBuffers, limits: ServerLimits
  ) {
    self.port = port
    self.schedule = schedule
    self.buffers = buffers
    self.limits = limits
  }

  subscript(id: ConnectionID) -> HubConnection? { table[id] }

  var count: Int { table.count }
  var inOrder: [HubConnection] { table.inOrder }

  func insert(_ connection: HubConnection) { table.insert(connection) }

  func remove(_ id: ConnectionID) -> HubConnection? {
    guard let connection = table.remove(id) else { return nil }
    change(connection) { $0.clear() }
    if connection.sending.isPaused { buffers.pausedConnections -= 1 }
    connection.sending.isPaused = false
    return connection
  }

  /// Changes an outbox, and with it the sums over all outboxes. Every change goes through here.
  private func change<Value>(
    _ connection: HubConnection, _ body: (inout Outbox) -> Value
  ) -> Value {
    count(connection, times: -1)
    defer { count(connection, times: 1) }
    return body(&connection.sending.outbox)
  }

  private func count(_ connection: HubConnection, times: Int) {
    buffers.outboxBytes += times * connection.sending.outbox.byteCount
    buffers.writeBlockedConnections += connection.sending.outbox.isFull ? times : 0
  }
}

/// What is pending for a connection. Only ``Connections`` changes it.
struct SendState {
  fileprivate var outbox = Outbox()
  /// Whether the connection must be closed because too many messages are pending.
  fileprivate var isOverflowing = false
  /// Whether the port does not read from it; see ``HubPort/pause(_:)``.
  fileprivate var isPaused = false
  /// The time since which the socket was not writable after updates were dropped, in machine
  /// milliseconds; `nil` while it is.
  fileprivate var stalledSince: Int64?

  /// Whether a message is sent at once.
  var isIdle: Bool { outbox.isIdle }
  var isBlocked: Bool { outbox.isFull }
  /// Whether updates are dropped, because a snapshot will replace them.
  var needsSnapshot: Bool { outbox.needsSnapshot }
  /// The pending messages and their bytes.
  var pending: (count: Int, byteCount: Int) { (outbox.waiting.count, outbox.byteCount) }

  /// How long updates have been dropped while the socket was not writable, in milliseconds; `nil`
  /// if it is writable.
  func stall(at now: Int64) -> Int64? {
    outbox.isFull ? stalledSince.map { now - $0 } : nil
  }
}

/// Delivering.
extension Connections {
  /// Posts a message at once if the outbox is idle, else appends it to the outbox.
  func deliver(_ message: Outbox.Waiting, to connection: HubConnection, at time: HubTime) {
    guard !connection.isClosing else { return }
    guard connection.sending.isIdle, let frame = message.frame else {
      return append(message, to: connection, at: time)
    }
    counters.deliveries += 1
    var isOneToMany = false
    if case .updates = message, let session = connection.hosted?.session {
      isOneToMany = session.hasManyListeners
    }
    // Nothing more is written to a connection that is gone, as to one that is write-blocked.
    if port.post(frame, to: connection.id, isOneToMany: isOneToMany) != .sent {
      block(connection)
    }
  }

  /// Posts a message without a frame to a connection whose outbox is idle.
  ///
  /// - Parameter message: As in ``HubPort/post(_:_:to:)``.
  func post(_ message: UnsafeRawBufferPointer, _ kind: FrameKind, to connection: HubConnection) {
    counters.deliveries += 1
    if port.post(message, kind, to: connection.id) != .sent { block(connection) }
  }

  private func append(
    _ message: Outbox.Waiting, to connection: HubConnection, at time: HubTime
  ) {
    if connection.sending.isOverflowing { return }
    let hadSnapshot = connection.sending.outbox.needsSnapshot
    let byteCountMax = outboxByteCountMax
    change(connection) {
      $0.append(message, byteCountMax: byteCountMax, countMax: limits.outboxMessages)
    }
    if connection.sending.outbox.needsSnapshot && !hadSnapshot {
      counters.snapshotsForSlowReaders += 1
      watch(connection, at: time)
    }
    if connection.sending.outbox.waiting.count > limits.outboxMessages {
      connection.sending.isOverflowing = true
      overflowing.append(connection)
    }
  }

  /// The maximum of an outbox, which is small while all of them together are at their maximum.
  private var outboxByteCountMax: Int {
    if buffers.outboxBytes < limits.outboxesBytes { return limits.outboxBytes }
    return min(limits.outboxBytes, 16_384)
  }

  /// Posts a frame to connections whose outboxes are idle.
  func post(_ frame: Frame, toAll recipients: [ConnectionID], isOneToMany: Bool) {
    counters.deliveries += recipients.count
    for index in port.post(frame, toAll: recipients, isOneToMany: isOneToMany) {
      writeBlocked(recipients[index])
    }
  }

  /// Removes a connection that the caller must close, because more than `outboxMessages` messages
  /// are pending that a snapshot cannot replace.
  func nextOverflowing() -> HubConnection? {
    overflowing.isEmpty ? nil : overflowing.removeFirst()
  }
}

/// Long messages to many connections, one after the other: all at once would delay the others, and
/// the bytes that the sockets do not take are copied for each.
extension Connections {
  /// Drops the pending updates of a connection. A snapshot replaces them in its turn, see
  /// ``HubSchedule/takeTurns(at:_:isBlocked:)``, or when the connection is writable.
  func replaceUpdates(of connection: HubConnection) {
    guard !connection.isClosing, !connection.sending.needsSnapshot else { return }
    let isQueued = !connection.sending.isIdle
    change(connection) { $0.dropUpdates() }
    if !isQueued { schedule.addTurn(connection.id) }
  }

  /// Sends an update to a connection in its turn.
  func deliverInTurn(_ frame: Frame, to connection: HubConnection, at time: HubTime) {
    guard !connection.isClosing else { return }
    let isQueued = !connection.sending.isIdle
    append(.updates(frame), to: connection, at: time)
    if !isQueued { schedule.addTurn(connection.id) }
  }
}

/// Write-blocked connections.
extension Connections {
  /// What replaces dropped updates.
  struct Replacement {
    let snapshot: Frame
    /// The months in view and the touches, sent after the snapshot.
    let details: [Frame]
  }

  /// A connection is write-blocked.
  func writeBlocked(_ id: ConnectionID) {
    if let connection = table[id] { block(connection) }
  }

  private func block(_ connection: HubConnection) {
    stopCount += 1
    change(connection) { $0.isFull = true }
  }

  /// A write-blocked connection is writable again. The caller calls
  /// ``flush(_:at:replacement:lateAnswer:)``.
  func writable(_ connection: HubConnection) {
    change(connection) { $0.isFull = false }
    connection.sending.stalledSince = nil
  }

  /// Sends pending messages until the connection is write-blocked.
  ///
  /// - Parameters:
  ///   - replacement: Encodes what replaces dropped updates. A welcome that is still pending is
  ///     sent before it.
  ///   - lateAnswer: Encodes an answer that follows the snapshot.
  /// - Returns: The number of bytes sent.
  func flush(
    _ connection: HubConnection, at time: HubTime, replacement: () -> Replacement,
    lateAnswer: (Answer) -> Frame
  ) -> Int {
    var byteCount = 0
    while !connection.sending.outbox.isFull {
      guard connection.sending.outbox.needsSnapshot else {
        guard let message = change(connection, { $0.next() }) else { break }
        if let frame = message.frame { byteCount += send(frame, connection) }
        continue
      }
      if let welcome = change(connection, { $0.nextRetained() }) {
        byteCount += send(welcome, connection)
        continue
      }
      let replacement = replacement()
      change(connection) { outbox in
        outbox.snapshotTaken(encode: lateAnswer)
        for frame in replacement.details.reversed() { outbox.prepend(.updates(frame)) }
      }
      byteCount += send(replacement.snapshot, connection)
      watch(connection, at: time)
    }
    return byteCount
  }

  /// - Returns: The length of the frame.
  private func send(_ frame: Frame, _ connection: HubConnection) -> Int {
    counters.deliveries += 1
    if port.send(frame, to: connection.id) == .writeBlocked { block(connection) }
    return frame.count
  }

  /// Starts the time within which a connection with dropped updates must read (default 10 s).
  private func watch(_ connection: HubConnection, at time: HubTime) {
    guard connection.sending.outbox.isFull else { return }
    connection.sending.stalledSince = time.machine
    schedule.add(.stalled(connection.id), due: time.machine + limits.stalledMilliseconds)
  }
}

/// Closing and pausing.
extension Connections {
  /// Drops the pending messages, sends `last`, and closes. The caller has detached the connection
  /// from its session.
  func close(_ connection: HubConnection, _ code: CloseCode, _ detail: String, last: Frame?) {
    stopCount += 1
    change(connection) { $0.clear() }
    counters.closes[code, default: 0] += 1
    port.close(connection.id, code: code.rawValue, reason: reason(detail), last: last)
  }

  /// The detail, cut: RFC 6455 section 5.5.1 leaves 123 bytes for a close reason.
  private func reason(_ detail: String) -> String {
    var reason = detail
    while reason.utf8.count > 120 { reason.removeLast() }
    return reason
  }

  /// Stops reading from a connection that sends faster than the log stores.
  func pause(_ connection: HubConnection) {
    guard !connection.sending.isPaused, !connection.isClosing else { return }
    connection.sending.isPaused = true
    buffers.pausedConnections += 1
    port.pause(connection.id)
  }

  func resume(_ connection: HubConnection) {
    guard connection.sending.isPaused else { return }
    connection.sending.isPaused = false
    buffers.pausedConnections -= 1
    port.resume(connection.id)
  }
}

extension Session {
  /// Whether sending to all listeners takes so long that others must not wait for it.
  var hasManyListeners: Bool { listeners.count > 16 }
}
