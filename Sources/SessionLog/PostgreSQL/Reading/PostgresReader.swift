import Foundation

/// A lazily opened connection for reads and single writes, used on one queue.
final class PostgresReader: @unchecked Sendable {
  private let address: PostgresAddress
  private let name: String
  private let endsIdle: Bool
  private var connection: PostgresConnection?
  /// The last failure to connect, rethrown for a second: a connection attempt may block for
  /// seconds.
  private var failure: (error: PostgresError, at: ContinuousClock.Instant)?
  /// The seconds after which the server ends an idle connection: a stopped process must not hold
  /// the lock of the node that sweeps.
  private static let idleSeconds = 60

  /// - Parameters:
  ///   - name: What the server knows the connection by; only this reader's if `endsIdle`.
  ///   - endsIdle: Whether the server ends the connection of a process that is stopped, and those
  ///     before it that still wait. Not for a long transaction with pauses.
  init(_ address: PostgresAddress, name: String, endsIdle: Bool = true) {
    self.address = address
    self.name = name
    self.endsIdle = endsIdle
  }

  /// Runs `body` in a read-only snapshot transaction. If a reused connection is lost, reconnects
  /// and repeats `body`.
  func read<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
    try repeatingIfLost { try transaction(body) }
  }

  /// Like ``read(_:)``, but returns when the standbys have what was read.
  func readConfirmed<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
    try repeatingIfLost {
      let value = try transaction(body)
      try connection?.waitForStandbys()
      return value
    }
  }

  private func repeatingIfLost<Value>(_ attempt: () throws -> Value) throws -> Value {
    let isIdle = connection != nil
    do {
      return try attempt()
    } catch let error as PostgresError where error.isConnectionLost && isIdle {
      return try attempt()
    }
  }

  /// Runs a statement in its own transaction. Reconnecting may run it twice.
  @discardableResult
  func write(
    _ sql: String, _ parameters: [PostgresValue]
  ) throws(PostgresError) -> PostgresRows {
    try use { connection throws(PostgresError) in try connection.run(sql, parameters) }
  }

  /// Runs statements in one transaction. Reconnecting may run them twice.
  ///
  /// - Returns: The results of the statements.
  func write(_ statements: [PostgresStatement]) throws(PostgresError) -> [PostgresRows] {
    let frame = [PostgresStatement("BEGIN")] + statements + [PostgresStatement("COMMIT")]
    return try use { connection throws(PostgresError) in
      Array(try connection.run(frame).dropFirst().dropLast())
    }
  }

  /// Runs `body`. If a reused connection is lost, reconnects and repeats `body`.
  func use<Value>(
    _ body: (PostgresConnection) throws(PostgresError) -> Value
  ) throws(PostgresError) -> Value {
    let isIdle = connection != nil
    do throws(PostgresError) {
      return try body(try connected())
    } catch {
      guard error.isConnectionLost && isIdle else { throw error }
      return try body(try connected())
    }
  }

  private func transaction<Value>(
    _ body: (PostgresConnection) throws -> Value
  ) throws -> Value {
    let connection = try connected()
    try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    do {
      let value = try body(connection)
      try connection.run("COMMIT")
      return value
    } catch {
      // After a database error or failed ROLLBACK, the next call reconnects.
      if error is PostgresError || (try? connection.run("ROLLBACK")) == nil {
        self.connection = nil
      }
      throw error
    }
  }

  private func connected() throws(PostgresError) -> PostgresConnection {
    if let connection, !connection.isBroken { return connection }
    connection = nil
    if let failure, failure.at > .now - .seconds(1) { throw failure.error }
    do throws(PostgresError) {
      let fresh = try PostgresConnection(address, name: name)
      if endsIdle {
        try fresh.endWhenIdle(for: PostgresReader.idleSeconds)
        try fresh.endOlderWaits(as: name)
      }
      (connection, failure) = (fresh, nil)
      return fresh
    } catch {
      failure = (error, .now)
      throw error
    }
  }
}
