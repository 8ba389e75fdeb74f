/// The names and the version of the time zone database, from the file `tzdata.zi`.
///
/// - Source: zic(8), "abbreviated input": `Z NAME …`, `L TARGET LINK`, `# version VERSION`.
struct ZoneCatalog: Sendable {
  /// Such as `2026f`.
  private(set) var version: String?
  /// All zones and links by name. The value is the target of a link, or the name of a zone itself.
  private(set) var targets: [String: String] = [:]

  /// - Parameter text: The content of `tzdata.zi`; lines of other kinds are ignored.
  init(text: [UInt8]) {
    for line in text.split(separator: UInt8(ascii: "\n")) {
      switch line.first {
      case UInt8(ascii: "#") where version == nil:
        let words = ZoneCatalog.words(of: line, most: 3)
        if words.count == 3, words[1] == "version" { version = words[2] }
      case UInt8(ascii: "Z"):
        let words = ZoneCatalog.words(of: line, most: 2)
        if words.count == 2 { targets[words[1]] = words[1] }
      case UInt8(ascii: "L"):
        let words = ZoneCatalog.words(of: line, most: 3)
        if words.count == 3 { targets[words[2]] = words[1] }
      default: continue
      }
    }
  }

  /// The zone that `name` refers to, following links.
  ///
  /// - Returns: `nil` if the database does not have the name, or more than three links must be
  ///   followed, as in a cycle.
  func zone(behind name: String) -> String? {
    var name = name
    for _ in 0..<4 {
      guard let target = targets[name] else { return nil }
      if target == name { return name }
      name = target
    }
    return nil
  }

  private static func words(of line: ArraySlice<UInt8>, most: Int) -> [String] {
    line.split(separator: UInt8(ascii: " "), maxSplits: most)
      .prefix(most).map { String(decoding: $0, as: UTF8.self) }
  }
}
