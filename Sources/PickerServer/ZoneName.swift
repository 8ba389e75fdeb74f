/// What an IANA zone name may look like, before any file is looked for.
enum ZoneName {
  /// The longest name; the database's longest has 32.
  static let characterCountMax = 64

  /// What stands beside the zones and is none: the same rules with leap seconds, copies, what this
  /// machine happens to be set to, and the zone that means "not set".
  private static let notZones: Set<Substring> = [
    "right", "posix", "localtime", "posixrules", "Factory",
  ]

  /// Whether `name` can be a zone's: relative, of plain parts (letters, digits, `_`, `+`, `-`) none
  /// of which starts with a sign or is empty, at most three deep.
  ///
  /// - Source: The tz database's `theory.html`, "Timezone identifiers".
  static func isPlausible(_ name: String) -> Bool {
    guard name.utf8.count <= characterCountMax else { return false }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 3, !notZones.contains(parts[0]) else { return false }
    return parts.allSatisfy { part in
      guard let first = part.utf8.first, isLetter(first) else { return false }
      return part.utf8.allSatisfy { byte in
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "+")
          || byte == UInt8(ascii: "-")
      }
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
