import CLibPQ
import Foundation

/// A connection to the database, in libpq's pipeline mode: statements of a call are sent together,
/// so that a call takes one round trip. Used by one thread at a time.
///
/// A call that fails inside a transaction rolls it back. After a lost connection all calls fail.
final class PostgresConnection {
  fileprivate let handle: OpaquePointer
  private let currentServer: CurrentServer
  /// The identity of the server; `nil` while connecting.
  private var server: Int?
  /// The names of prepared statements, by their text.
  private var names: [String: String] = [:]
  private var nameCount = 0
  fileprivate var isClosed = false
  /// The payloads of notifications that nobody has taken.
  fileprivate var payloads: [String] = []
  /// How long a call waits for the server, unless it says otherwise.
  var seconds: Int

  /// Connects to a host that has the `target_session_attrs` of the address.
  init(_ address: PostgresAddress, name: String, seconds: Int = 30) throws(PostgresError) {
    self.seconds = seconds
    currentServer = address.currentServer
    handle = try PostgresDialing.connect(address, name: name)
    guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
      throw PostgresError(lost: handle)
    }
    // The server notices within seconds that this machine is lost, and releases its locks.
    let rows = try run(
      """
      SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint,
        set_config('search_path', 'pickerd', false),
        set_config('tcp_keepalives_idle', '1', false),
        set_config('tcp_keepalives_interval', '1', false),
        set_config('tcp_keepalives_count', '3', false),
        set_config('tcp_user_timeout', '3000', false),
        -- The plan of a prepared statement may be made for an empty table, on which a scan of all
        -- rows is cheapest. It must be as good for a full one.
        set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
        set_config('enable_mergejoin', 'off', false), set_config('jit', 'off', false),
        -- A commit waits until it is flushed, also if the database's default is not to wait.
        CASE WHEN current_setting('synchronous_commit') = 'off'
          THEN set_config('synchronous_commit', 'on', false) END,
        -- No timeout of the server may end a COMMIT: clients would learn that a change is lost
        -- although it is stored.
        (SELECT count(set_config(name, '0', false)) FROM pg_settings WHERE name IN (
          'statement_timeout', 'lock_timeout', 'transaction_timeout',
          'idle_in_transaction_session_timeout', 'idle_session_timeout'))
      """)
    // A statement that waits for a lock ends when this connection is closed. Some systems cannot
    // detect that, and refuse the setting.
    _ = try? run("SELECT set_config('client_connection_check_interval', '1000', false)")
    server = rows.int(0, 0)
    if let server { currentServer.connected(to: server) }
  }

  /// Makes the server end the connection if this process has not used it for so many seconds: it
  /// may be stopped while it holds locks.
  func endWhenIdle(for seconds: Int) throws(PostgresError) {
    try run(
      """
      SELECT set_config('idle_session_timeout', $1, false),
        set_config('idle_in_transaction_session_timeout', $1, false)
      """, [.text("\(seconds)s")])
  }

  deinit { PQfinish(handle) }

  /// Whether statements fail: it is lost, or its server is not the current one any more.
  var isBroken: Bool { isClosed || isFormer }

  private var isFormer: Bool { server.map { !currentServer.isCurrent($0) } ?? false }

  /// Runs a statement.
  @discardableResult
  func run(
    _ sql: String, _ parameters: [PostgresValue] = []
  ) throws(PostgresError) -> PostgresRows {
    try run([PostgresStatement(sql, parameters)])[0]
  }

  /// Runs statements in one round trip, until the first that fails.
  ///
  /// - Parameter seconds: If the server has not answered after them, or another one has taken over,
  ///   the connection is closed. The server is not asked to cancel anything. Default: ``seconds``.
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
      guard !isFormer else { throw PostgresError(lost: "another server has taken over") }
      let count = poll(&descriptor, 1, Int32(min(remaining, CurrentServer.noticeMilliseconds)))
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
  /// Removes the payloads of the notifications that have arrived.
  func takeNotifications() -> [String] {
    collectNotifications()
    defer { payloads = [] }
    return payloads
  }

  private func collectNotifications() {
    while let notification = PQnotifies(handle) {
      payloads.append(String(cString: notification.pointee.extra))
      PQfreemem(notification)
    }
  }

  /// Waits until the server has sent something, `descriptor` is readable, or the time is over. A
  /// notification may have arrived with the rows of a statement: then it does not wait.
  func waitForInput(or descriptor: Int32, milliseconds: Int32) throws(PostgresError) {
    collectNotifications()
    guard payloads.isEmpty else { return }
    var descriptors = [
      pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&descriptors, 2, max(0, milliseconds)) > 0, descriptors[0].revents != 0 else {
      return
    }
    if PQconsumeInput(handle) != 1 {
      isClosed = true
      throw PostgresError(lost: handle)
    }
  }
}
