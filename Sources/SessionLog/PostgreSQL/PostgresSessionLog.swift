import BackgroundWork
package import CivilTime
import Foundation
package import PickerHub
import PickerModel
package import PickerSession
import Synchronization

/// The logs of all sessions in a PostgreSQL database.
///
/// As in ``SQLiteSessionLog``, a queue of its own writes, and what is appended while a transaction
/// commits goes into the next one. Reloads, the history and the feed have connections of their own.
package final class PostgresSessionLog: SessionLog, @unchecked Sendable {
  let address: PostgresAddress
  /// The database without credentials, for messages.
  package var location: String { address.description }
  let definitions: StoredDefinitions
  /// The queue of all writing transactions.
  let queue = DispatchQueue(label: "pickerd.store")
  /// Used on ``queue`` only.
  let writer: PostgresWriter
  /// Reloads sessions, one at a time.
  let readingQueue = DispatchQueue(label: "pickerd.store.reading")
  let reader: PostgresReader
  /// Reads pages of the history and deletes ended sessions.
  let historyQueue = BackgroundQueue(name: "store history")
  let historyReader: PostgresReader
  let encodingQueue = BackgroundQueue(name: "store encoding")
  /// The events of all sessions.
  package let feed: PostgresFeed
  let limits: SessionLimits
  let versions: FoldVersions
  let digest: @Sendable ([UInt8]) -> [UInt8]
  let state: Mutex<PendingRecords>
  /// The sequence numbers of the last entries of sessions that were created or loaded by this
  /// process and have not ended, as their hubs know them.
  let heads = Mutex<[SessionID: Int]>([:])
  let notify: @Sendable (StoreNotice) -> Void
  private let afterIteration: AfterIteration
  /// Sessions that were in the database when it was opened.
  package let restored: [DormantSession]
  package let restoredNames: StoredNames
  /// Whether the database was restored to the past since it was last served, so that every session
  /// has a new epoch.
  package let hasLostHistory: Bool

  /// Connects to a database, and creates or migrates the schema `pickerd` in it.
  ///
  /// - Parameters: As of ``SQLiteSessionLog``.
  /// - Throws: ``StoreProblem`` if the database cannot be used.
  package init(
    _ address: PostgresAddress, limits: SessionLimits = SessionLimits(),
    feedLimits: FeedLimits = FeedLimits(), zone: @escaping @Sendable (String) -> ZoneRules?,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8],
    versions: FoldVersions = FoldVersions(tzdata: nil),
    pendingByteCountMax: Int = SQLiteSessionLog.pendingByteCountMax,
    afterIteration: @escaping AfterIteration = { $1() },
    notify: @escaping @Sendable (StoreNotice) -> Void
  ) throws(StoreProblem) {
    self.address = address
    self.limits = limits
    self.versions = versions
    self.digest = digest
    self.afterIteration = afterIteration
    self.notify = notify
    state = Mutex(
      PendingRecords(byteCountMax: pendingByteCountMax, logByteCountMax: limits.logBytes))
    definitions = StoredDefinitions(zone: zone, digest: digest)
    let name = "pickerd-\(UUID().uuidString.prefix(8))"
    reader = PostgresReader(address, name: name)
    historyReader = PostgresReader(address, name: name)
    do {
      let connection = try PostgresConnection(address, name: name)
      let opened = try PostgresSchema.open(connection)
      writer = try PostgresWriter(
        connection, address, name: "\(name)-writer", limits, feedLimits, versions, digest: digest)
      feed = try PostgresFeed(connection, PostgresReader(address, name: name))
      let found = try PostgresOpening(connection)
      (restored, restoredNames) = (found.sessions, found.names)
      hasLostHistory = opened.hasLostHistory
    } catch let problem as StoreProblem {
      throw problem
    } catch {
      throw StoreProblem("cannot open the store \(address): \(error)")
    }
    deleteEndedLater()
  }

  package var canLoad: Bool { true }

  /// The reason why the database cannot be written; `nil` while it can.
  package var failure: String? { state.withLock { $0.failure } }

  /// Calls `reply` at once: a new process could not reach a database that does not answer either.
  package func answer(_ reply: @escaping @Sendable () -> Void) { reply() }

  /// The number of batches committed since the start.
  package var batchCount: Int { state.withLock { $0.batchCount } }

  /// The durations and sizes of the batches since the start.
  package var figures: StoreFigures { state.withLock { $0.figures } }

  package func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    add(.log(record, session), needsBudget: record.needsBudget)
  }

  package func feed(_ record: FeedRecord, of session: SessionID) -> Bool {
    add(.feed(record, session), needsBudget: false) == .pending
  }

  package func store(_ snapshot: LogSnapshot, of session: SessionID) -> Bool {
    let byteCount = snapshot.byteCount
    guard state.withLock({ $0.beginEncoding(byteCount) }) else { return false }
    encodingQueue.async {
      defer { self.state.withLock { $0.endEncoding(byteCount) } }
      let encoded = EncodedSnapshot(snapshot, digest: self.digest)
      let outcome = self.add(.snapshot(encoded, session), needsBudget: false)
      if outcome == .failed { self.notify(.lost([session])) }
    }
    return true
  }

  private func add(_ record: StoreRecord, needsBudget: Bool) -> AppendOutcome {
    let (outcome, startsBatch) = state.withLock { $0.add(record, needsBudget: needsBudget) }
    if startsBatch { queueBatch(of: record.session) }
    return outcome
  }

  func queueBatch(of session: SessionID) {
    afterIteration(session) { self.queue.async { self.writeAndRead() } }
  }

  /// Writes all pending records in one transaction, then starts the pending loads. So a session is
  /// loaded when every record appended for it is stored or lost, and its hub was notified of that.
  private func writeAndRead() {
    let batch = state.withLock { $0.takeBatch() }
    if !batch.records.isEmpty { commit(batch) }
    for load in batch.loads { readingQueue.async { self.read(load) } }
  }

  /// Waits until all records appended so far are stored or lost.
  package func flush() {
    encodingQueue.drain()
    queue.sync { writeAndRead() }
  }
}
