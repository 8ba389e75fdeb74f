import CLibPQ

/// A failed connection or statement.
struct PostgresError: Error, Sendable, CustomStringConvertible {
  /// Whether the connection is lost. Whether the statements were executed is then unknown.
  let isConnectionLost: Bool
  /// The SQLSTATE of the server's error, if there is one.
  let state: String?
  /// The number of statements of the same call that had succeeded before; 0 if the connection was
  /// lost without an error of the server.
  var doneCount = 0
  /// The first line of libpq's message, which contains no password.
  let description: String

  init(lost description: String) {
    self.init(isConnectionLost: true, state: nil, description)
  }

  init(isConnectionLost: Bool, state: String?, _ description: String) {
    self.isConnectionLost = isConnectionLost
    self.state = state
    self.description = description
  }

  /// The error of a connection.
  init(lost handle: OpaquePointer) {
    self.init(lost: PostgresError.firstLine(PQerrorMessage(handle)))
  }

  /// The error of a result.
  init(_ result: OpaquePointer) {
    let state = PQresultErrorField(result, PostgresError.sqlStateField).map { String(cString: $0) }
    self.init(
      isConnectionLost: state.map(PostgresError.endsConnection) ?? true, state: state,
      PostgresError.firstLine(PQresultErrorMessage(result)))
  }

  /// Whether the transaction was rolled back and may succeed if retried: serialization_failure,
  /// deadlock_detected.
  var isRolledBack: Bool { state == "40001" || state == "40P01" }

  /// Whether an error requires a new connection: a connection exception (08), a shutdown or
  /// terminated session (57P, 25P03), or a server that has become a standby (25006).
  private static func endsConnection(_ state: String) -> Bool {
    state.hasPrefix("08") || state.hasPrefix("57P") || state == "25P03" || state == "25006"
  }

  /// PG_DIAG_SQLSTATE, a macro that Swift does not import.
  private static let sqlStateField = Int32(UInt8(ascii: "C"))

  private static func firstLine(_ text: UnsafeMutablePointer<CChar>?) -> String {
    firstLine(text.map { String(cString: $0) } ?? "")
  }

  private static func firstLine(_ text: UnsafePointer<CChar>?) -> String {
    firstLine(text.map { String(cString: $0) } ?? "")
  }

  private static func firstLine(_ text: String) -> String {
    text.split(separator: "\n").first.map(String.init) ?? "the connection was closed"
  }
}
