import Foundation
import PickerSession

/// The schema `pickerd` of the database, as numbered steps: step N makes schema N of schema N - 1.
/// A released step must never be changed.
///
/// One node migrates at a time, under an advisory lock. Step N must leave a schema that nodes with
/// schema N - 1 can use, so that nodes can be upgraded one after the other.
enum PostgresSchema {
  /// What a start finds.
  struct Opened {
    /// Whether the database was restored to the past, so that all sessions have a new epoch.
    let hasLostHistory: Bool
  }

  static let steps = [PostgresTables.all + "\n" + PostgresFunctions.all]

  /// The key of the advisory lock for migrations: "pickerd" in ASCII.
  static let migrationLock = 0x70_6963_6B65_7264

  /// Identifies the history of the database: a dump that is restored elsewhere has another system
  /// identifier; a promoted standby and a restore to a point in time have another timeline.
  static let historySQL = """
    SELECT (SELECT system_identifier FROM pg_control_system())::text || '/'
      || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
    """

  /// Creates or migrates the schema, all steps in one transaction.
  ///
  /// - Parameters:
  ///   - isMove: Whether the caller copies a store into the database.
  ///   - waiting: Called every tenth of a second while this waits for another node, with whether it
  ///     is the first time. Returns whether to go on waiting.
  /// - Throws: ``StoreProblem`` if `steps` cannot bring the tables to the newest schema, or such a
  ///   copy is incomplete.
  static func open(
    _ connection: PostgresConnection, _ address: PostgresAddress, isMove: Bool = false,
    by steps: [String] = steps, waiting: (_ isFirst: Bool) -> Bool = { _ in true }
  ) throws -> Opened {
    let history = try history(connection)
    try check(connection, address, newest: steps.count)
    try waitForNodes(history, connection, waiting)
    // The transaction begins with the lock: one that had begun before might not see what the node
    // before has created. An error ends the connection, and with it the lock.
    try connection.run("SELECT pg_advisory_lock($1)", [.int(migrationLock)])
    try connection.run("BEGIN")
    let known = try check(connection, address, newest: steps.count)
    if known == 0 { try createNamespace(connection) }
    for step in steps.dropFirst(known) { try connection.execute(script: step) }
    if known == 0 {
      try connection.run(
        "INSERT INTO store (version, history) VALUES ($1, $2)",
        [.int(steps.count), .text(history)])
    } else if known < steps.count {
      try connection.run("UPDATE store SET version = $1", [.int(steps.count)])
    }
    let stored = try connection.run("SELECT history, moving_from FROM store")
    guard isMove || stored.text(0, 1) == nil else {
      try connection.run("ROLLBACK")
      throw StoreProblem(
        "the database has an incomplete copy of an SQLite store: run pickerd move again")
    }
    let hasLost = stored.text(0, 0) != history
    if hasLost { try renewEpochs(connection, history: history) }
    try connection.run("COMMIT")
    try connection.run("SELECT pg_advisory_unlock($1)", [.int(migrationLock)])
    return Opened(hasLostHistory: hasLost)
  }

  /// `CREATE SCHEMA IF NOT EXISTS` needs a privilege even if the schema exists.
  private static func createNamespace(_ connection: PostgresConnection) throws(PostgresError) {
    let isThere = try connection.run("SELECT to_regnamespace('pickerd') IS NOT NULL").bool(0, 0)
    if !isThere { try connection.run("CREATE SCHEMA pickerd") }
  }

  /// After a failover, a node that was connected before knows whether commits are missing, and
  /// stores the new history if they are not. A node that starts meanwhile waits for that until none
  /// has been connected for 10 s, at most a minute: the first commit of a connected one may wait
  /// for a standby. Without such a node, it must assume that commits are missing.
  private static func waitForNodes(
    _ history: String, _ connection: PostgresConnection, _ waiting: (_ isFirst: Bool) -> Bool
  ) throws {
    guard try found(connection) != .none else { return }
    let system = history.prefix { $0 != "/" }
    let begin = ContinuousClock.now
    var lastSeen = begin
    var isFirst = true
    while .now < min(lastSeen + .seconds(10), begin + .seconds(60)) {
      let known = try connection.run("SELECT history FROM store").text(0, 0) ?? ""
      guard known != history, known.hasPrefix("\(system)/") else { return }
      guard waiting(isFirst) else {
        throw StoreProblem("ended while it waited for another node")
      }
      isFirst = false
      if try PostgresWriter.isLocked(connection) { lastSeen = .now }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  static func history(_ connection: PostgresConnection) throws(PostgresError) -> String {
    try connection.run(historySQL).text(0, 0) ?? ""
  }

  /// The seconds that a statement about all sessions may take.
  static let longSeconds = 3600

  /// Gives all sessions and the feed a new epoch. The sessions are locked in the order in which
  /// batches lock them.
  static func renewEpochs(
    _ connection: PostgresConnection, history: String
  ) throws(PostgresError) {
    try connection.run(
      [
        PostgresStatement(
          """
          WITH living AS (
            SELECT number FROM session WHERE ended_at IS NULL ORDER BY id FOR NO KEY UPDATE
          )
          UPDATE session SET epoch = replace(gen_random_uuid()::text, '-', '')
          FROM living WHERE session.number = living.number
          """),
        PostgresStatement("UPDATE feed SET epoch = replace(gen_random_uuid()::text, '-', '')"),
        PostgresStatement("UPDATE store SET history = $1", [.text(history)]),
      ], within: longSeconds)
  }

  /// Gives a session whose log lacks entries that this node knows a new epoch, unless another node
  /// has done so.
  ///
  /// - Parameter position: The last known entry; `Int.max` if it is known to be missing.
  static func renewEpoch(
    of session: SessionID, _ epoch: String, lacking position: Int,
    _ connection: PostgresConnection
  ) throws(PostgresError) {
    try connection.run(
      """
      UPDATE session SET epoch = replace(gen_random_uuid()::text, '-', '')
      WHERE id = $1 AND epoch = $2 AND head < $3
      """, [.text(session.text), .text(epoch), .int(position)])
  }

  /// The tables that a database has.
  static func found(_ connection: PostgresConnection) throws(PostgresError) -> FoundSchema {
    let rows = try connection.run(
      """
      SELECT attname::text FROM pg_attribute
      WHERE attrelid = to_regclass('pickerd.store') AND attnum > 0 AND NOT attisdropped
      """)
    let columns = (0..<rows.count).compactMap { rows.text($0, 0) }
    return try FoundSchema(columns, own: "history") { () throws(PostgresError) in
      try connection.run("SELECT version FROM store").int(0, 0)
    }
  }

  /// - Returns: The number of the stored schema; 0 if there is none.
  @discardableResult
  private static func check(
    _ connection: PostgresConnection, _ address: PostgresAddress, newest: Int
  ) throws -> Int {
    let found = try found(connection)
    if let problem = found.problem(of: "\(address)", newest: newest) { throw problem }
    return if case .version(let version) = found { version } else { 0 }
  }

  /// Why a program that only reads cannot use a database.
  static func problem(
    of address: PostgresAddress, _ connection: PostgresConnection
  ) throws(PostgresError) -> StoreProblem? {
    let found = try found(connection)
    if found == .none || found == .foreign {
      return StoreProblem("\(address) has no sessions of pickerd")
    }
    if let problem = found.problem(of: "\(address)", newest: steps.count) { return problem }
    let isIncomplete = try connection.run("SELECT moving_from IS NOT NULL FROM store").bool(0, 0)
    return isIncomplete
      ? StoreProblem("\(address) has an incomplete copy of an SQLite store: run pickerd move again")
      : nil
  }
}
