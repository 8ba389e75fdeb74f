extension ServerConfiguration.Authentication {
  /// Parses `open`, `token` or `keys:FILE`, and checks the file.
  init(_ text: String, readsFile: Bool = true) throws(ConfigurationProblem) {
    let prefix = "keys:"
    switch text {
    case "open": self = .open
    case "token": self = .token
    case let text where text.hasPrefix(prefix) && text != prefix && !text.contains("\0"):
      let file = String(text.dropFirst(prefix.count))
      do throws(KeyFileProblem) {
        if readsFile { _ = try KeyFile(path: file) }
      } catch {
        throw ConfigurationProblem(error.description)
      }
      self = .keys(file: file)
    default:
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not valid. Use one of open, token, "
          + "keys:FILE.")
    }
  }
}

extension ServerConfiguration {
  static func audience(_ text: String) throws(ConfigurationProblem) -> String {
    guard (1...200).contains(text.utf8.count) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not valid. Use 1 to 200 bytes, as in the "
          + "aud of the tokens.")
    }
    return text
  }
}
