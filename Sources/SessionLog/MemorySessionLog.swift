package import PickerHub
package import PickerSession

/// Keeps the logs of all sessions in memory: at once, and no longer than the process lives.
package final class MemorySessionLog: SessionLog {
  private var logs: [SessionID: [LogEntry]] = [:]
  /// Entries of one session that are kept; when they are reached, nothing more of it is stored.
  package let entryCountMax: Int

  /// - Parameter entryCountMax: Default 1,000,000.
  package init(entryCountMax: Int = 1_000_000) { self.entryCountMax = entryCountMax }

  package func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    switch record {
    case .created:
      logs[session] = []
    case .entry(let entry):
      guard let count = logs[session]?.count, count < entryCountMax else { return .failed }
      logs[session]?.append(entry)
    case .ended:
      logs[session] = nil
    }
    return .stored
  }

  package func entries(of session: SessionID) -> [LogEntry] { logs[session] ?? [] }

  /// How many sessions have a log.
  package var sessionCount: Int { logs.count }
}
