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
