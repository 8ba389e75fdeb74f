package import PickerHub
import PickerModel
package import PickerSession

/// Stores the logs of all sessions in memory: at once, and no longer than the process lives.
package final class MemorySessionLog: SessionLog {
  private final class Log {
    let session: SessionID
    /// The entries that are left, oldest first.
    var entries: [MemoryLogEntry] = []
    /// The sequence number of the last entry.
    var entryCount = 0
    /// Bytes of the entries.
    var byteCount = 0
    /// The last snapshot: entries before it are compacted.
    var snapshot: (place: Int, kept: SessionFold.StoredState)?

    init(of session: SessionID) { self.session = session }

    /// The entries after a sequence number, as many as a page of the history needs.
    func part(after place: Int) -> [MemoryLogEntry] {
      let first = entries.index(after: place)
      return Array(entries[first...].prefix(HistoryPosition.entryCountMax))
    }
  }

  private var logs: [SessionID: Log] = [:]
  /// To which something was appended last; the next one's too, often.
  private var last: Log?
  /// Bytes of one session's entries; when they are reached, its commands and joins are refused.
  package let logByteCountMax: Int

  /// Does the first on another thread, and what that answers on the hub's.
  package typealias Background = (@escaping @Sendable () -> @Sendable () -> Void) -> Void
  private let background: Background

  /// - Parameters:
  ///   - logByteCountMax: Default as ``SessionLimits/logBytes``.
  ///   - background: Where whole logs are folded again. Default: at once, on the hub's thread.
  package init(
    logByteCountMax: Int = SessionLimits().logBytes, background: @escaping Background = { $0()() }
  ) {
    self.logByteCountMax = logByteCountMax
    self.background = background
  }

  package var canLoad: Bool { false }

  package func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    switch record {
    case .created:
      logs[session] = Log(of: session)
    case .entry(let entry):
      guard let log = last?.session == session ? last : logs[session] else { return .failed }
      if log.byteCount >= 2 * logByteCountMax { return .exhausted }
      if log.byteCount >= logByteCountMax && record.needsBudget { return .full }
      log.entryCount += 1
      log.byteCount += entry.byteCount
      log.entries.append(MemoryLogEntry(place: log.entryCount, entry: entry))
      last = log
    case .ended:
      logs[session] = nil
      last = nil
    }
    return .stored
  }

  /// Deletes the entries that the snapshot makes superfluous. All of them are among those since the
  /// snapshot before.
  package func keep(_ snapshot: LogSnapshot, of session: SessionID) -> Bool {
    guard let log = logs[session] else { return true }
    let start = log.entries.index(after: log.snapshot?.place ?? 0)
    log.snapshot = (snapshot.entryCount, snapshot.kept)
    let dropped = Set(snapshot.spent.dropped)
    let ticks = Set(snapshot.spent.ticks)
    if dropped.isEmpty && ticks.isEmpty { return true }
    var kept: [MemoryLogEntry] = []
    for entry in log.entries[start...] {
      log.byteCount -= entry.entry.byteCount
      if dropped.contains(entry.place) { continue }
      var entry = entry
      if ticks.contains(entry.place) {
        entry.entry = LogEntry(at: entry.entry.at, body: .tick)
      }
      log.byteCount += entry.entry.byteCount
      kept.append(entry)
    }
    log.entries.replaceSubrange(start..., with: kept)
    return true
  }

  package func load(_ session: SessionID, limits: SessionLimits, hub: Int) {
    preconditionFailure("sessions do not leave a log that cannot load them")
  }

  package func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void
  ) {
    let log = logs[position.origin.id]
    // A copy of what the page needs: were the whole array shared with the other thread, the next
    // append would copy all of it.
    let entries = log?.part(after: position.place) ?? []
    let snapshot = log?.snapshot
    background {
      let page = MemoryLogEntry.page(of: entries, snapshot, from: position)
      return { completion(page) }
    }
  }

  /// All entries of a session that are left, oldest first.
  package func entries(of session: SessionID) -> [LogEntry] {
    logs[session]?.entries.map(\.entry) ?? []
  }

  /// Bytes of a session's entries.
  package func byteCount(of session: SessionID) -> Int { logs[session]?.byteCount ?? 0 }

  /// How many sessions have a log.
  package var sessionCount: Int { logs.count }
}
