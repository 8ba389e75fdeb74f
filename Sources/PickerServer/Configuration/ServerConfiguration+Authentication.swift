extension ServerConfiguration.Authentication {
  /// Parses `open`, `token` or `keys:FILE`, and checks the file.
  init(_ text: String, readsFile: Bool = true) throws(ConfigurationProblem) {
    let prefix = "keys:"
    switch text {
    case "open": self = .open
    case "token": self = .token
    case let text where text.hasPrefix(prefix) && text != prefix:
      let file = String(text.dropFirst(prefix.count))
      self = .keys(file: try ServerConfiguration.keyFile(file, isRead: readsFile))
    default:
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not valid. Use one of open, token, "
          + "keys:FILE.")
    }
  }
}

extension ServerConfiguration {
  /// The path of a key file, which is checked if `isRead`.
  static func keyFile(_ path: String, isRead: Bool) throws(ConfigurationProblem) -> String {
    guard !path.contains("\0") else {
      throw ConfigurationProblem("\(ConfigurationProblem.shown(path)) is not a path.")
    }
    do throws(KeyFileProblem) {
      if isRead { _ = try KeyFile(path: path) }
    } catch {
      throw ConfigurationProblem(error.description)
    }
    return path
  }

  static func audience(_ text: String) throws(ConfigurationProblem) -> String {
    guard (1...200).contains(text.utf8.count) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not valid. Use 1 to 200 bytes, as in the "
          + "aud of the tokens.")
    }
    return text
  }
}
