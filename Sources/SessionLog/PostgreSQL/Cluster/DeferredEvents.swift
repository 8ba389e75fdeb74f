import DequeModule
import PickerHub
import PickerSession

/// Events of entries that other nodes have appended. Those nodes store them; this one does before
/// later events of the session, and if they have not for some seconds: they may have stopped.
struct DeferredEvents {
  private struct Waiting {
    let record: FeedRecord
    /// That of the session whose entries have the events.
    let epoch: String?
    let since: ContinuousClock.Instant
  }

  /// What the log has of a session.
  struct Log {
    /// The last entry whose events are stored.
    let mark: Int
    /// The last entry.
    let head: Int
    let epoch: String
  }

  private var waiting: [SessionID: Deque<Waiting>] = [:]
  private(set) var byteCount = 0
  /// The time after which this node stores the events of others.
  private static let patience = Duration.seconds(5)
  /// The size at which this node does not wait any longer.
  static let byteCountMax = 16_777_216

  var sessions: [SessionID] { Array(waiting.keys) }

  mutating func add(_ record: FeedRecord, of session: SessionID, epoch: String?) {
    waiting[session, default: []].append(Waiting(record: record, epoch: epoch, since: .now))
    byteCount += record.byteCount
  }

  func first(of session: SessionID) -> FeedRecord? { waiting[session]?.first?.record }

  mutating func removeFirst(of session: SessionID) {
    guard let record = waiting[session]?.popFirst()?.record else { return }
    byteCount -= record.byteCount
    if waiting[session]?.isEmpty == true { waiting[session] = nil }
  }

  /// Removes the records of a session.
  mutating func drop(_ session: SessionID) {
    for one in waiting.removeValue(forKey: session) ?? [] { byteCount -= one.record.byteCount }
  }

  /// Removes the records whose events are stored, and those of entries that the log has lost in a
  /// failover or a restore to the past: their session is loaded again.
  ///
  /// - Parameters:
  ///   - log: `nil` if the session has ended.
  ///   - begin: When the log was read. Records that were added later are not compared with it.
  /// - Returns: Whether the others must be stored now.
  mutating func read(
    _ log: Log?, of session: SessionID, begin: ContinuousClock.Instant
  ) -> Bool {
    let all = waiting[session] ?? []
    let rest = all.filter { one in
      if one.since >= begin { return true }
      guard let log, one.epoch == log.epoch else { return false }
      return one.record.sequence > log.mark && one.record.sequence <= log.head
    }
    drop(session)
    guard let first = rest.first else { return false }
    waiting[session] = rest
    byteCount += rest.reduce(0) { $0 + $1.record.byteCount }
    return .now - first.since > DeferredEvents.patience
  }
}
