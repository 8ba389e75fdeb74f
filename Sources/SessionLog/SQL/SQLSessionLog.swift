package import CivilTime
import Foundation
package import PickerHub
package import PickerModel
package import PickerSession
import Synchronization

/// The logs of all sessions in an SQL database.
///
/// A queue of its own writes. Records that are appended during an event-loop iteration, or while a
/// transaction commits, are pending; the next transaction stores all of them, so that many sessions
/// share one flush of the disk. Appending never blocks. Several hubs may use one log, each from its
/// own thread and for its own sessions.
///
/// A database that several processes share gives each session one owner, see ``SQLOwnership``. An
/// SQLite file has a single writer, which owns everything.
/// - Source: ARCHITECTURE.md, invariants 2 and 4; "A session has one owner".
package final class SQLSessionLog: SessionLog, @unchecked Sendable {
  let engine: any SQLEngine
  package var location: String { engine.location }
  /// Whether other processes own sessions of the same database.
  package var isClustered: Bool { engine.isClustered }
  /// Used on ``readingQueue`` only, except `make(_:)`, which uses no table.
  let definitions: StoredDefinitions
  /// Counts definitions.
  let memory: (any MemoryAccount)?
  /// The queue of all writing transactions.
  let queue: any WorkQueue
  /// Reloads sessions, one at a time, so that reloading does not take all cores from the event
  /// loops.
  let readingQueue: any WorkQueue
  /// Reads pages of the history, so that they do not delay reloads.
  let historyQueue: any WorkQueue
  /// Looks up the owners of sessions. Anybody can ask for any number of ids.
  let ownerQueue: any WorkQueue
  /// The look-ups that have not begun.
  let ownerLookUps = Mutex(OwnerLookUps())
  /// Encodes snapshots, so that this does not delay batches.
  let encodingQueue: any WorkQueue
  let scheduler: any StoreScheduler
  let limits: SessionLimits
  let versions: FoldVersions
  let digest: @Sendable ([UInt8]) -> [UInt8]
  let clockDoubt: ClockDoubt
  let state: Mutex<PendingRecords>
  let notify: @Sendable (StoreNotice) -> Void
  /// The events of all sessions.
  package let feed: SQLFeed
  /// The sessions that this process owns; empty if it is the only writer.
  let owned = Mutex<Set<SessionID>>([])
  /// When the last transaction began that was committed.
  let provenAt: Mutex<ContinuousClock.Instant>
  let counts = Mutex(SessionCounts())
  /// Sessions that members have joined since the last batch.
  private let visited = Mutex<Set<SessionID>>([])
  let releases = Mutex(PendingReleases())
  let sharedVersions = Mutex(SharedVersions())
  /// See ``Settings/unusedSeconds``.
  let unusedSeconds: Int?
  let changes = Mutex(StoreChanges())
  private let afterIteration: AfterIteration
  /// The number of idempotency keys above which the oldest are deleted; `nil`: none is.
  let keyCountMax: Int?
  /// Used on ``queue`` only, as those after it.
  private let writer: SQLWriter
  let inventories: SQLInventories
  let inventoryTime: InventoryTime
  let inventoryTimes = Mutex(InventoryTimes())
  let ownership: SQLOwnership?
  private var connection: (any SQLConnection)?
  /// A batch of which it is not known whether it is committed, and what becomes of it if it is.
  private var unknown: (number: Int, result: SQLWriter.Result)?
  /// The number of the last committed transaction of a store with a single writer; `nil`: it is
  /// only in the store.
  private var lastBatch: Int?
  /// The pages that were written since the store's size was read.
  private var unsizedPageCount = 0
  /// The number of connections so far, and of claims that have shown a renewal: what was claimed
  /// before is claimed again.
  var generation = 0
  /// The number of this node in a database that several share.
  let number = Mutex<Int64?>(nil)
  let livingNodes = Mutex(1)
  /// The claims of sessions whose loads have not begun, and the generations of their connections.
  var claimed: [SessionID: (claim: SQLOwnership.Claim, generation: Int)] = [:]
  /// The last warning about the addresses of nodes.
  var addressWarning: String?
  /// When the nodes that have stopped were first seen.
  var stoppedSince: [Int64: ContinuousClock.Instant] = [:]
  var hasClosed = false
  package let restored: [DormantSession]
  package let restoredNames: StoredNames
  package let hasLostHistory: Bool
  package let ticketKey: [UInt8]

  /// The maximum of bytes of pending records, and of snapshots that are not encoded yet; further
  /// appends fail.
  package static let pendingByteCountMax = 67_108_864
  /// ``Settings/waitTime``
  let waitTime: Duration
  /// How long after the begin of a commit no other node claims a session of this one, also if it
  /// has lost its connection meanwhile.
  static let certainTime = Duration.milliseconds(1500)
  /// The time between the first two attempts.
  private static let firstPause = Duration.milliseconds(50)
  /// The pages after which the store's size is read again: that costs as much as storing a command.
  private static let unsizedPageCountMax = 256
  /// The maximum of records of a transaction of several nodes: while one is committed, the hubs
  /// work on the answers of the one before.
  private static let batchCountMax = 1000

  /// How a store is used.
  package struct Settings {
    /// The limits of new sessions.
    package var limits = SessionLimits()
    package var feedLimits = FeedLimits()
    /// Zone rules by IANA name; called on any thread.
    package var zone: @Sendable (String) -> ZoneRules?
    /// A one-way hash; called on any thread.
    package var digest: @Sendable ([UInt8]) -> [UInt8]
    /// Counts definitions.
    package var memory: (any MemoryAccount)?
    /// The versions of the rules and the zone database of this process.
    package var versions = FoldVersions(tzdata: nil)
    package var pendingByteCountMax = SQLSessionLog.pendingByteCountMax
    /// The maximum of bytes in use.
    package var storeByteCountMax = Int.max
    package var keyCountMax: Int?
    /// How long a shared definition exists that no session uses; `nil`: until it is deleted.
    package var unusedSeconds: Int?
    /// Where this process accepts connections of other nodes; `nil`: nowhere.
    package var nodeAddress: String?
    /// The time for which a batch waits for a connection to the database.
    package var waitTime = Duration.seconds(10)
    package var scheduler: any StoreScheduler = SystemScheduler()
    /// Called on the threads of the hubs and of the store. Default: runs the work at once.
    package var afterIteration: AfterIteration = { $0() }
    /// Called on the store's threads.
    package var notify: @Sendable (StoreNotice) -> Void

    package init(
      zone: @escaping @Sendable (String) -> ZoneRules?,
      digest: @escaping @Sendable ([UInt8]) -> [UInt8],
      notify: @escaping @Sendable (StoreNotice) -> Void
    ) {
      (self.zone, self.digest, self.notify) = (zone, digest, notify)
    }
  }

  /// Opens a store whose schema is current.
  ///
  /// - Parameters:
  ///   - connection: The writing connection.
  ///   - hasLostHistory: See the property of this name.
  init(
    _ engine: any SQLEngine, _ connection: any SQLConnection, _ settings: Settings,
    hasLostHistory: Bool
  ) throws {
    self.engine = engine
    self.connection = connection
    let scheduler = settings.scheduler
    self.scheduler = scheduler
    inventoryTime = InventoryTime { scheduler.now }
    provenAt = Mutex(scheduler.instant)
    queue = scheduler.queue("store", isPatient: false)
    readingQueue = scheduler.queue("store.reading", isPatient: false)
    historyQueue = scheduler.queue("store history", isPatient: true)
    ownerQueue = scheduler.queue("store.owners", isPatient: false)
    encodingQueue = scheduler.queue("store encoding", isPatient: true)
    (limits, versions, digest) = (settings.limits, settings.versions, settings.digest)
    inventories = SQLInventories(digest: settings.digest)
    (afterIteration, notify) = (settings.afterIteration, settings.notify)
    (keyCountMax, unusedSeconds) = (settings.keyCountMax, settings.unusedSeconds)
    waitTime = settings.waitTime
    state = Mutex(
      PendingRecords(
        byteCountMax: settings.pendingByteCountMax, logByteCountMax: settings.limits.logBytes,
        storeByteCountMax: settings.storeByteCountMax))
    memory = settings.memory
    definitions = StoredDefinitions(
      zone: settings.zone, memory: settings.memory, digest: settings.digest)
    writer = SQLWriter(
      settings.limits, settings.feedLimits, settings.versions, inventories,
      digest: settings.digest)
    let doubt = ClockDoubt(
      lastWritten: try connection.value("SELECT written_at FROM store", as: Int64.self),
      now: scheduler.now)
    clockDoubt = doubt
    ticketKey = [UInt8](try connection.value("SELECT ticket_key FROM store") ?? Data())
    var isBroken = hasLostHistory
    ownership = try engine.locks.map { locks in
      let ownership = SQLOwnership(locks, address: settings.nodeAddress, scheduler)
      if case .broken = try ownership.connected(connection, owning: []) { isBroken = true }
      try ownership.observe(connection)
      return ownership
    }
    self.hasLostHistory = isBroken
    number.withLock { [ownership] in $0 = ownership?.node }
    feed = try SQLFeed(engine, scheduler.queue("store.feed", isPatient: false))
    let now = scheduler.now
    (restored, restoredNames) =
      engine.isClustered
      ? ([], StoredNames())
      : try engine.read { connection in
        let sessions = try connection.rows(
          "SELECT \(DormantSession.columns) FROM session WHERE NOT ended"
        ) { try DormantSession($0, doubt, at: now) }
        return (sessions, try StoredNames(connection, doubt))
      }
    if let byteCount = try engine.usedByteCount(connection) {
      state.withLock { $0.noteStoreSize(byteCount) }
    }
    if engine.isClustered { try count(connection) }
    feed.write { [weak self] change in self.map { $0.change(change) } ?? change.fail() }
    try beginWork(connection)
  }

  private func beginWork(_ connection: any SQLConnection) throws {
    let version: Int? = try connection.value("SELECT shared_version FROM store")
    sharedVersions.withLock { state in
      state.newest = version ?? 0
      state.note(version: state.newest)
    }
    engine.whenNotified { [weak self] in
      self?.feed.lookLater(atCursors: false)
      self?.lookForShared()
      self?.lookForInventories()
    }
    lookForInventories()
    deleteEndedLater()
    deleteUnusedLater()
    sweepLater()
  }

  /// Opens a store that may have no tables yet.
  package convenience init(_ engine: any SQLEngine, _ settings: Settings) throws {
    let connection = try engine.connect()
    try connection.transaction { try SQLSchema.open(connection, of: engine.location) }
    try self.init(engine, connection, settings, hasLostHistory: false)
  }

  /// Milliseconds since 1970.
  var now: Int64 { scheduler.now }

  package var canLoad: Bool { true }
  package var clusterCount: ClusterCount? { isClustered ? counts.withLock { $0.total } : nil }
  /// The number of this node in a database that several share.
  package var node: Int64? { number.withLock { $0 } }
  /// The number of living nodes of such a database, at the last sweep.
  package var nodeCount: Int? { isClustered ? livingNodes.withLock { $0 } : nil }
  package var failure: String? { state.withLock { $0.failure } }
  package var batchCount: Int { state.withLock { $0.batchCount } }
  package var figures: StoreFigures { state.withLock { $0.figures } }

  package func answer(_ reply: @escaping @Sendable () -> Void) {
    // A new process could not reach a database that does not answer, either.
    if isClustered { reply() } else { queue.async(reply) }
  }

  package func afterWriting(_ reply: @escaping @Sendable () -> Void) { queue.async(reply) }
}

/// Appending.
extension SQLSessionLog {
  package func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    let outcome = add(.log(record, session), needsBudget: record.needsBudget)
    if case .created(let origin, _, _) = record, isClustered, outcome == .pending {
      counts.withLock { $0.add(origin) }
    }
    return outcome
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

  package func noteVisit(of session: SessionID) {
    visited.withLock { _ = $0.insert(session) }
    if state.withLock({ $0.requestBatch() }) { queueBatch() }
  }

  package func released(_ session: SessionID) {
    let number = releases.withLock { $0.request(session) }
    // After the snapshots that were stored before.
    encodingQueue.async {
      self.releases.withLock { $0.beginWriting(session, number) }
      if self.state.withLock({ $0.requestBatch() }) { self.queueBatch() }
    }
  }

  private func add(_ record: StoreRecord, needsBudget: Bool) -> AppendOutcome {
    let (outcome, startsBatch) = state.withLock { $0.add(record, needsBudget: needsBudget) }
    if startsBatch { queueBatch() }
    return outcome
  }

  func queueBatch() {
    afterIteration { self.queue.async { self.writeAndRead() } }
  }

  /// Writes all pending records, then starts the pending loads. So a session is loaded when every
  /// record appended for it is stored or lost, and its hub was notified of that.
  private func writeAndRead() {
    var batch: PendingRecords.Batch
    repeat {
      batch = state.withLock {
        $0.takeBatch(of: isClustered ? SQLSessionLog.batchCountMax : .max)
      }
      let hasFailed = failure != nil
      let visited = visited.withLock { visited in
        if hasFailed { return Set<SessionID>() }
        defer { visited = [] }
        return visited
      }
      // Not before records that were appended before.
      let released = batch.isPartial || hasFailed ? [] : releases.withLock { $0.take() }
      if !batch.records.isEmpty || !visited.isEmpty || !released.isEmpty {
        commit(batch, visited: visited, released: released)
      }
    } while batch.isPartial
    if !batch.loads.isEmpty { claim(batch.loads) }
  }

  /// Waits until all records appended so far are stored or lost.
  package func flush() {
    encodingQueue.drain()
    queue.async { self.writeAndRead() }
    queue.drain()
  }

  /// Stores everything, and gives up what this process owns.
  package func close() {
    flush()
    queue.async { self.leave() }
    queue.drain()
  }

  /// As ``close()``, but returns at once, and leaves a store with a single writer open.
  package func giveUp() {
    guard isClustered else { return }
    // After the snapshots that were stored before.
    encodingQueue.async { self.queue.async { self.leave() } }
  }

  private func leave() {
    if hasClosed { return }
    writeAndRead()
    if isClustered {
      // What is appended or read from now on is another node's.
      state.withLock { $0.failure = "this node shuts down, and has given up its sessions" }
      provenAt.withLock { $0 -= SQLSessionLog.certainTime }
      writeAndRead()
    }
    hasClosed = true
    guard let connection = try? connected() else { return }
    try? ownership?.unregister(connection)
    engine.settle(connection)
  }
}

/// Committing.
extension SQLSessionLog {
  /// The writing connection, or a new one.
  ///
  /// - Throws: The database's error, ``HistoryIsBroken`` or ``IsForgotten``.
  func connected() throws -> any SQLConnection {
    if let connection { return connection }
    let fresh = try engine.connect()
    guard let ownership else {
      connection = fresh
      return fresh
    }
    let sessions = owned.withLock { $0 }
    let history = ownership.history
    let continuation = try ownership.connected(fresh, owning: sessions)
    connection = fresh
    generation += 1
    number.withLock { $0 = ownership.node }
    let problem: any Error
    switch continuation {
    case .unbroken(var taken):
      if let unknown, ownership.batch >= unknown.number {
        // This node has ended them itself.
        taken = taken.filter { unknown.result.byteCounts[$0] != .some(nil) }
        self.unknown?.result.taken.formUnion(taken)
      }
      disown(taken)
      if !taken.isEmpty { notify(.taken(Array(taken))) }
      // What other nodes have committed may be lost.
      if ownership.history != history { forgetInventories() }
      return fresh
    case .forgotten:
      notify(.taken(Array(sessions)))
      problem = IsForgotten()
    case .broken:
      notify(.lost(sessions.sorted { $0.text < $1.text }))
      problem = HistoryIsBroken()
    }
    unknown = nil
    disown(owned.withLock { $0 })
    forgetInventories()
    throw problem
  }

  /// Committed transactions of this node are missing.
  private struct HistoryIsBroken: Error, CustomStringConvertible {
    let description =
      "what this node has committed is missing, as after a failover or a restore: its sessions "
      + "have a new epoch"
  }

  /// Other nodes have taken this one for stopped.
  private struct IsForgotten: Error, CustomStringConvertible {
    let description = "other nodes have taken over its sessions while this one was cut off"
  }

  /// Whether a call may succeed if it is repeated.
  func isTransient(_ error: any Error) -> Bool {
    engine.isTransient(error) || error is SQLOwnership.FormerConnection
  }

  /// Forgets the writing connection if an error has shown that it is lost.
  private func noteError(_ error: any Error) {
    writer.forget()
    lastBatch = nil
    guard engine.isLost(error) || error is SQLOwnership.RowIsGone else { return }
    connection = nil
    // Its lock may be free already.
    provenAt.withLock { $0 = scheduler.instant - SQLSessionLog.certainTime }
  }

  /// Runs `body` in a numbered transaction, over several connections if needed.
  ///
  /// - Parameter isRepeatable: Whether `body` runs again after an attempt that may be committed.
  ///   Otherwise the number of the node's last transaction shows whether it is.
  /// - Throws: The last error, after ``Settings/waitTime``.
  func transaction<Value>(
    isRepeatable: Bool = true, _ body: (any SQLConnection) throws -> Value
  ) throws -> Value {
    var written: (number: Int, value: Value)?
    return try retrying {
      let connection = try connected()
      if let written, let ownership, ownership.batch >= written.number { return written.value }
      written = nil
      return try attempt(connection, body) { if !isRepeatable { written = ($0, $1) } }.value
    }
  }

  /// Runs `body` again after errors that may pass, for ``Settings/waitTime``.
  private func retrying<Value>(_ body: () throws -> Value) throws -> Value {
    let begin = scheduler.instant
    var pause = SQLSessionLog.firstPause
    while true {
      do {
        return try body()
      } catch {
        noteError(error)
        let isLate = scheduler.instant > begin + waitTime
        guard isTransient(error), !isLate, !hasClosed else { throw error }
        scheduler.sleep(pause)
        pause = min(.milliseconds(250), pause * 2)
      }
    }
  }

  /// Runs `body` in a numbered transaction.
  ///
  /// - Parameter isWritten: Called before the transaction is committed, with its number.
  private func attempt<Value>(
    _ connection: any SQLConnection, _ body: (any SQLConnection) throws -> Value,
    isWritten: (_ number: Int, Value) -> Void = { _, _ in }
  ) throws -> (value: Value, number: Int) {
    let begin = scheduler.instant
    try connection.send(connection.dialect.beginWriting)
    do {
      let number = try number(connection)
      let value = try body(connection)
      try ownership?.check(connection)
      isWritten(number, value)
      try connection.run("COMMIT")
      if let ownership { ownership.committed(number) } else { lastBatch = number }
      if isClustered { provenAt.withLock { $0 = begin } }
      return (value, number)
    } catch {
      connection.rollBack()
      throw error
    }
  }

  private func number(_ connection: any SQLConnection) throws -> Int {
    if let ownership { return try ownership.number(connection) }
    let last = try lastBatch ?? connection.value("SELECT batch FROM store") ?? 0
    // Unknown until this transaction is committed. Without RETURNING, for which SQLite opens a
    // table: a quarter of what a lone command costs.
    lastBatch = nil
    try connection.send(
      "UPDATE store SET batch = $1, written_at = coalesce($2, written_at)",
      [last + 1, clockDoubt.isOver ? now : nil])
    return last + 1
  }

  /// The size of the store, if it may have changed much or is near its maximum, so that the limit
  /// holds as if it were read after each batch; `nil` also if it is not known.
  private func storeByteCount(_ connection: any SQLConnection) -> Int? {
    unsizedPageCount += engine.takeWrittenPageCount(connection)
    let isNearlyFull = state.withLock { $0.isStoreNearlyFull }
    guard isNearlyFull || unsizedPageCount >= SQLSessionLog.unsizedPageCountMax else { return nil }
    unsizedPageCount = 0
    return (try? engine.usedByteCount(connection)) ?? nil
  }

  private func commit(
    _ batch: PendingRecords.Batch, visited: Set<SessionID>, released: Set<SessionID>
  ) {
    let begin = scheduler.instant
    do {
      let written = try retrying {
        let written = try write(batch, visited: visited, released: released)
        try engine.committed(written.number)
        return written
      }
      disown(released)
      releases.withLock { $0.written() }
      committed(batch, written.result, written.storeByteCount, begin: begin)
    } catch {
      self.visited.withLock { $0.formUnion(visited) }
      releases.withLock { $0.putBack() }
      unknown = nil
      fail(batch.records, error)
    }
  }

  /// Commits a batch, unless a former attempt has.
  private func write(
    _ batch: PendingRecords.Batch, visited: Set<SessionID>, released: Set<SessionID>
  ) throws -> (result: SQLWriter.Result, number: Int, storeByteCount: Int?) {
    let connection = try connected()
    if let unknown, let ownership {
      self.unknown = nil
      if ownership.batch >= unknown.number { return (unknown.result, unknown.number, nil) }
    }
    let committed = try attempt(connection) { connection in
      try writer.write(
        batch.records, visited: visited, released: released, as: ownership?.node,
        isClockPlausible: clockDoubt.isOver, at: now, inventoriesAt: inventoryTime.now, connection)
    } isWritten: { number, result in
      if isClustered { unknown = (number, result) }
    }
    unknown = nil
    return (committed.value, committed.number, storeByteCount(connection))
  }

  /// Adds events to the feed that no record of a session has.
  func write(_ events: [FeedEvent], _ connection: any SQLConnection) throws -> FeedNews? {
    try writer.write(
      events, as: ownership?.node, isClockPlausible: clockDoubt.isOver, at: now, connection)
  }

  private func committed(
    _ batch: PendingRecords.Batch, _ result: SQLWriter.Result, _ storeByteCount: Int?,
    begin: ContinuousClock.Instant
  ) {
    state.withLock { state in
      state.committed(batch, begin: begin)
      if let storeByteCount { state.noteStoreSize(storeByteCount) }
      for (session, byteCount) in result.byteCounts { state.note(byteCount, of: session) }
    }
    if isClustered {
      disown(result.created)
      disown(result.byteCounts.filter { $0.value == nil }.keys)
    }
    let absent = result.taken.union(result.refused)
    disown(absent)
    let stored = batch.records.committed(result.outcomes)
    notify(.committed(absent.isEmpty ? stored : stored.filter { !absent.contains($0.session) }))
    if !result.refused.isEmpty { notify(.refused(Array(result.refused))) }
    if !result.lost.isEmpty { notify(.lost(result.lost)) }
    if !result.taken.isEmpty { notify(.taken(Array(result.taken))) }
    if let news = result.news { feed.signal.advance(news) }
    note(result.inventories)
    if result.hasEnded { deleteEndedLater() }
  }

  package var isCertain: Bool {
    !isClustered || scheduler.instant < provenAt.withLock { $0 } + SQLSessionLog.certainTime
  }

  package func confirm(
    _ session: SessionID, completion: @escaping @Sendable (_ isConfirmed: Bool) -> Void
  ) {
    let isAnswered = Atomic(false)
    let answer = { @Sendable (isConfirmed: Bool) in
      if isAnswered.exchange(true, ordering: .relaxed) { return }
      self.notify(.run(session) { completion(isConfirmed) })
    }
    queue.async {
      // The first of several that wait stores something for all.
      if self.failure == nil && !self.isCertain {
        do { try self.transaction { _ in } } catch { self.fail([], error) }
      }
      answer(self.failure == nil)
    }
    scheduler.after(waitTime, on: encodingQueue) { answer(false) }
  }

  func disown(_ sessions: some Collection<SessionID>) {
    guard isClustered, !sessions.isEmpty else { return }
    owned.withLock { $0.subtract(sessions) }
    state.withLock { state in for session in sessions { state.note(nil, of: session) } }
  }
}

/// Failure of the database: no append is accepted until it can be written again.
extension SQLSessionLog {
  /// Stops accepting appends, and reports the pending records as lost; of a database that several
  /// nodes share, all sessions of this one: others may own them by now.
  func fail(_ records: [StoreRecord], _ error: any Error) {
    let sentence = sentence(error)
    let (later, isFirst) = state.withLock { state in
      defer { state.failure = sentence }
      return (state.failed(), state.failure == nil)
    }
    notify(.message(sentence))
    // A session with a lost snapshot is lost too: its list of spent entries is gone, and only a
    // reload makes it again.
    var lost = Set((records + later).sessions)
    if isClustered {
      lost.formUnion(owned.withLock { $0 })
      counts.withLock { $0.forgetCreations() }
    }
    notify(.lost(lost.sorted { $0.text < $1.text }))
    if isFirst { probeLater(error) }
  }

  private func sentence(_ error: any Error) -> String {
    "the store \(location) is not writable: \(error)"
  }

  private func probeLater(_ error: any Error) {
    // A damaged store does not recover by waiting. The next start checks it and reports what to do.
    if engine.isFinal(error) || hasClosed { return }
    scheduler.after(.milliseconds(500), on: queue) { self.probe() }
  }

  /// Tries to write to the store; on success accepts appends again.
  private func probe() {
    do {
      let connection = try connected()
      try engine.probe(connection)
      try ownership?.giveUp(besides: owned.withLock { $0 }, connection)
      state.withLock { $0.failure = nil }
      notify(.message("the store \(location) is writable again"))
      deleteEndedLater()
      writeAndRead()
    } catch {
      noteError(error)
      state.withLock { $0.failure = sentence(error) }
      probeLater(error)
    }
  }
}

/// Deletes the rows of ended sessions in parts, between the batches.
extension SQLSessionLog {
  /// The time between two transactions: each flushes the disk, and a batch may have to wait for it.
  private static let pause = Duration.milliseconds(25)

  /// Starts deleting, unless it is running already or the store has failed.
  func deleteEndedLater() {
    let isFirst = state.withLock { state in
      defer { state.isDeleting = true }
      return !state.isDeleting && state.failure == nil
    }
    if isFirst { deleteNextPart() }
  }

  /// Pending batches run before it, because the queue is first in, first out.
  private func deleteNextPart() {
    scheduler.after(SQLSessionLog.pause, on: queue) { self.deletePart() }
  }

  private func deletePart() {
    if hasClosed { return }
    let isDone = try? { () throws -> Bool in
      let connection = try connected()
      let isDone = try connection.transaction { try EndedRows.deletePart(connection) }
      if let byteCount = try engine.usedByteCount(connection) {
        state.withLock { $0.noteStoreSize(byteCount) }
      }
      return isDone
    }()
    guard isDone == false else { return state.withLock { $0.isDeleting = false } }
    deleteNextPart()
  }
}

/// The rows of ended sessions that a transaction deletes.
struct EndedRows {
  private var rowCount = 0
  private var byteCount = 0
  private var isFull = false

  private static let rowCountMax = 250
  /// The maximum of bytes, unless a single row has more.
  private static let byteCountMax = 1_048_576

  /// Deletes rows of an ended session: the snapshots, the definitions, the entries, and last the
  /// session itself.
  ///
  /// - Returns: Whether no rows remain.
  static func deletePart(_ connection: any SQLConnection) throws -> Bool {
    let found = try connection.first(
      """
      SELECT number, length(origin) FROM session WHERE ended ORDER BY number LIMIT 1
      \(connection.dialect.forUpdateSkippingLocked)
      """
    ) { row in (number: try row[0] as Int64, size: try row[1] as Int) }
    guard let found else { return true }
    var part = EndedRows()
    try part.delete(from: "snapshot", by: "sequence", of: found.number, connection)
    try part.delete(from: "definition", by: "digest", of: found.number, connection)
    try part.delete(from: "entry", by: "sequence", of: found.number, connection)
    if part.add(found.size) {
      try connection.run("DELETE FROM session WHERE number = $1", [found.number])
    }
    return false
  }

  /// Adds a row of `size` bytes.
  ///
  /// - Returns: Whether it fits. If not, no other row is added.
  private mutating func add(_ size: Int) -> Bool {
    let hasRoom = rowCount < EndedRows.rowCountMax && byteCount + size <= EndedRows.byteCountMax
    isFull = isFull || (rowCount > 0 && !hasRoom)
    if isFull { return false }
    rowCount += 1
    byteCount += size
    return true
  }

  /// Deletes the first rows of a session in a table, in the order of `key`, as many as fit.
  private mutating func delete(
    from table: String, by key: String, of number: Int64, _ connection: any SQLConnection
  ) throws {
    let sizes = try connection.rows(
      "SELECT length(body) FROM \(table) WHERE session = $1 ORDER BY \(key) LIMIT $2",
      [number, EndedRows.rowCountMax + 1]
    ) { row in try row[0] as Int }
    let count = sizes.prefix { add($0) }.count
    if count == 0 { return }
    try connection.run(
      """
      DELETE FROM \(table) WHERE session = $1 AND \(key) IN
        (SELECT \(key) FROM \(table) WHERE session = $1 ORDER BY \(key) LIMIT $2)
      """, [number, count])
  }
}
