import PickerModel
package import PickerHub
package import PickerSession

/// Keeps the logs of all sessions in memory: at once, and no longer than the process lives.
package final class MemorySessionLog: SessionLog {
  private final class Entries {
    let session: SessionID
    var all: [LogEntry] = []

    init(of session: SessionID) { self.session = session }
  }

  private var logs: [SessionID: Entries] = [:]
  /// To which something was appended last; the next one's too, often.
  private var last: Entries?
  /// Entries of one session at most; one more would end the session.
  package let entryCountMax: Int

  /// Does the first on another thread, and what that answers on the hub's.
  package typealias Background = (@escaping @Sendable () -> @Sendable () -> Void) -> Void
  private let background: Background

  /// - Parameters:
  ///   - entryCountMax: Default 1,000,000.
  ///   - background: Where whole logs are folded again. Default: at once, on the hub's thread.
  package init(entryCountMax: Int = 1_000_000, background: @escaping Background = { $0()() }) {
    self.entryCountMax = entryCountMax
    self.background = background
  }

  package var canLoad: Bool { false }

  package func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    switch record {
    case .created:
      logs[session] = Entries(of: session)
    case .entry(let entry):
      let entries = last?.session == session ? last : logs[session]
      guard let entries else { return .failed }
      guard entries.all.count < entryCountMax else { return .full }
      entries.all.append(entry)
      last = entries
    case .ended:
      logs[session] = nil
      last = nil
    }
    return .stored
  }

  package func keep(_ snapshot: LogSnapshot, of session: SessionID) {}

  package func load(_ session: SessionID, limits: SessionLimits, hub: Int) {
    preconditionFailure("sessions do not leave a log that cannot load them")
  }

  package func history(
    of origin: SessionOrigin, after: Int, through: Int, limits: SessionLimits,
    completion: @escaping @Sendable ([Delta]?) -> Void
  ) {
    let entries = entries(of: origin.id)
    background {
      let deltas = foldedDeltas(origin, entries, after: after, through: through, limits: limits)
      return { completion(deltas) }
    }
  }

  /// All entries of a session so far, oldest first.
  package func entries(of session: SessionID) -> [LogEntry] { logs[session]?.all ?? [] }

  /// How many sessions have a log.
  package var sessionCount: Int { logs.count }
}

/// The deltas that a session's entries make, after a revision and up to another one.
func foldedDeltas(
  _ origin: SessionOrigin, _ entries: some Sequence<LogEntry>, after: Int, through: Int,
  limits: SessionLimits
) -> [Delta]? {
  guard var fold = try? SessionFold(origin, limits: limits) else { return nil }
  var deltas: [Delta] = []
  for entry in entries {
    for case .delta(let delta) in fold.apply(entry)
    where delta.revision > after && delta.revision <= through {
      deltas.append(delta)
    }
    if fold.revision >= through { break }
  }
  // Otherwise the session has ended meanwhile.
  return fold.revision >= through ? deltas : nil
}
