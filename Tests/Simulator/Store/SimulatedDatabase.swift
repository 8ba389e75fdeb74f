import SessionLog

/// A database in the memory: SQLite, used by one transaction after the other. If several nodes share
/// it, its connections have the faults of a PostgreSQL cluster, else it has those of a disk.
///
/// A transaction takes no simulated time between its begin and its commit. Time passes before it,
/// and until its outcome reaches the node; meanwhile anything may happen.
final class SimulatedDatabase {
  /// An error after which a call may succeed, on another connection if this one is lost.
  struct Fault: Error, CustomStringConvertible {
    let description: String
    var isLost = true
  }

  let time: SimulatedTime
  var random: RandomSource
  let defect: SimulatedDefect?
  /// Whether several nodes share it.
  let isClustered: Bool
  /// Whether connections have faults, for now.
  var isTroubled: Bool
  /// Whether nothing can be read or written, for now.
  var isFailing = false
  /// The number of calls that have failed.
  private(set) var faultCount = 0
  private(set) var store: SQLiteConnection
  /// A former primary, which still answers reads until a time.
  private var former: (store: SQLiteConnection, until: Int64)?
  /// Counts the promotions of standbys.
  private var timeline = 1
  /// The time until which it cannot be reached, in machine milliseconds.
  private var downUntil: Int64 = 0
  /// The connections that have not ended for the database, and what they have locked.
  private var open: [Int: Weak] = [:]
  private var locks: [Int64: Int] = [:]
  private var connectionCount = 0
  /// Called when a transaction with events is committed.
  var notified: () -> Void = {}
  /// Called when a transaction is committed.
  var committed: () -> Void = {}
  /// Called when a call fails.
  var faulted: () -> Void = {}
  /// Called when a standby is promoted.
  var promoted: () -> Void = {}

  private struct Weak { weak var connection: SimulatedConnection? }

  init(
    _ time: SimulatedTime, _ random: RandomSource, isClustered: Bool = true,
    defect: SimulatedDefect? = nil
  ) {
    self.time = time
    self.random = random
    self.defect = defect
    self.isClustered = isClustered
    isTroubled = isClustered
    store = SimulatedDatabase.empty
  }

  func fault(_ sentence: String, isLost: Bool = true) -> Fault {
    faultCount += 1
    faulted()
    return Fault(description: sentence, isLost: isLost)
  }

  private static var empty: SQLiteConnection { try! SQLiteConnection(":memory:") }

  var isDown: Bool { time.machine < downUntil }
  var history: String { "1/\(timeline)" }
  var living: Set<Int64> { defect == .claimsFromLiving ? [] : Set(locks.keys) }

  /// The store from which a transaction reads.
  ///
  /// - Parameter isConfirmed: Whether it waits for standbys: a former primary has none.
  func readable(isConfirmed: Bool) throws -> SQLiteConnection {
    guard let former, time.machine < former.until, random.coin() else { return store }
    if isConfirmed { throw fault("a former primary has no standbys") }
    return former.store
  }

  func add(_ connection: SimulatedConnection) -> Int {
    connectionCount += 1
    open[connectionCount] = Weak(connection: connection)
    return connectionCount
  }

  func isOpen(_ connection: Int) -> Bool { open[connection] != nil }

  /// Locks a node's number.
  ///
  /// - Returns: `false` if another connection has the lock.
  func lock(_ node: Int64, _ connection: Int) -> Bool {
    if let holder = locks[node], holder != connection { return false }
    locks[node] = connection
    return true
  }

  /// Ends a connection; its node may notice later.
  func end(_ connection: Int) {
    open[connection]?.connection?.isLost = true
    open[connection] = nil
    locks = locks.filter { $0.value != connection }
  }
}

/// Faults.
extension SimulatedDatabase {
  /// Ends a connection of any node.
  func endAny() {
    let all = open.keys.sorted()
    if !all.isEmpty { end(random.pick(all)) }
  }

  /// Ends all connections and accepts none for some time.
  func goDown(for milliseconds: Int) {
    for connection in open.keys.sorted() { end(connection) }
    downUntil = time.machine + Int64(milliseconds)
  }

  /// Promotes a standby, which may lack the transactions of the last milliseconds.
  func failOver(losing lag: Int, downFor milliseconds: Int) {
    let standby = SimulatedDatabase.empty
    try! store.copy(to: standby)
    time.after(lag) { [unowned self] in
      goDown(for: milliseconds)
      former = (lag > 0 ? store : standby, downUntil + Int64(random.within(0...4000)))
      if lag > 0 { store = standby }
      timeline += 1
      promoted()
    }
  }
}

/// A node's way to the database.
final class SimulatedEngine: SQLEngine, NodeLocks, @unchecked Sendable {
  let database: SimulatedDatabase
  let scheduler: NodeScheduler
  /// The time until which the node is cut off from the database, in machine milliseconds.
  private var cutUntil: Int64 = 0
  private var lastConnection = 0
  /// The node's number.
  fileprivate var node: Int64 = 0
  /// Whether the store is open. A store with a single writer takes no time to open.
  var isOpen: Bool

  init(_ database: SimulatedDatabase, _ scheduler: NodeScheduler) {
    (self.database, self.scheduler) = (database, scheduler)
    isOpen = database.isClustered
  }

  var location: String { "simulated" }
  var isClustered: Bool { database.isClustered }
  var locks: (any NodeLocks)? { isClustered ? self : nil }

  var isStopped: Bool { !scheduler.isAlive || scheduler.time.isOver }

  /// Waits as long as a call does that gets no answer, and fails, if the database is not reached.
  func reach() throws {
    if isStopped { throw Stopped() }
    if database.isFailing { throw database.fault("the disk is full") }
    if database.isDown {
      scheduler.sleep(database.random.within(1...300))
      throw database.fault("the database does not run")
    }
    guard scheduler.time.machine < cutUntil else { return }
    let rest = Int(cutUntil - scheduler.time.machine)
    scheduler.sleep(min(rest, database.random.within(100...5000)))
    throw database.fault("the database does not answer")
  }

  /// The process has ended.
  private struct Stopped: Error {}

  /// Cuts the node off. The database notices after some time, and ends the node's connection.
  func cut(for milliseconds: Int) {
    cutUntil = scheduler.time.machine + Int64(milliseconds)
    let connection = lastConnection
    scheduler.time.after(database.random.within(0...milliseconds)) { [database] in
      database.end(connection)
    }
  }

  /// The process has been killed: its connections end.
  func kill() {
    scheduler.kill()
    database.end(lastConnection)
  }

  func connect() throws -> any SQLConnection {
    try reach()
    // As long as PostgreSQL's lock is waited for.
    for _ in 0..<20 where isClustered && database.isOpen(lastConnection) { scheduler.sleep(100) }
    try reach()
    let connection = SimulatedConnection(self)
    lastConnection = connection.number
    return connection
  }

  func isTransient(_ error: any Error) -> Bool {
    isClustered && error is SimulatedDatabase.Fault
  }
  func isLost(_ error: any Error) -> Bool {
    isClustered && (error as? SimulatedDatabase.Fault)?.isLost == true
  }
  func isFinal(_ error: any Error) -> Bool { false }

  func read<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
    try read(isConfirmed: false, body)
  }

  func readConfirmed<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
    try read(isConfirmed: true, body)
  }

  private func read<Value>(
    isConfirmed: Bool, _ body: (any SQLConnection) throws -> Value
  ) throws -> Value {
    if isOpen { scheduler.sleep(database.random.within(0...(isClustered ? 2 : 60))) }
    try reach()
    if database.isTroubled, database.random.once(in: 60) {
      throw database.fault("the reading connection is lost")
    }
    let store = try database.readable(isConfirmed: isConfirmed)
    return try store.transaction("BEGIN") { try body(store) }
  }

  func committed(_ batch: Int) {}
  func usedByteCount(_ connection: any SQLConnection) -> Int? { nil }
  func settle(_ connection: any SQLConnection) {}
  func whenNotified(_ body: @escaping @Sendable () -> Void) {
    let former = database.notified
    database.notified = {
      former()
      body()
    }
  }

  func probe(_ connection: any SQLConnection) throws {
    try connection.run("UPDATE store SET probe = NULL")
  }

  func lock(_ node: Int64, _ connection: any SQLConnection) -> Bool {
    self.node = node
    return (connection as? SimulatedConnection).map { database.lock(node, $0.number) } ?? false
  }

  func living(_ connection: any SQLConnection) -> Set<Int64> { database.living }
  func history(_ connection: any SQLConnection) -> String { database.history }
}

/// A writing connection.
final class SimulatedConnection: SQLConnection {
  private let engine: SimulatedEngine
  private(set) var number = 0
  /// Whether it has ended for the database.
  var isLost = false
  private var isInTransaction = false
  private var hasEvents = false
  /// Whether the transaction is a numbered one of its node.
  private var isNumbered = false

  private var database: SimulatedDatabase { engine.database }

  init(_ engine: SimulatedEngine) {
    self.engine = engine
    number = engine.database.add(self)
  }

  /// The database notices later that the node has closed it.
  deinit {
    let (database, number) = (engine.database, number)
    guard database.isOpen(number) else { return }
    database.time.after(database.random.within(0...200)) { database.end(number) }
  }

  var dialect: SQLDialect { .sqlite }
  func flush() {}

  func run(script: String) throws {
    // PostgreSQL gives no number twice. The triggers keep what compaction deletes.
    try database.store.run(
      script: script.replacing("INTEGER PRIMARY KEY", with: "INTEGER PRIMARY KEY AUTOINCREMENT")
        + SimulatedConnection.journal)
  }

  private static let journal = """
    ;CREATE TABLE journal (session, sequence, body, PRIMARY KEY (session, sequence));
    CREATE TRIGGER entry_added AFTER INSERT ON entry BEGIN
      INSERT INTO journal VALUES (new.session, new.sequence, new.body);
    END;
    """

  func send(
    _ sql: String, _ values: [(any SQLValue)?], each: @escaping (any SQLRow) throws -> Void
  ) throws {
    switch sql {
    case dialect.beginWriting: try begin()
    case "COMMIT": try commit()
    case "ROLLBACK": rollBack()
    case _ where sql.hasPrefix("NOTIFY"): hasEvents = true
    default:
      if !isInTransaction { try engine.reach() }
      try fail(oneIn: 1500, "the connection is lost")
      if sql.hasPrefix("UPDATE node SET batch") { isNumbered = true }
      guard let defect = database.defect else {
        return try database.store.send(sql, values, each: each)
      }
      if defect.omits(sql, values) { return }
      try database.store.send(defect.changed(sql), values, each: each)
    }
  }

  private func begin() throws {
    if engine.isOpen { engine.scheduler.sleep(database.random.within(0...5)) }
    try engine.reach()
    try fail(oneIn: 100, "the connection is lost")
    try database.store.run("BEGIN")
    (isInTransaction, hasEvents, isNumbered) = (true, false, false)
  }

  private func commit() throws {
    if database.isTroubled, database.random.once(in: 60) {
      rollBack()
      throw database.fault("a deadlock", isLost: false)
    }
    if database.isTroubled, database.random.once(in: 40) {
      lose()
      if database.defect == .unknownIsSuccess { return }
      throw database.fault("the connection is lost before the commit")
    }
    try database.store.run("COMMIT")
    isInTransaction = false
    database.committed()
    if hasEvents { database.notified() }
    if !engine.isOpen { return }
    engine.scheduler.sleep(database.random.within(1...database.random.pick([3, 10, 10, 60])))
    // A disk has either written it or not.
    if !engine.isClustered { return }
    do {
      try engine.reach()
      try fail(oneIn: 40, "the connection is lost after the commit")
    } catch {
      if database.defect == .unknownIsFailure, isNumbered {
        try database.store.run("UPDATE node SET batch = batch - 1 WHERE number = $1", [engine.node])
      }
      throw error
    }
  }

  private func rollBack() {
    if isInTransaction { try? database.store.run("ROLLBACK") }
    isInTransaction = false
  }

  /// Throws if the connection has ended, or ends now.
  private func fail(oneIn count: Int, _ sentence: String) throws {
    if database.isTroubled, database.random.once(in: count) { lose() }
    guard isLost else { return }
    rollBack()
    throw database.fault(sentence)
  }

  /// The database ends it at once or later.
  private func lose() {
    rollBack()
    isLost = true
    let (database, number) = (database, number)
    let delay = database.random.pick([0, 0, 50, 1500])
    if delay == 0 { return database.end(number) }
    database.time.after(delay) { database.end(number) }
  }
}
