package import PickerHub

/// A log of all sessions that survives crashes: what a server needs of any engine. Several hubs may
/// use one, each from its own thread and for its own sessions.
package protocol DurableStore: SessionLog, Sendable {
  /// Where it is, without credentials, for messages.
  var location: String { get }
  /// The events of all sessions.
  var eventFeed: any EventFeed { get }
  /// Sessions that were in the store when it was opened.
  var restored: [DormantSession] { get }
  /// Their names, and the idempotency keys, in the store when it was opened.
  var restoredNames: StoredNames { get }
  /// Whether stored history was missing when the store was opened, so that every session has a new
  /// epoch.
  var hasLostHistory: Bool { get }
  /// The reason why the store is not writable; `nil` while it is.
  var failure: String? { get }
  /// Calls `reply` on any thread, unless this process is stuck.
  func answer(_ reply: @escaping @Sendable () -> Void)
  /// Calls `reply` on any thread when it has tried to store all records appended so far.
  func afterWriting(_ reply: @escaping @Sendable () -> Void)
  /// The number of batches committed since the start.
  var batchCount: Int { get }
  /// The durations and sizes of the batches since the start.
  var figures: StoreFigures { get }
  /// The key, 64 bytes, that signs tickets: they are valid at all nodes, and after a restart.
  var ticketKey: [UInt8] { get }
  /// The clock of the sessions in milliseconds since 1970; `nil`: that of this machine.
  var clock: (@Sendable () -> Int64)? { get }
  /// Waits until all records appended so far are stored or lost.
  func flush()
}

extension SQLiteSessionLog: DurableStore {
  package var clock: (@Sendable () -> Int64)? { nil }
  package var eventFeed: any EventFeed { feed }
}

extension PostgresSessionLog: DurableStore {
  package var eventFeed: any EventFeed { feed }
}
