/// Where sessions are kept.
package enum StoreLocation: Hashable, Sendable, CustomStringConvertible {
  /// In this process; they end with it.
  case memory

  /// Reads `memory:`.
  ///
  /// - Throws: ``ConfigurationProblem`` for any other store.
  package init(_ text: String) throws(ConfigurationProblem) {
    guard text == "memory:" else {
      throw ConfigurationProblem(
        option: "--store",
        detail: "\(ConfigurationProblem.shown(text)) is no store that this pickerd has. "
          + "Possible is memory: (sessions live in the process and end with it).")
    }
    self = .memory
  }

  package var description: String { "memory:" }
}
