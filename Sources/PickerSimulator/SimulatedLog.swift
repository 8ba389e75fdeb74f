import PickerHub
import PickerSession

/// A log that says at once or later what it has, in batches, and sometimes that it cannot.
///
/// What it has confirmed is what would survive a crash; the checkers fold it again.
final class SimulatedLog: SessionLog {
  /// What is kept of one session.
  struct Kept {
    let origin: SessionOrigin
    var entries: [LogEntry] = []
    /// Appended, and not confirmed yet.
    var pending: [LogRecord] = []
    var hasEnded = false
  }

  private(set) var kept: [SessionID: Kept] = [:]
  /// Whether it answers ``AppendOutcome/pending`` and confirms later.
  var isLate: Bool
  /// Whether it cannot store anything now.
  var isFailing = false
  private(set) var failureCount = 0
  /// Called when the first record of a session waits.
  var pends: (SessionID) -> Void = { _ in }

  init(isLate: Bool) { self.isLate = isLate }

  func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    if isFailing {
      failureCount += 1
      return .failed
    }
    if case .created(let origin) = record { kept[session] = Kept(origin: origin) }
    guard isLate || kept[session]?.pending.isEmpty == false else {
      keep(record, of: session)
      return .stored
    }
    kept[session]?.pending.append(record)
    if kept[session]?.pending.count == 1 { pends(session) }
    return .pending
  }

  /// Confirms the first `count` records that wait.
  func confirm(_ count: Int, of session: SessionID) {
    for _ in 0..<count {
      guard let record = kept[session]?.pending.removeFirst() else { return }
      keep(record, of: session)
    }
  }

  func pendingCount(of session: SessionID) -> Int { kept[session]?.pending.count ?? 0 }

  let canLoad = false

  func keep(_ snapshot: LogSnapshot, of session: SessionID) {}

  func load(_ session: SessionID, limits: SessionLimits) {
    preconditionFailure("a log that keeps sessions in memory loads none")
  }

  func history(
    of origin: SessionOrigin, after: Int, through: Int, limits: SessionLimits,
    completion: @escaping @Sendable ([Delta]?) -> Void
  ) {
    guard var fold = try? SessionFold(origin, limits: limits) else { return completion(nil) }
    var deltas: [Delta] = []
    for entry in kept[origin.id]?.entries ?? [] {
      for case .delta(let delta) in fold.apply(entry)
      where delta.revision > after && delta.revision <= through {
        deltas.append(delta)
      }
    }
    completion(deltas)
  }

  private func keep(_ record: LogRecord, of session: SessionID) {
    switch record {
    case .created: break
    case .entry(let entry): kept[session]?.entries.append(entry)
    case .ended: kept[session]?.hasEnded = true
    }
  }
}
