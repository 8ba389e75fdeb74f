import CLibPQ

/// A libpq connection URI, and what pickerd adds to it.
///
/// The URI is passed to libpq, which also reads PGPASSFILE and the PG environment variables. It may
/// contain a password, so only ``description`` may be logged.
package struct PostgresAddress: Hashable, Sendable, CustomStringConvertible {
  private let uri: String
  /// The hosts, the database and the user: `postgres://user@host1,host2/db`.
  package let description: String

  /// - Throws: ``StoreProblem`` if libpq cannot be loaded, or cannot parse it.
  package init(_ uri: String) throws(StoreProblem) {
    if let problem = libpq_load() { throw StoreProblem(String(cString: problem)) }
    var message: UnsafeMutablePointer<CChar>?
    guard !uri.contains("\0"), let parts = PQconninfoParse(uri, &message) else {
      PQfreemem(message)
      // libpq's message quotes parts of the URI, which may be the password.
      throw StoreProblem(
        "the URI of the store is not one of PostgreSQL: postgres://user@host1,host2/database")
    }
    defer { PQconninfoFree(parts) }
    var values: [String: String] = [:]
    var part = parts
    while let keyword = part.pointee.keyword {
      if let value = part.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      part += 1
    }
    self.uri = uri
    let user = values["user"].map { $0 + "@" } ?? ""
    let hosts = values["host"] ?? values["hostaddr"] ?? ""
    description = "postgres://\(user)\(hosts)/\(values["dbname"] ?? "")"
  }

  /// Keywords and values for `PQconnectdbParams`, in the order of their priority: the URI replaces
  /// those before it.
  ///
  /// A host that does not answer is given up after 2 seconds, libpq's minimum, and a connection
  /// whose peer's machine is lost after 5 seconds; a busy server keeps its connections.
  /// - Source: postgresql.org/docs/15/libpq-connect.html
  func parameters(name: String) -> [(keyword: String, value: String)] {
    [
      ("connect_timeout", "2"), ("keepalives", "1"), ("keepalives_idle", "2"),
      ("keepalives_interval", "1"), ("keepalives_count", "3"), ("tcp_user_timeout", "5000"),
      ("fallback_application_name", name), ("dbname", uri),
      ("target_session_attrs", "read-write"), ("client_encoding", "UTF8"),
    ]
  }
}
