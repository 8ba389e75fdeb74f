/// Reads the configuration from command line options, environment and file, at the start and on
/// SIGHUP.
package struct ConfigurationLoader: Sendable {
  private let options: [Setting: [String]]
  private let environment: [String: String]

  package init(options: [Setting: [String]], environment: [String: String]) {
    self.options = options
    self.environment = environment
  }

  /// - Parameter readsKeys: Whether the key files are checked, too.
  /// - Throws: ``ConfigurationProblems`` with all problems of all sources.
  package func load(readsKeys: Bool = true) throws(ConfigurationProblems) -> LoadedConfiguration {
    let path = ConfigurationTexts(options: options, environment: environment)[.config].last?.text
    let file = path.map { ConfigurationFile(path: $0) }
    let texts = ConfigurationTexts(
      options: options, environment: environment, file: file?.texts ?? [:])
    let fileProblems = file?.problems ?? []
    let settings: ServerConfiguration
    do throws(ConfigurationProblems) {
      settings = try ServerConfiguration(texts, readsKeys: readsKeys)
    } catch {
      throw ConfigurationProblems(fileProblems + error.all)
    }
    guard fileProblems.isEmpty else { throw ConfigurationProblems(fileProblems) }
    return LoadedConfiguration(settings, texts)
  }
}
