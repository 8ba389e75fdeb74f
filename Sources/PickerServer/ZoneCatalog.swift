/// The names that the zone database knows, and its version: `tzdata.zi`, as `zic` writes it.
///
/// - Source: zic(8), "abbreviated input": `Z NAME …`, `L TARGET LINK`, `# version VERSION`.
struct ZoneCatalog: Sendable {
  /// Such as `2026f`.
  private(set) var version: String?
  /// Every zone and link by name; the value is the zone that a link stands for, else the name.
  private(set) var targets: [String: String] = [:]

  /// - Parameter text: The whole of a `tzdata.zi`; lines of other kinds are passed over.
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

  /// The zone that has its own rules behind `name`, following links to links.
  ///
  /// - Returns: `nil` if the database has no such name, or its links run in a circle.
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
