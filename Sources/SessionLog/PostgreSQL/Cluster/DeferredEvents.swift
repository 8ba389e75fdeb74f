import PickerHub
import PickerSession

/// Events of entries that other nodes have appended. Those nodes store them; this one does before
/// later events of the session, and if they have not for some seconds: they may have stopped.
struct DeferredEvents {
  private struct Waiting {
    let record: FeedRecord
    let since: ContinuousClock.Instant
  }

  private var waiting: [SessionID: [Waiting]] = [:]
  private(set) var byteCount = 0
  /// The time after which this node stores the events of others.
  private static let patience = Duration.seconds(5)
  /// The size at which this node does not wait any longer.
  static let byteCountMax = 16_777_216

  var sessions: [SessionID] { Array(waiting.keys) }

  mutating func add(_ record: FeedRecord, of session: SessionID) {
    waiting[session, default: []].append(Waiting(record: record, since: .now))
    byteCount += record.byteCount
  }

  func first(of session: SessionID) -> FeedRecord? { waiting[session]?.first?.record }

  mutating func removeFirst(of session: SessionID) {
    guard let record = waiting[session]?.removeFirst().record else { return }
    byteCount -= record.byteCount
    if waiting[session]?.isEmpty == true { waiting[session] = nil }
  }

  /// Removes the records of a session.
  mutating func drop(_ session: SessionID) {
    for one in waiting.removeValue(forKey: session) ?? [] { byteCount -= one.record.byteCount }
  }

  /// Removes the records whose events are stored up to `mark`.
  ///
  /// - Returns: Whether the others must be stored now.
  mutating func stored(through mark: Int, of session: SessionID) -> Bool {
    let rest = take(session, after: mark)
    return rest.first.map { .now - $0.since > DeferredEvents.patience } ?? false
  }

  private mutating func take(_ session: SessionID, after mark: Int) -> [Waiting] {
    let all = waiting[session] ?? []
    let rest = all.filter { $0.record.sequence > mark }
    byteCount -= all.reduce(0) { $0 + ($1.record.sequence > mark ? 0 : $1.record.byteCount) }
    waiting[session] = rest.isEmpty ? nil : rest
    return rest
  }
}
