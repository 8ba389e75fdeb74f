import CLibPQ
import Foundation
import Synchronization

/// The IP addresses of hosts, so that a node that loses the network finds that out without waiting
/// for its resolver: libpq resolves names synchronously. An address that does not answer once is
/// forgotten.
final class ResolvedHosts: Sendable {
  private let addresses = Mutex<[Int: String]>([:])

  subscript(place: Int) -> String? {
    get { addresses.withLock { $0[place] } }
    set { addresses.withLock { $0[place] = newValue } }
  }
}

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
  /// The seconds for a connection attempt. A host that does not answer is given up after 2 seconds,
  /// libpq's minimum.
  let connectSeconds: Int
  /// Keywords and values that replace the URI's list of hosts, for each of them.
  private let hosts: [[Parameter]]
  /// libpq's `target_session_attrs`.
  private var sessionAttributes = "read-write"
  /// `target_session_attrs` for a tool that only reads: that of the URI. By default a URI with one
  /// host may name a standby; of several hosts the primary is used.
  private let attributesForReading: String
  /// The IP addresses of hosts to which connections were established, by the places of the hosts.
  let resolved = ResolvedHosts()
  let currentServer = CurrentServer()

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
    self.hosts = PostgresAddress.hosts(values)
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

  private static func hosts(_ values: [String: String]) -> [[Parameter]] {
    let lists = ["host", "hostaddr", "port"].map { keyword in
      (keyword, (values[keyword] ?? "").split(separator: ",", omittingEmptySubsequences: false))
    }
    let count = lists.map(\.1.count).max() ?? 1
    // libpq reports lists of different lengths.
    guard count > 1, lists.allSatisfy({ $0.1.count == count || $0.1.count == 1 }) else {
      return [[]]
    }
    return (0..<count).map { place in
      lists.compactMap { keyword, list in
        values[keyword].map { _ in (keyword, String(list.count == 1 ? list[0] : list[place])) }
      }
    }
  }

  /// Keywords and values for libpq, in the order of their priority, for each of the hosts: the URI
  /// replaces those before it.
  ///
  /// A connection whose peer's machine does not acknowledge what was sent is given up after 2
  /// seconds; a busy server acknowledges.
  /// - Source: postgresql.org/docs/15/libpq-connect.html
  func parameters(name: String) -> [[Parameter]] {
    let common: [Parameter] = [
      ("keepalives", "1"), ("keepalives_idle", "1"), ("keepalives_interval", "1"),
      ("keepalives_count", "2"), ("tcp_user_timeout", "2000"), ("fallback_application_name", name),
      ("dbname", uri), ("target_session_attrs", sessionAttributes), ("client_encoding", "UTF8"),
    ]
    return hosts.enumerated().map { place, host in
      let hasAddress = host.contains { $0.keyword == "hostaddr" }
      let known = hasAddress ? nil : resolved[place].map { ("hostaddr", $0) as Parameter }
      return common + host + [known].compactMap(\.self)
    }
  }

  package static func == (one: PostgresAddress, other: PostgresAddress) -> Bool {
    one.uri == other.uri
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(uri) }
}
