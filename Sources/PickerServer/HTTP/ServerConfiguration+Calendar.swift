extension ServerConfiguration {
  /// - Throws: For a name that would not be part of a UID as it stands.
  static func calendarName(_ text: String) throws(ConfigurationProblem) -> String {
    let isName = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: ".")
    }
    guard isName, (1...253).contains(text.utf8.count) else {
      throw ConfigurationProblem(
        option: "--calendar-name",
        detail: "\(ConfigurationProblem.shown(text)) is not a name. It has letters, digits, - and "
          + ".: such as pick.example.org.")
    }
    return text
  }

  /// - Throws: For what is no URL that can have an event's start in it.
  static func outlookLink(_ text: String) throws(ConfigurationProblem) -> String {
    let isVisible = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard text.hasPrefix("https://"), isVisible, text.utf8.count <= 2_000,
      text.contains("{start}")
    else {
      throw ConfigurationProblem(
        option: "--outlook-link",
        detail: "\(ConfigurationProblem.shown(text)) is not a template. It begins with https://, "
          + "has {start}, and may have {end}, {title} and {allday}.")
    }
    return text
  }
}
