/// A part of the server whose settings can change while it runs: SIGHUP reads the configuration
/// again.
protocol Reloadable: Sendable {
  /// Checks the part's settings, and reads the files that they name.
  ///
  /// - Returns: Applies the settings. It is only called if every part accepts its settings, so that
  ///   a reload changes everything or nothing. Called on any thread.
  /// - Throws: ``ConfigurationProblem`` to keep the former settings of all parts.
  func prepare(
    _ settings: ServerConfiguration
  ) throws(ConfigurationProblem) -> @Sendable () -> Void
}
