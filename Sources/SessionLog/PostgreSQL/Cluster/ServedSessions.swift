import PickerHub
import PickerSession

/// The sessions that the hubs of this node have in memory, and which of their entries were
/// reported to the hubs.
///
/// Every report of records is made by these functions, while the owner holds its lock, so that each
/// hub receives the records of a session in log order.
struct ServedSessions {
  struct Session {
    /// Only records that were appended since this load are the hub's own.
    let load: Int
    /// The index of the hub; `nil` for a session that was created here.
    let hub: Int?
    /// While the session is being loaded, that of the former load, if any.
    var epoch: String?
    var isLoading = false
    /// The sequence number of the last reported entry; `nil` until the session is created or
    /// loaded.
    var position: Int?
    /// The greatest sequence number that is known to be committed here and on the standbys: the
    /// node that has appended it has the answer to its commit.
    var head = 0
    /// Own entries after ``position`` that are committed.
    var own: [ClosedRange<Int>] = []
    /// Entries of other nodes after ``position`` that arrived with notifications.
    var early: [Int: LogEntry] = [:]
    /// The other nodes that have it in memory, as far as is known: they have announced something
    /// of it, and not that they have released it.
    var sharers: Set<Int> = []
    /// The number of entries in the batch that is being committed.
    var inFlight = 0

    /// The maximum of entries that wait for those before them. Later ones are read.
    static let earlyCountMax = 200

    var isShared: Bool { !sharers.isEmpty }

    var isBehind: Bool { position.map { $0 < head } ?? false }

    /// Whether the missing entries are those of the batch that is being committed, as far as is
    /// known: they need not be read.
    var awaitsOwn: Bool {
      guard inFlight > 0, let position, head - position <= inFlight + Session.earlyCountMax else {
        return false
      }
      let missing = (position..<head).count { place in
        early[place + 1] == nil && !own.contains { $0.contains(place + 1) }
      }
      return missing == inFlight
    }

    /// Removes the entries up to ``position`` from ``own`` and ``early``.
    mutating func trim() {
      guard let position else { return }
      own.removeAll { $0.upperBound <= position }
      if !early.isEmpty { early = early.filter { $0.key > position } }
    }

    /// Advances over the next entries that are known without reading them.
    mutating func advance() -> [CommittedRecord] {
      guard var position else { return [] }
      var records: [CommittedRecord] = []
      while true {
        if let entry = early[position + 1] {
          records.append(.foreign(entry))
        } else if own.contains(where: { $0.contains(position + 1) }) {
          records.append(.own)
        } else {
          break
        }
        position += 1
      }
      guard !records.isEmpty else { return [] }
      self.position = position
      head = max(head, position)
      trim()
      return records
    }
  }

  fileprivate(set) var sessions: [SessionID: Session] = [:]
  private var loadCount = 0
  /// Sessions with entries that must be read.
  var behind: Set<SessionID> = []
  /// Sessions whose log may have entries after the known ones, another epoch or an end, each with
  /// the number of its last doubt.
  var doubtful: [SessionID: Int] = [:]
  var doubtCount = 0
  /// All appends with a serial number up to this one have an outcome.
  private(set) var settledSerial = 0

  /// The outcome of a step for the hubs.
  struct Report {
    var committed: [(session: SessionID, records: CommittedRecords)] = []
    var lost: [SessionID] = []
  }
}

/// The life of a session in memory.
extension ServedSessions {
  /// The hub has appended the creation of a session.
  mutating func create(_ session: SessionID, epoch: String) {
    loadCount += 1
    sessions[session] = Session(load: loadCount, hub: nil, epoch: epoch)
  }

  /// The hub loads a session.
  mutating func beginLoad(_ session: SessionID, hub: Int) {
    loadCount += 1
    let epoch = sessions[session]?.epoch
    sessions[session] = Session(load: loadCount, hub: hub, epoch: epoch, isLoading: true)
    behind.remove(session)
    doubtful[session] = nil
  }

  /// A load has succeeded.
  ///
  /// - Returns: Whether the log has later entries, or may have some; `nil` if the session was lost
  ///   during the load.
  mutating func loaded(_ session: SessionID, position: Int, epoch: String) -> Bool? {
    guard var served = sessions[session], served.isLoading else { return nil }
    (served.position, served.epoch, served.isLoading) = (position, epoch, false)
    return store(served, of: session) || doubtful[session] != nil
  }

  /// The epoch of a session; `nil` if it is not known.
  func epoch(of session: SessionID) -> String? { sessions[session]?.epoch }

  /// The hub does not have the session any more.
  mutating func remove(_ session: SessionID) {
    sessions[session] = nil
    behind.remove(session)
    doubtful[session] = nil
  }

  /// - Returns: Whether entries must be read.
  mutating func store(_ session: Session, of id: SessionID) -> Bool {
    sessions[id] = session
    if session.isBehind { behind.insert(id) } else { behind.remove(id) }
    return session.isBehind
  }
}

/// Own appends.
extension ServedSessions {
  /// The state of a session when a batch begins. The batch stores only entries of sessions that
  /// have one.
  struct Expectation {
    let load: Int
    let epoch: String
    /// The last reported entry.
    let position: Int
    /// Whether another node has it in memory.
    let isShared: Bool
  }

  /// A batch begins.
  mutating func expectations(of records: [StoreRecord]) -> [SessionID: Expectation] {
    var found: [SessionID: Expectation] = [:]
    for (session, tally) in ServedSessions.tallies(of: records) {
      guard var served = sessions[session], let epoch = served.epoch else { continue }
      // During a load, the records are of the former one: they are not reported.
      if !served.isLoading { served.inFlight = tally.entryCount }
      sessions[session] = served
      found[session] = Expectation(
        load: served.load, epoch: epoch, position: served.position ?? 0, isShared: served.isShared)
    }
    return found
  }

  /// The log records of a session in a batch.
  private struct Tally {
    var entryCount = 0
    var isCreated = false
    var isEnded = false
    var count: Int { entryCount + (isCreated ? 1 : 0) + (isEnded ? 1 : 0) }
  }

  /// A batch is committed.
  ///
  /// - Parameter serial: The last serial number of the batch.
  mutating func committed(
    _ records: [StoreRecord], _ result: PostgresWriter.Result,
    expected: [SessionID: Expectation], serial: Int
  ) -> Report {
    settledSerial = serial
    var report = Report()
    for (session, tally) in ServedSessions.tallies(of: records) {
      guard let known = expected[session], let served = sessions[session],
        served.load == known.load, !served.isLoading
      else { continue }
      commit(tally, served, of: session, result, &report)
    }
    for session in result.lost.union(result.living) where sessions[session] != nil {
      remove(session)
      report.lost.append(session)
    }
    return report
  }

  /// The records of a batch were given up: they will not be committed.
  mutating func abandoned(serial: Int) { settledSerial = serial }

  private static func tallies(of records: [StoreRecord]) -> [(SessionID, Tally)] {
    var order: [SessionID] = []
    var tallies: [SessionID: Tally] = [:]
    for case .log(let record, let session) in records {
      if tallies[session] == nil { order.append(session) }
      switch record {
      case .created: tallies[session, default: Tally()].isCreated = true
      case .entry: tallies[session, default: Tally()].entryCount += 1
      case .ended: tallies[session, default: Tally()].isEnded = true
      }
    }
    return order.compactMap { session in tallies[session].map { (session, $0) } }
  }

  private mutating func commit(
    _ tally: Tally, _ known: Session, of session: SessionID, _ result: PostgresWriter.Result,
    _ report: inout Report
  ) {
    var served = known
    served.inFlight = 0
    if tally.isCreated {
      guard !result.refused.contains(session) else {
        remove(session)
        return report.committed.append((session, .mixed([.refused])))
      }
      served.position = 0
    }
    if tally.isEnded {
      // The session is lost, and reloaded with its entries.
      if result.living.contains(session) { return }
      remove(session)
      let waiting = served.own.reduce(0) { $0 + $1.count }
      return report.committed.append((session, .own(waiting + tally.count)))
    }
    var records: [CommittedRecord] = tally.isCreated ? [.own] : []
    if tally.entryCount > 0 {
      guard let base = result.bases[session] else {
        return drop(session, hasEnded: result.byteCounts[session] == nil, &report)
      }
      let last = base + tally.entryCount
      served.head = max(served.head, last)
      if served.position == base, served.early.isEmpty {
        served.position = last
        _ = store(served, of: session)
        return report.committed.append((session, .own(records.count + tally.entryCount)))
      }
      served.own.append(base + 1...last)
      records += served.advance()
    }
    _ = store(served, of: session)
    if !records.isEmpty { report.committed.append((session, .mixed(records))) }
  }

  /// A session was ended by another node, or its hub's state is not that of the log.
  mutating func drop(_ session: SessionID, hasEnded: Bool, _ report: inout Report) {
    remove(session)
    if hasEnded {
      report.committed.append((session, .mixed([.foreignEnd])))
    } else {
      report.lost.append(session)
    }
  }
}
