extension ServerConfiguration {
  /// Validates `--calendar-name`.
  ///
  /// - Throws: For a name with characters that would have to be escaped in a UID.
  static func calendarName(_ text: String) throws(ConfigurationProblem) -> String {
    let isName = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: ".")
    }
    guard isName, (1...253).contains(text.utf8.count) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not a valid name. Use letters, digits, - "
          + "and ., such as pick.example.org.")
    }
    return text
  }

  /// Validates `--outlook-link`.
  ///
  /// - Throws: Unless it is an https URL that contains `{start}`.
  static func outlookLink(_ text: String) throws(ConfigurationProblem) -> String {
    let isVisible = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard text.hasPrefix("https://"), isVisible, text.utf8.count <= 2_000,
      text.contains("{start}")
    else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not a valid template. Use an https:// URL "
          + "with {start}; {end}, {title} and {allday} are optional.")
    }
    return text
  }
}
