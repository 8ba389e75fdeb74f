import JSONText

/// Checks the syntax of IANA zone names before they are used in file paths.
enum ZoneName {
  /// The maximum length; the longest name in the database has 32 characters.
  static let characterCountMax = 64

  /// Entries in the database's directory that are not zones: rules with leap seconds, copies, the
  /// machine's own setting, and the zone that means "not set".
  private static let notZones: Set<Substring> = [
    "right", "posix", "localtime", "posixrules", "Factory",
  ]

  /// Whether `name` has the syntax of a zone name: one to three parts of letters, digits, `_`, `+`
  /// and `-`, each of which begins with a letter.
  ///
  /// - Source: The tz database's `theory.html`, "Timezone identifiers".
  static func isPlausible(_ name: String) -> Bool {
    guard name.utf8.count <= characterCountMax else { return false }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 3, !notZones.contains(parts[0]) else { return false }
    return parts.allSatisfy { part in
      part.utf8.first?.isLetter == true && part.isWord(with: "_+-")
    }
  }
}
