import CLibPQ
import Foundation

/// A libpq connection URI, and what pickerd adds to it.
///
/// The URI is passed to libpq, which also reads PGPASSFILE and the PG environment variables. It may
/// contain a password, so only ``description`` may be logged, and ``uriWithoutPasswords`` shown.
package struct PostgresAddress: Hashable, Sendable, CustomStringConvertible {
  private let uri: String
  /// The hosts, the database and the user: `postgres://user@host1,host2/db`.
  package let description: String
  /// The URI, with all its options, as libpq has read it. Instead of a password it has `…`.
  package let uriWithoutPasswords: String
  /// The seconds for a connection attempt to each host; libpq's minimum by default.
  private let connectSeconds: Int
  /// libpq's `target_session_attrs`.
  private var sessionAttributes = "read-write"
  /// `target_session_attrs` for a tool that only reads: that of the URI. By default a URI with one
  /// host may name a standby; of several hosts the primary is used.
  private let attributesForReading: String
  typealias Parameter = (keyword: String, value: String)

  /// - Throws: ``StoreProblem`` if libpq cannot be loaded, or cannot parse it.
  package init(_ uri: String) throws(StoreProblem) {
    if let problem = libpq_load() { throw StoreProblem(String(cString: problem)) }
    var message: UnsafeMutablePointer<CChar>?
    guard !uri.contains("\0"), let parts = PQconninfoParse(uri, &message) else {
      PQfreemem(message)
      // libpq's message quotes parts of the URI, which may be the password.
      throw StoreProblem(
        "the URI of the store is not postgres://user@host1,host2/database, or has an option that "
          + "libpq does not know")
    }
    defer { PQconninfoFree(parts) }
    var values: [String: String] = [:]
    var keywords: [String] = []
    var part = parts
    while let keyword = part.pointee.keyword {
      if let value = part.pointee.val {
        keywords.append(String(cString: keyword))
        values[keywords[keywords.count - 1]] = String(cString: value)
      }
      part += 1
    }
    self.uri = uri
    let user = values["user"].map { $0 + "@" } ?? ""
    let hosts = values["host"] ?? values["hostaddr"] ?? ""
    description = "postgres://\(user)\(hosts)/\(values["dbname"] ?? "")"
    connectSeconds = values["connect_timeout"].flatMap { Int($0) }.map { max(2, $0) } ?? 2
    let isOneHost = !hosts.isEmpty && !hosts.contains(",")
    attributesForReading = values["target_session_attrs"] ?? (isOneHost ? "any" : "read-write")
    uriWithoutPasswords = PostgresAddress.written(values, keywords)
  }

  /// Writes what libpq has read as a URI.
  private static func written(_ values: [String: String], _ keywords: [String]) -> String {
    let password = values["password"] == nil ? "" : ":…"
    let user = (values["user"].map(encoded) ?? "") + password
    var rest = keywords.filter { !["user", "password", "dbname"].contains($0) }
    var places = ""
    if let hosts = values["host"], !hosts.contains("/"), !hosts.contains(":") {
      let ports = (values["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
      let names = hosts.split(separator: ",", omittingEmptySubsequences: false)
      places = names.enumerated().map { place, name in
        let port = ports.count == 1 ? ports[0] : place < ports.count ? ports[place] : ""
        return port.isEmpty ? String(name) : "\(name):\(port)"
      }.joined(separator: ",")
      rest.removeAll { $0 == "host" || $0 == "port" }
    }
    let options = rest.map { keyword in
      let value = keyword == "sslpassword" ? "…" : encoded(values[keyword] ?? "")
      return "\(keyword)=\(value)"
    }
    return "postgres://" + (user.isEmpty ? "" : user + "@") + places + "/"
      + encoded(values["dbname"] ?? "")
      + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
  }

  private static func encoded(_ text: String) -> String {
    let plain = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~/,"))
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? "…"
  }

  /// The database for a tool that only reads.
  var forReading: PostgresAddress {
    var address = self
    address.sessionAttributes = attributesForReading
    return address
  }

  /// Keywords and values for libpq, in the order of their priority: the URI replaces those before
  /// it.
  ///
  /// A connection whose peer's machine does not acknowledge what was sent is given up after 2
  /// seconds; a busy server acknowledges.
  /// - Source: postgresql.org/docs/15/libpq-connect.html
  func parameters(name: String) -> [Parameter] {
    [
      ("keepalives", "1"), ("keepalives_idle", "1"), ("keepalives_interval", "1"),
      ("keepalives_count", "2"), ("tcp_user_timeout", "2000"), ("fallback_application_name", name),
      ("dbname", uri), ("target_session_attrs", sessionAttributes), ("client_encoding", "UTF8"),
      ("connect_timeout", "\(connectSeconds)"),
    ]
  }

  package static func == (one: PostgresAddress, other: PostgresAddress) -> Bool {
    one.uri == other.uri
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(uri) }
}
