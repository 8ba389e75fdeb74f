import Foundation
import PickerHub
import Synchronization

/// A store in a PostgreSQL database, which any number of processes share.
final class PostgresEngine: SQLEngine, NodeLocks {
  let address: PostgresAddress
  /// Marks the connections of this process in `pg_stat_activity`.
  private let name: String
  private let readers = Mutex(Readers())
  private let listener: PostgresListener

  /// Reading connections that are not in use.
  private struct Readers {
    var free: [Reader] = []
    /// The number of writing connections so far. A reader that is older may be connected to a
    /// former primary.
    var generation = 0
  }

  private struct Reader: @unchecked Sendable {
    let connection: PostgresConnection
    let generation: Int
  }

  /// The keys of the advisory locks: "pick" in ASCII, and what follows it.
  private static let nodeLock = 0x7069_636B
  /// The lock that all nodes share, and that a program needs alone which must not run beside them.
  private static let servingLock = 0x70_6963_6B65_7265
  static let schemaLock = 0x70_6963_6B65_7264
  /// The seconds after which a connection that does not answer is closed. A server that hangs may
  /// have been replaced meanwhile.
  private static let seconds = 5
  /// The milliseconds after which the server ends the connection of a node from which it has
  /// received nothing, although its machine answers: it hangs, or is stopped.
  private static let idleMilliseconds = 2500
  /// What a probe writes: as much as a few commands need.
  private static let probeBytes = 65_536

  init(_ address: PostgresAddress) {
    self.address = address
    name = "pickerd-\(UUID().uuidString.prefix(8))"
    listener = PostgresListener(address, name: "\(name)-feed")
  }

  deinit { listener.stop() }

  var location: String { address.description }
  var isClustered: Bool { true }
  var locks: (any NodeLocks)? { self }

  func connect() throws -> any SQLConnection {
    readers.withLock { readers in
      readers.generation += 1
      readers.free = []
    }
    let connection = try PostgresConnection(
      address, name: "\(name)-writer", seconds: PostgresEngine.seconds)
    // The plans of the few statements are made once, not again for each batch.
    try connection.run(
      "SELECT set_config('plan_cache_mode', 'force_generic_plan', false)",
      [] as [PostgresValue])
    try connection.run(
      """
      SELECT set_config('idle_session_timeout', $1, false),
        set_config('idle_in_transaction_session_timeout', $1, false)
      """, ["\(PostgresEngine.idleMilliseconds)"])
    try PostgresEngine.serve(on: connection, alone: false, of: address)
    return connection
  }

  /// Takes the lock of the nodes.
  ///
  /// - Parameter alone: Whether no other process may use the store meanwhile.
  /// - Throws: ``StoreProblem`` if that is not possible.
  static func serve(
    on connection: PostgresConnection, alone: Bool, of address: PostgresAddress
  ) throws {
    let function = alone ? "pg_try_advisory_lock" : "pg_try_advisory_lock_shared"
    let sql = "SELECT \(function)($1)"
    guard try waiting({ try connection.value(sql, [servingLock]) == true }) else { return }
    throw StoreProblem(
      alone
        ? "another pickerd serves \(address): stop it"
        : "\(address) is used by pickerd move, which must be alone")
  }

  /// Calls `body` until it returns true, for two seconds: the server may not have noticed yet that
  /// a process has ended.
  ///
  /// - Returns: Whether it never has.
  private static func waiting(_ body: () throws -> Bool) throws -> Bool {
    for _ in 0..<20 {
      if try body() { return false }
      Thread.sleep(forTimeInterval: 0.1)
    }
    return true
  }

  func isTransient(_ error: any Error) -> Bool {
    isLost(error) || (error as? PostgresError)?.isRolledBack == true
  }

  func isLost(_ error: any Error) -> Bool { (error as? PostgresError)?.isConnectionLost == true }

  func isFinal(_ error: any Error) -> Bool { false }

  func read<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
    try reading(body) { _ in }
  }

  func readConfirmed<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
    try reading(body) { try $0.waitForStandbys() }
  }

  /// Runs `body` on a free connection; if that is lost, once more on a new one.
  private func reading<Value>(
    _ body: (any SQLConnection) throws -> Value, after: (PostgresConnection) throws -> Void
  ) throws -> Value {
    if let free = readers.withLock({ $0.free.popLast() }) {
      do {
        return try reading(free, body, after)
      } catch let error as PostgresError where error.isConnectionLost {}
    }
    let generation = readers.withLock { $0.generation }
    let connection = try PostgresConnection(
      address, name: "\(name)-reader", seconds: PostgresEngine.seconds)
    return try reading(Reader(connection: connection, generation: generation), body, after)
  }

  private func reading<Value>(
    _ reader: Reader, _ body: (any SQLConnection) throws -> Value,
    _ after: (PostgresConnection) throws -> Void
  ) throws -> Value {
    let connection = reader.connection
    let value = try connection.transaction(SQLDialect.postgres.beginReading) {
      try body(connection)
    }
    try after(connection)
    if !connection.isBroken {
      readers.withLock { readers in
        if readers.generation == reader.generation { readers.free.append(reader) }
      }
    }
    return value
  }

  func committed(_ batch: Int) {}
  /// A database is counted now and then; see ``SQLSessionLog/count(_:)``.
  func usedByteCount(_ connection: any SQLConnection) -> Int? { nil }

  func probe(_ connection: any SQLConnection) throws {
    // Random, so that it is not compressed.
    var random = SystemRandomNumberGenerator()
    let bytes = (0..<PostgresEngine.probeBytes / 8).flatMap { _ in
      withUnsafeBytes(of: random.next(), Array.init)
    }
    try connection.transaction {
      // As batches do: another session may have locked the tables.
      try connection.send(
        """
        LOCK TABLE session, entry, snapshot, definition, creation, event, feed, node
        IN ROW EXCLUSIVE MODE
        """)
      try connection.send("UPDATE store SET probe = $1", [Data(bytes)])
      try connection.send("UPDATE store SET probe = NULL")
    }
  }

  func settle(_ connection: any SQLConnection) {}
  func whenNotified(_ body: @escaping @Sendable () -> Void) { listener.start(body) }
}

/// The locks of the nodes: advisory locks with two keys, the second of which is the node's number.
extension PostgresEngine {
  func lock(_ node: Int64, _ connection: any SQLConnection) throws -> Bool {
    let sql = "SELECT pg_try_advisory_lock(\(PostgresEngine.nodeLock), $1::bigint::int)"
    return try !PostgresEngine.waiting { try connection.value(sql, [node]) == true }
  }

  func living(_ connection: any SQLConnection) throws -> Set<Int64> {
    Set(
      try connection.rows(
        """
        SELECT objid::bigint FROM pg_locks
        WHERE locktype = 'advisory' AND classid = \(PostgresEngine.nodeLock) AND objsubid = 2
          AND granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """
      ) { row in try row[0] as Int64 })
  }

  /// The system identifier and the timeline: a dump that is restored elsewhere has another system
  /// identifier; a promoted standby and a restore to a point in time have another timeline.
  func history(_ connection: any SQLConnection) throws -> String {
    try connection.value(
      """
      SELECT (SELECT system_identifier FROM pg_control_system())::text || '/'
        || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
      """) ?? ""
  }
}

extension SQLSessionLog {
  /// Opens a database, and creates or migrates the schema `pickerd` in it.
  ///
  /// - Throws: ``StoreProblem`` if it cannot be used.
  package convenience init(
    database address: PostgresAddress, _ settings: Settings
  ) throws(StoreProblem) {
    do {
      let engine = PostgresEngine(address)
      let connection = try engine.connect()
      try PostgresEngine.openSchema(connection, of: address)
      try SQLSchema.check(connection, of: address.description)
      try self.init(engine, connection, settings, hasLostHistory: false)
    } catch let problem as StoreProblem {
      throw problem
    } catch {
      throw StoreProblem("cannot open the store \(address): \(error)")
    }
  }
}

extension PostgresEngine {
  /// Creates or migrates the schema; one process at a time.
  static func openSchema(
    _ connection: any SQLConnection, of address: PostgresAddress
  ) throws {
    // The transaction begins with the lock: one that had begun before might not see what the
    // process before has created.
    try connection.run("SELECT pg_advisory_lock($1)", [schemaLock])
    defer { try? connection.run("SELECT pg_advisory_unlock($1)", [schemaLock]) }
    try connection.transaction {
      // `CREATE SCHEMA IF NOT EXISTS` needs a privilege even if the schema exists.
      let isThere: Bool? = try connection.value("SELECT to_regnamespace('pickerd') IS NOT NULL")
      if isThere != true { try connection.run("CREATE SCHEMA pickerd") }
      try SQLSchema.open(connection, of: address.description)
    }
  }
}

/// Receives the notifications of other nodes on a connection and a thread of its own.
final class PostgresListener: Sendable {
  private let address: PostgresAddress
  private let name: String
  private let isStopped = Atomic(false)

  init(_ address: PostgresAddress, name: String) {
    self.address = address
    self.name = name
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  /// - Parameter body: Called when events may have been added, also after a new connection.
  func start(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread { [self] in
      while !isStopped.load(ordering: .relaxed) {
        try? listen(body)
        Thread.sleep(forTimeInterval: 0.5)
      }
    }
    thread.name = "pickerd.feed"
    thread.start()
  }

  private func listen(_ body: () -> Void) throws {
    let connection = try PostgresConnection(address, name: name, seconds: 10)
    try connection.run("LISTEN \(SQLFeed.channel)", [] as [PostgresValue])
    body()
    while !isStopped.load(ordering: .relaxed) {
      if try connection.waitForNotification(milliseconds: 500) { body() }
    }
  }
}
