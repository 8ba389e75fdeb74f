import Foundation

/// Where sessions are kept.
package enum StoreLocation: Hashable, Sendable, CustomStringConvertible {
  /// In this process; they end with it.
  case memory
  /// In an SQLite file.
  case sqlite(path: String)

  /// Reads `memory:`, `sqlite:PATH`, or `sqlite:` for the file in the state directory.
  ///
  /// - Throws: ``ConfigurationProblem`` for any other store.
  package init(_ text: String) throws(ConfigurationProblem) {
    if text == "memory:" {
      self = .memory
    } else if text.hasPrefix("sqlite:"), !text.contains("\0") {
      let path = String(text.dropFirst("sqlite:".count))
      self = path.isEmpty ? .standard : .sqlite(path: path)
    } else {
      throw ConfigurationProblem(
        option: "--store",
        detail: "\(ConfigurationProblem.shown(text)) is no store that this pickerd has. Possible "
          + "are sqlite:PATH (a file), sqlite: (\(StoreLocation.standard)) and memory: (sessions "
          + "live in the process and end with it).")
    }
  }

  /// `pickerd.sqlite` in systemd's state directory, or the user's.
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
    }
  }
}
