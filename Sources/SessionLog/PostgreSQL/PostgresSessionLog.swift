import BackgroundWork
package import CivilTime
import Foundation
package import PickerHub
import PickerModel
package import PickerSession
import Synchronization

/// The logs of all sessions in a PostgreSQL database, which any number of nodes share.
///
/// As in ``SQLiteSessionLog``, a queue of its own writes, and what is appended while a transaction
/// commits goes into the next one. The database numbers the entries of all nodes;
/// ``PostgresFollower`` reads those of the others. Reloads, the history and the feed have
/// connections of their own.
package final class PostgresSessionLog: SessionLog, @unchecked Sendable {
  let address: PostgresAddress
  /// The database without credentials, for messages.
  package var location: String { address.description }
  let definitions: StoredDefinitions
  /// The queue of all writing transactions.
  let queue = DispatchQueue(label: "pickerd.store")
  /// Used on ``queue`` only.
  let writer: PostgresWriter
  /// The maximum time that a batch waits for a connection. Used on ``queue`` only.
  var waitSeconds = PostgresSessionLog.waitSeconds
  /// The maximum time for which a batch waits after a delayed one. Used on ``queue`` only.
  var pauseMax = PostgresSessionLog.pauseMax
  /// Reloads sessions, one at a time.
  let readingQueue = DispatchQueue(label: "pickerd.store.reading")
  let reader: PostgresReader
  /// Reads pages of the history and deletes ended sessions.
  let historyQueue = BackgroundQueue(name: "store history")
  let historyReader: PostgresReader
  let encodingQueue = BackgroundQueue(name: "store encoding")
  /// Snapshots that are added to the pending records soon, each with its time.
  private let delayed = Mutex<[(due: ContinuousClock.Instant, add: @Sendable () -> Void)]>([])
  /// The events of all sessions.
  package let feed: PostgresFeed
  let limits: SessionLimits
  let versions: FoldVersions
  let digest: @Sendable ([UInt8]) -> [UInt8]
  let state: Mutex<PendingRecords>
  let deferred = Mutex(DeferredEvents())
  /// Sessions to which members have connected since the last sweep.
  let visited = Mutex<Set<SessionID>>([])
  let sweeping = Mutex(SweepState())
  let creations = Mutex(CreationCount())
  /// The number of idempotency keys above which the oldest are deleted; `nil`: none is.
  let keyCountMax: Int?
  let reports: PostgresReports
  let follower: PostgresFollower
  let notify: @Sendable (StoreNotice) -> Void
  private let afterIteration: AfterIteration
  /// The maximum of records of a transaction: while one is committed, the hubs work on the answers
  /// of the one before.
  private static let batchCountMax = 1000
  /// The number of records with which a batch does not wait for the end of the event-loop iteration
  /// that appends them: the database works meanwhile.
  private static let earlyCount = 32
  /// Sessions whose node has stopped, and that may have members.
  package let restored: [DormantSession]
  package let ticketKey: [UInt8]
  /// None: the names are looked up.
  package let restoredNames = StoredNames()
  /// Whether the database was restored to the past since it was last served, so that every session
  /// has a new epoch.
  package let hasLostHistory: Bool

  /// Connects to a database, and creates or migrates the schema `pickerd` in it.
  ///
  /// - Parameters: As of ``SQLiteSessionLog``.
  /// - Parameter keyCountMax: The number of idempotency keys above which the oldest are deleted;
  ///   `nil`: none is.
  /// - Parameter isEnding: Whether the process ends, so that waiting for another node has no use.
  /// - Throws: ``StoreProblem`` if the database cannot be used.
  package init(
    _ address: PostgresAddress, limits: SessionLimits = SessionLimits(),
    feedLimits: FeedLimits = FeedLimits(), zone: @escaping @Sendable (String) -> ZoneRules?,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8],
    versions: FoldVersions = FoldVersions(tzdata: nil),
    pendingByteCountMax: Int = SQLiteSessionLog.pendingByteCountMax,
    storeByteCountMax: Int = .max, keyCountMax: Int? = nil,
    afterIteration: @escaping AfterIteration = { $1() }, isEnding: () -> Bool = { false },
    notify: @escaping @Sendable (StoreNotice) -> Void
  ) throws(StoreProblem) {
    self.address = address
    self.limits = limits
    self.versions = versions
    self.digest = digest
    self.keyCountMax = keyCountMax
    self.afterIteration = afterIteration
    self.notify = notify
    state = Mutex(
      PendingRecords(
        byteCountMax: pendingByteCountMax, logByteCountMax: limits.logBytes,
        storeByteCountMax: storeByteCountMax))
    definitions = StoredDefinitions(zone: zone, digest: digest)
    reports = PostgresReports(notify: notify)
    let name = "pickerd-\(UUID().uuidString.prefix(8))"
    reader = PostgresReader(address, name: "\(name)-loads")
    historyReader = PostgresReader(address, name: "\(name)-history")
    do {
      let connection = try PostgresConnection(address, name: name)
      let opened = try PostgresSchema.open(connection, address) { isFirst in
        if isFirst {
          notify(
            .message(
              "the store \(address) has another history, as after a failover: waiting for another "
                + "node, which knows whether commits are missing"))
        }
        return !isEnding()
      }
      writer = try PostgresWriter(
        connection, address, name: "\(name)-writer", limits, feedLimits, versions, digest: digest)
      // While this waited for the lock, pickerd move may have begun, and ended early.
      if let problem = try PostgresSchema.problem(of: address, connection) { throw problem }
      feed = try PostgresFeed(connection, PostgresReader(address, name: "\(name)-feed"))
      follower = try PostgresFollower(
        address, name: "\(name)-follower", incarnation: writer.incarnation, reports, definitions,
        feed, confirming: PostgresReader(address, name: "\(name)-confirmer"),
        witness: writer.witness)
      restored = try PostgresSessionLog.adoptAtStart(by: writer.incarnation, connection)
      ticketKey = [UInt8](
        try connection.run("SELECT ticket_key FROM store").data(0, 0) ?? Data())
      hasLostHistory = opened.hasLostHistory
      try writer.clockDoubt.check(connection)
      try count(connection)
    } catch let problem as StoreProblem {
      throw problem
    } catch {
      throw StoreProblem("cannot open the store \(address): \(error)")
    }
    deleteEndedLater()
    follower.start(for: self)
    feed.afterCursors { [weak follower] in follower?.announceCursors() }
  }

  deinit { follower.stop() }

  /// Adopts the sessions of nodes that have stopped, if this is the only one. Otherwise a sweep
  /// does, because the others may serve them by now.
  private static func adoptAtStart(
    by node: Int, _ connection: PostgresConnection
  ) throws(PostgresError) -> [DormantSession] {
    let stopped = try PostgresOrphans.stoppedNodes(connection)
    guard try !PostgresOrphans.hasOthers(than: node, stopped: stopped, connection) else {
      return []
    }
    return try PostgresOrphans.adopt(stopped, by: node, connection)
  }

  package var canLoad: Bool { true }

  /// The reason why the database cannot be written; `nil` while it can.
  package var failure: String? { state.withLock { $0.failure } }

  /// Calls `reply` at once: a new process could not reach a database that does not answer either.
  package func answer(_ reply: @escaping @Sendable () -> Void) { reply() }

  package func afterWriting(_ reply: @escaping @Sendable () -> Void) { queue.async(execute: reply) }

  /// The number of batches committed since the start.
  package var batchCount: Int { state.withLock { $0.batchCount } }

  /// The durations and sizes of the batches since the start.
  package var figures: StoreFigures { state.withLock { $0.figures } }

  package func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    if case .created(let origin) = record {
      reports.use { $0.create(session, epoch: origin.epoch) }
    }
    // Other nodes do not store events after the end.
    if case .ended = record, !deferred.withLock({ addDeferred(of: session, &$0) }) {
      return .failed
    }
    let outcome = add(.log(record, session), needsBudget: record.needsBudget)
    if case .created(let origin) = record { note(outcome, of: origin) }
    return outcome
  }

  private func note(_ outcome: AppendOutcome, of origin: SessionOrigin) {
    if outcome == .pending {
      creations.withLock { $0.append(SharedCount(origin)) }
    } else {
      reports.use { $0.remove(origin.id) }
    }
  }

  package func feed(_ record: FeedRecord, of session: SessionID) -> Bool {
    let epoch = reports.use { $0.epoch(of: session) }
    return deferred.withLock { deferred in
      guard record.isOwn || deferred.byteCount >= DeferredEvents.byteCountMax else {
        deferred.add(record, of: session, epoch: epoch)
        return true
      }
      return addDeferred(of: session, &deferred)
        && add(.feed(record, session), needsBudget: false) == .pending
    }
  }

  /// Adds the events of other nodes' entries to the next batch; they are stored once.
  ///
  /// - Returns: Whether all were accepted. The others still wait.
  func addDeferred(of session: SessionID, _ deferred: inout DeferredEvents) -> Bool {
    while let record = deferred.first(of: session) {
      guard add(.feed(record, session), needsBudget: false) == .pending else { return false }
      deferred.removeFirst(of: session)
    }
    return true
  }

  package func store(_ snapshot: LogSnapshot, of session: SessionID) -> Bool {
    let byteCount = snapshot.byteCount
    guard deferred.withLock({ addDeferred(of: session, &$0) }),
      state.withLock({ $0.beginEncoding(byteCount) })
    else { return false }
    encodingQueue.async {
      let encoded = EncodedSnapshot(snapshot, digest: self.digest)
      let add: @Sendable () -> Void = {
        let outcome = self.add(.snapshot(encoded, session), needsBudget: false)
        self.state.withLock { $0.endEncoding(byteCount) }
        if outcome == .failed { self.reports.lost([session]) }
      }
      // It deletes entries that other nodes may be about to read.
      let isUrgent = snapshot.isIdle || self.follower.isAlone
      if isUrgent { add() } else { self.addLater(add) }
    }
    return true
  }

  private func addLater(_ add: @escaping @Sendable () -> Void) {
    delayed.withLock { $0.append((.now + .seconds(2), add)) }
    queue.asyncAfter(deadline: .now() + 2) { self.addDelayed(1) }
  }

  private func addDelayed(_ count: Int) {
    let due = delayed.withLock { delayed in
      defer { delayed.removeFirst(min(count, delayed.count)) }
      return delayed.prefix(count)
    }
    for (_, add) in due { add() }
  }

  private func add(_ record: StoreRecord, needsBudget: Bool) -> AppendOutcome {
    let (outcome, startsBatch, count) = state.withLock { state in
      let (outcome, startsBatch) = state.add(record, needsBudget: needsBudget)
      return (outcome, startsBatch, state.records.count)
    }
    if startsBatch {
      queueBatch(of: record.session)
    } else if outcome == .pending, count == PostgresSessionLog.earlyCount {
      queue.async { self.writeAndRead() }
    }
    return outcome
  }

  func queueBatch(of session: SessionID) {
    afterIteration(session) { self.queue.async { self.writeAndRead() } }
  }

  /// Writes all pending records, then starts the pending loads. So a session is loaded when every
  /// record appended for it is stored or lost, and its hub was notified of that.
  private func writeAndRead() {
    var batch: PendingRecords.Batch
    repeat {
      batch = state.withLock { $0.takeBatch(of: PostgresSessionLog.batchCountMax) }
      if !batch.records.isEmpty { commit(batch) }
    } while batch.isPartial
    var loads = batch.loads[...]
    while !loads.isEmpty {
      let part = Array(loads.prefix(PostgresSessionLog.loadCountMax))
      loads = loads.dropFirst(part.count)
      readingQueue.async { self.read(part) }
    }
  }

  /// Waits until all records appended so far are stored or lost.
  package func flush() {
    encodingQueue.drain()
    if let due = delayed.withLock({ $0.last?.due }) {
      Thread.sleep(forTimeInterval: max(0, (due - .now) / .seconds(1)))
      addDelayed(.max)
    }
    queue.sync { writeAndRead() }
  }
}
