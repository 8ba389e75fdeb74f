import CLibPQ
import Foundation

/// A connection to the database, in libpq's pipeline mode: statements of a call are sent together,
/// so that a call takes one round trip. Used by one thread at a time.
///
/// A call that fails inside a transaction rolls it back. After a lost connection all calls fail.
final class PostgresConnection: SQLConnection {
  fileprivate let handle: OpaquePointer
  let dialect = SQLDialect.postgres
  /// What was sent and not flushed.
  private var pending: [(statement: PostgresStatement, each: (any SQLRow) throws -> Void)] = []
  /// The names of prepared statements, by their text.
  private var names: [String: String] = [:]
  private var nameCount = 0
  fileprivate var isClosed = false
  /// How long a call waits for the server, unless it says otherwise.
  var seconds: Int

  /// Connects to a host that has the `target_session_attrs` of the address.
  init(_ address: PostgresAddress, name: String, seconds: Int = 30) throws(PostgresError) {
    self.seconds = seconds
    handle = try PostgresConnection.connect(address.parameters(name: name))
    guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
      throw PostgresError(lost: handle)
    }
    // The server notices within seconds that this machine is lost, and releases its locks.
    try run(
      """
      SELECT set_config('search_path', 'pickerd', false),
        set_config('tcp_keepalives_idle', '1', false),
        set_config('tcp_keepalives_interval', '1', false),
        set_config('tcp_keepalives_count', '3', false),
        set_config('tcp_user_timeout', '2500', false),
        -- The plan of a prepared statement may be made for an empty table, on which a scan of all
        -- rows is cheapest. It must be as good for a full one.
        set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
        set_config('enable_mergejoin', 'off', false), set_config('jit', 'off', false),
        -- A commit waits until it is flushed, also if the database's default is not to wait.
        CASE WHEN current_setting('synchronous_commit') = 'off'
          THEN set_config('synchronous_commit', 'on', false) END,
        -- A statement sees what was committed before it, in particular while it waited for rows.
        set_config('default_transaction_isolation', 'read committed', false),
        -- No timeout of the server may end a COMMIT: clients would learn that a change is lost
        -- although it is stored.
        (SELECT count(set_config(name, '0', false)) FROM pg_settings WHERE name IN (
          'statement_timeout', 'lock_timeout', 'transaction_timeout',
          'idle_in_transaction_session_timeout', 'idle_session_timeout'))
      """)
    // A statement that waits for a lock ends when this connection is closed. Some systems cannot
    // detect that, and refuse the setting.
    _ = try? run("SELECT set_config('client_connection_check_interval', '1000', false)")
  }

  /// Connects to the first host that has the `target_session_attrs` of the address.
  private static func connect(
    _ parameters: [PostgresAddress.Parameter]
  ) throws(PostgresError) -> OpaquePointer {
    var keywords = parameters.map { UnsafePointer(strdup($0.keyword)) }
    var values = parameters.map { UnsafePointer(strdup($0.value)) }
    defer { for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) } }
    keywords.append(nil)
    values.append(nil)
    guard let handle = PQconnectdbParams(keywords, values, 1) else {
      throw PostgresError(lost: "out of memory")
    }
    // By default libpq writes notices, and errors between two calls, to standard error.
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    guard PQstatus(handle) == CONNECTION_OK else {
      defer { PQfinish(handle) }
      throw PostgresError(lost: handle)
    }
    return handle
  }

  deinit { PQfinish(handle) }

  /// Whether statements fail, because it is lost.
  var isBroken: Bool { isClosed }

  func send(
    _ sql: String, _ values: [(any SQLValue)?], each: @escaping (any SQLRow) throws -> Void
  ) throws {
    let parameters = values.map { PostgresValue($0?.parameter) }
    pending.append((PostgresStatement(sql, parameters), each))
  }

  func flush() throws {
    if pending.isEmpty { return }
    let sent = pending
    pending = []
    let results = try run(sent.map(\.statement))
    for (index, rows) in results.enumerated() {
      for row in 0..<rows.count { try sent[index].each(PostgresRow(rows: rows, row: row)) }
    }
  }

  func run(script: String) throws {
    try flush()
    try execute(script: script)
  }

  func rollBack() {
    pending = []
    if !isBroken, PQtransactionStatus(handle) != PQTRANS_IDLE { _ = try? run("ROLLBACK", []) }
  }

  /// Runs a statement.
  @discardableResult
  func run(
    _ sql: String, _ parameters: [PostgresValue] = []
  ) throws(PostgresError) -> PostgresRows {
    try run([PostgresStatement(sql, parameters)])[0]
  }

  /// Runs statements in one round trip, until the first that fails.
  ///
  /// - Parameter seconds: If the server has not answered after them, the connection is closed. The
  ///   server is not asked to cancel anything. Default: ``seconds``.
  /// - Returns: The results of the statements.
  @discardableResult
  func run(
    _ statements: [PostgresStatement], within seconds: Int? = nil
  ) throws(PostgresError) -> [PostgresRows] {
    guard !isBroken else { throw PostgresError(lost: "the connection is closed") }
    do throws(PostgresError) {
      var sent: [Sent] = []
      for statement in statements { try send(statement, &sent) }
      guard PQpipelineSync(handle) == 1 else { throw PostgresError(lost: handle) }
      return try receive(sent, until: .now + .seconds(seconds ?? self.seconds))
    } catch {
      if error.isConnectionLost || PQstatus(handle) != CONNECTION_OK {
        isClosed = true
      } else if PQtransactionStatus(handle) == PQTRANS_INERROR {
        try run("ROLLBACK")
      }
      throw error
    }
  }

  /// A command that was sent and has one result.
  private enum Sent {
    case preparation(sql: String, name: String)
    case statement
  }

  private func send(
    _ statement: PostgresStatement, _ sent: inout [Sent]
  ) throws(PostgresError) {
    let name: String
    if let known = names[statement.sql] {
      name = known
    } else {
      nameCount += 1
      name = "s\(nameCount)"
      let types = statement.parameters.map(\.type)
      guard PQsendPrepare(handle, name, statement.sql, Int32(types.count), types) == 1 else {
        throw PostgresError(lost: handle)
      }
      // If the preparation fails, so does the call, and the name is removed.
      names[statement.sql] = name
      sent.append(.preparation(sql: statement.sql, name: name))
    }
    guard send(name, statement.parameters) else { throw PostgresError(lost: handle) }
    sent.append(.statement)
  }

  private func send(_ name: String, _ parameters: [PostgresValue]) -> Bool {
    var bytes: [UInt8] = []
    var offsets: [Int] = []
    for parameter in parameters {
      offsets.append(bytes.count)
      bytes += parameter.bytes ?? []
    }
    // A pointer to an empty value must not be null.
    bytes.append(0)
    let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: parameters.count)
    return bytes.withUnsafeBytes { buffer in
      let start = buffer.baseAddress!.assumingMemoryBound(to: CChar.self)
      let values = zip(parameters, offsets).map { parameter, offset in
        parameter.bytes == nil ? nil : start + offset
      }
      return PQsendQueryPrepared(
        handle, name, Int32(parameters.count), values, lengths, formats, 1) == 1
    }
  }

  /// Receives one result for each command, and the end of the pipeline.
  private func receive(
    _ sent: [Sent], until deadline: ContinuousClock.Instant
  ) throws(PostgresError) -> [PostgresRows] {
    var rows: [PostgresRows] = []
    var failure: PostgresError?
    var rest = sent[...]
    while true {
      try wait(until: deadline)
      guard let result = PQgetResult(handle) else {
        if PQstatus(handle) != CONNECTION_OK { throw failure ?? PostgresError(lost: handle) }
        continue  // The end of a command's results.
      }
      let status = PQresultStatus(result)
      if status == PGRES_PIPELINE_SYNC {
        PQclear(result)
        if let failure { throw failure }
        return rows
      }
      let command = rest.popFirst()
      switch status {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
        if case .statement? = command { rows.append(PostgresRows(result)) } else { PQclear(result) }
      default:
        if case .preparation(let sql, _)? = command { names[sql] = nil }
        if failure == nil {
          failure = PostgresError(result)
          failure?.doneCount = rows.count
        }
        PQclear(result)
      }
    }
  }

  /// Sends what is buffered, and waits until a result can be read without blocking.
  private func wait(until deadline: ContinuousClock.Instant) throws(PostgresError) {
    while true {
      let flushed = PQflush(handle)
      guard flushed >= 0 else { throw PostgresError(lost: handle) }
      if PQisBusy(handle) == 0 { return }
      let events = Int16(POLLIN) | (flushed == 1 ? Int16(POLLOUT) : 0)
      var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
      let remaining = Int((deadline - .now) / .milliseconds(1))
      guard remaining > 0 else { throw PostgresError(lost: "the database does not answer") }
      let count = poll(&descriptor, 1, Int32(clamping: remaining))
      if count < 0 && errno != EINTR { throw PostgresError(lost: "poll failed") }
      if count > 0, descriptor.revents & Int16(bitPattern: 0x39) != 0, PQconsumeInput(handle) != 1 {
        throw PostgresError(lost: handle)
      }
    }
  }

  /// Runs a script of several statements without parameters, as one transaction.
  func execute(script: String) throws(PostgresError) {
    guard PQexitPipelineMode(handle) == 1 else { throw PostgresError(lost: handle) }
    defer { isClosed = isClosed || PQenterPipelineMode(handle) != 1 }
    guard let result = PQexec(handle, script) else { throw PostgresError(lost: handle) }
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK
    else { throw PostgresError(result) }
  }
}

/// Notifications.
extension PostgresConnection {
  /// Waits until a notification arrives, or the time is over.
  ///
  /// - Returns: Whether one has arrived.
  func waitForNotification(milliseconds: Int32) throws(PostgresError) -> Bool {
    if takeNotifications() { return true }
    var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, milliseconds) > 0 else { return false }
    guard PQconsumeInput(handle) == 1 else {
      isClosed = true
      throw PostgresError(lost: handle)
    }
    return takeNotifications()
  }

  private func takeNotifications() -> Bool {
    var isThere = false
    while let notification = PQnotifies(handle) {
      PQfreemem(notification)
      isThere = true
    }
    return isThere
  }
}

/// Replicas.
extension PostgresConnection {
  /// Commits something that changes nothing: returns when the replicas for which a commit waits
  /// have everything that could be read before.
  func waitForStandbys() throws(PostgresError) {
    // A transaction without a record in the write-ahead log would not wait.
    try run("SELECT pg_logical_emit_message(true, 'pickerd', '')")
  }
}
