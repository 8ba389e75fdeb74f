import Foundation
package import SessionLog

/// The location of the session store.
package enum StoreLocation: Hashable, Sendable, CustomStringConvertible {
  /// The process's memory; sessions are lost when it ends.
  case memory
  case sqlite(path: String)
  case postgres(PostgresAddress)

  /// Why this pickerd cannot use the tables of the store; `nil` also if that cannot be found out.
  package var problem: StoreProblem? {
    switch self {
    case .memory: nil
    case .sqlite(let path): StoreCheck.problem(ofFile: path)
    case .postgres(let address): StoreCheck.problem(of: address)
    }
  }

  /// The location with all options of a database's URI, which ``description`` does not have.
  var uriWithoutPasswords: String {
    if case .postgres(let address) = self { address.uriWithoutPasswords } else { description }
  }

  /// Whether several nodes can use it.
  var isClustered: Bool {
    if case .postgres = self { true } else { false }
  }

  /// Parses `memory:`, `sqlite:PATH`, `sqlite:`, which means the file in the state directory, or a
  /// libpq URI, `postgres://…`.
  ///
  /// - Throws: ``ConfigurationProblem`` for any other store.
  package init(_ text: String) throws(ConfigurationProblem) {
    if text == "memory:" {
      self = .memory
    } else if text.hasPrefix("sqlite:"), !text.contains("\0") {
      let path = String(text.dropFirst("sqlite:".count))
      self = path.isEmpty ? .standard : .sqlite(path: path)
    } else if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
      self = .postgres(try StoreLocation.address(text))
    } else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not a supported store. Use sqlite:PATH, sqlite: "
          + "(means \(StoreLocation.standard)), postgres://USER@HOST/DATABASE, or memory: "
          + "(sessions are lost when the process ends).")
    }
  }

  private static func address(_ uri: String) throws(ConfigurationProblem) -> PostgresAddress {
    do throws(StoreProblem) {
      return try PostgresAddress(uri)
    } catch {
      throw ConfigurationProblem("\(error).")
    }
  }

  /// `pickerd.sqlite` in systemd's state directory or in the user's.
  /// - Source: systemd.exec(5), `STATE_DIRECTORY`; XDG Base Directory Specification.
  package static var standard: StoreLocation {
    let environment = ProcessInfo.processInfo.environment
    if let directory = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
      return .sqlite(path: "\(directory)/pickerd.sqlite")
    }
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      return .sqlite(path: "\(state)/pickerd/pickerd.sqlite")
    }
    let home = environment["HOME"] ?? NSHomeDirectory()
    return .sqlite(path: "\(home)/.local/state/pickerd/pickerd.sqlite")
  }

  package var description: String {
    switch self {
    case .memory: "memory:"
    case .sqlite(let path): "sqlite:\(path)"
    case .postgres(let address): address.description
    }
  }
}
