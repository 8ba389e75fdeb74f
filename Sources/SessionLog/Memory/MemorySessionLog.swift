import JSONText
package import PickerHub
import PickerModel
package import PickerSession

/// A log in memory: every append is `stored` at once, and lost when the process ends.
package final class MemorySessionLog: SessionLog {
  private final class Log {
    let session: SessionID
    /// The entries, oldest first, without compacted ones.
    var entries = MemoryLogEntries()
    /// The sequence number of the last entry.
    var entryCount = 0
    /// The size of the entries.
    var byteCount = 0
    /// The memory of the entries with their definitions, which is counted in the total.
    var memoryByteCount = 0
    /// The last snapshot; entries before it are compacted.
    var snapshot: (sequence: Int, state: SessionFold.StoredState)?
    /// The name of its shared definition.
    var uses: String?

    init(of session: SessionID) { self.session = session }

    /// The entries after a sequence number, up to the maximum of a page of the history.
    func part(after sequence: Int) -> [MemoryLogEntry] {
      entries.after(sequence, countMax: HistoryPosition.entryCountMax)
    }
  }

  private var logs: [SessionID: Log] = [:]
  /// The log that was appended to last: often also the one of the next append.
  private var last: Log?
  /// The maximum size of a session's log in bytes. When it is reached, commands and joins are
  /// refused.
  package let logByteCountMax: Int
  /// The memory of all sessions and logs of the server, if it is limited.
  private let memory: (any SessionMemory)?

  /// Shared by the logs of all loops.
  private let feed: MemoryFeed?
  private let shared: MemorySharedDefinitions?

  /// Runs a function on another thread, and the function that it returns on the hub's thread.
  package typealias Background = (@escaping @Sendable () -> @Sendable () -> Void) -> Void
  private let background: Background
  /// The maximum size of a log that is freed on the hub's thread.
  private static let freedByteCountMax = 65_536

  /// - Parameters:
  ///   - logByteCountMax: The maximum size of a session's log in bytes.
  ///   - memory: Counts the logs. At its maximum, commands and joins are refused, too.
  ///   - feed: Receives the events; they are dropped if it is `nil`.
  ///   - shared: The definitions that sessions can use.
  ///   - background: Runs reads of the history, and frees large logs. Default: at once, on the
  ///     hub's thread.
  package init(
    logByteCountMax: Int = SessionLimits().logBytes, memory: (any SessionMemory)? = nil,
    feed: MemoryFeed? = nil, shared: MemorySharedDefinitions? = nil,
    background: @escaping Background = { $0()() }
  ) {
    self.logByteCountMax = logByteCountMax
    self.memory = memory
    self.feed = feed
    self.shared = shared
    self.background = background
  }

  package var canLoad: Bool { false }

  package func append(_ record: consuming LogRecord, of session: SessionID) -> AppendOutcome {
    switch consume record {
    case .created(let origin, let event, _):
      let takes = origin.inventory != nil
      if let uses = origin.uses, shared?.use(uses.name, takes: takes) == false { return .failed }
      logs[session] = Log(of: session)
      logs[session]?.uses = origin.uses?.name
      if let event { feed?.append([event]) }
    case .entry(let entry): return append(entry, of: session)
    case .ended(let event, let releasesBooking):
      last = nil
      if let name = logs[session]?.uses {
        shared?.end(session, in: name, releasesBooking: releasesBooking)
      }
      free(session)
      if let event { feed?.append([event]) }
    }
    return .stored
  }

  private func append(_ entry: consuming LogEntry, of session: SessionID) -> AppendOutcome {
    let isLast = last?.session.text.isExactly(session.text) == true
    guard let log = isLast ? last : logs[session] else { return .failed }
    if log.byteCount >= 2 * logByteCountMax { return .exhausted }
    let size = entry.facts.memoryByteCount
    if entry.facts.needsBudget {
      if log.byteCount >= logByteCountMax { return .full }
      if memory?.hasRoom(for: size) == false { return .storeFull }
    }
    log.entryCount += 1
    log.byteCount += entry.isCommand ? size : entry.facts.byteCount
    count(size, in: log)
    if !isLast { last = log }
    if entry.facts.isUndecided { return appendDecided(entry, to: log) }
    log.entries.append(MemoryLogEntry(sequence: log.entryCount, entry: entry))
    return .stored
  }

  /// Appends an undecided entry with its outcome.
  private func appendDecided(_ entry: LogEntry, to log: Log) -> AppendOutcome {
    let decided = entry.demand.flatMap { asked in
      log.uses.flatMap { shared?.decide(asked.demand, of: log.session, in: $0) }
    }
    let outcome =
      decided
      ?? InventoryOutcome(InventoryRefusal(.wrongKind), claim: NumberedClaim(nil, number: 0))
    log.entries.append(
      MemoryLogEntry(sequence: log.entryCount, entry: entry.decided(outcome)))
    return .decided(outcome)
  }

  package func inventory(
    _ name: String, since number: Int?, places: Int?, of sessions: [SessionID], hub: Int,
    completion: @escaping @Sendable (LogLookup<InventoryChange>) -> Void
  ) {
    completion(LogLookup(shared?.change(of: name, since: number, places: places, of: sessions)))
  }

  /// Frees a log; a large one on the other thread.
  private func free(_ session: SessionID) {
    guard let log = logs.removeValue(forKey: session) else { return }
    if let name = log.uses { shared?.release(name) }
    count(-log.memoryByteCount, in: log)
    guard log.byteCount > MemorySessionLog.freedByteCountMax else { return }
    // Not owned by the closure, which this thread may release after the other thread has run it.
    nonisolated(unsafe) let retained = Unmanaged.passRetained(log)
    background {
      retained.release()
      return {}
    }
  }

  private func count(_ byteCount: Int, in log: Log) {
    log.memoryByteCount += byteCount
    memory?.add(byteCount)
  }

  package func feed(_ record: FeedRecord, of session: SessionID) -> Bool {
    feed?.append(record.events)
    return true
  }

  /// Deletes the entries that the snapshot makes superfluous. All of them come after the previous
  /// snapshot.
  package func store(_ snapshot: LogSnapshot, of session: SessionID) -> Bool {
    guard let log = logs[session] else { return true }
    let start = log.snapshot?.sequence ?? 0
    log.snapshot = (snapshot.entryCount, snapshot.state)
    let dropped = Set(snapshot.spent.dropped)
    let ticks = Set(snapshot.spent.ticks)
    if dropped.isEmpty && ticks.isEmpty { return true }
    var added = 0
    for entry in log.entries.remove(after: start) {
      log.byteCount -= entry.entry.facts.byteCount
      added -= entry.entry.facts.memoryByteCount
      if dropped.contains(entry.sequence) { continue }
      var entry = entry
      if ticks.contains(entry.sequence) {
        entry.entry = LogEntry(at: entry.entry.at, body: .tick)
      }
      log.byteCount += entry.entry.facts.byteCount
      added += entry.entry.facts.memoryByteCount
      log.entries.append(entry)
    }
    count(added, in: log)
    return true
  }

  package func shared(
    _ name: String, hub: Int,
    completion: @escaping @Sendable (LogLookup<SharedDefinition>) -> Void
  ) { completion(LogLookup(shared?.read(name))) }

  package func load(_ session: SessionID, limits: SessionLimits, hub: Int) {
    preconditionFailure("a hub does not evict sessions when its log cannot reload them")
  }

  package func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void
  ) {
    let log = logs[position.origin.id]
    // A copy of the entries for the page. If the other thread referenced the whole array, the next
    // append would have to copy it.
    let rows = MemoryRows(
      entries: log?.part(after: position.sequence) ?? [], stored: log?.snapshot)
    background {
      let page = try? HistoryPage.read(from: position, rows)
      return { completion(page) }
    }
  }

  /// The entries of a session, oldest first, without compacted ones.
  package func entries(of session: SessionID) -> [LogEntry] {
    logs[session]?.entries.all ?? []
  }

  /// The size of a session's entries.
  package func byteCount(of session: SessionID) -> Int { logs[session]?.byteCount ?? 0 }

  /// The number of sessions that have a log.
  package var sessionCount: Int { logs.count }
}
