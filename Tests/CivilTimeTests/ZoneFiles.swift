import CivilTime
import Foundation

/// The system's compiled time zones.
enum ZoneFiles {
  private static let folder = "/usr/share/zoneinfo"

  static func bytes(_ name: String) -> [UInt8] {
    Array(FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data())
  }

  static func rules(_ name: String) -> ZoneRules {
    try! TZifFile.parse(bytes(name), name: name)
  }

  /// Every zone of the database, without the copies with leap seconds.
  static let names: [String] = {
    let all = FileManager.default.enumerator(atPath: folder)!.compactMap { $0 as? String }
    return all.filter { name in
      !name.hasPrefix("right/") && !name.hasPrefix("posix")
        && bytes(name).starts(with: "TZif".utf8)
    }.sorted()
  }()

  /// Zones with unusual clock changes, and some ordinary ones.
  static let odd = [
    "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu", "Africa/Cairo", "America/Sao_Paulo",
    "America/Havana", "America/St_Johns", "Africa/Casablanca", "Asia/Gaza", "Europe/Dublin",
    "America/New_York", "Asia/Tehran", "Antarctica/Troll", "Pacific/Chatham", "Asia/Pyongyang",
    "America/Caracas",
  ]
}

extension ZoneRules {
  /// The instants at which the offset changes, in seconds, `first ..< last`.
  func changes(from first: String, to last: String) -> [Int64] {
    var changes: [Int64] = []
    var instant = Instant(rfc3339: first.utf8)!
    let end = Instant(rfc3339: last.utf8)!
    while let change = nextTransition(after: instant), change.at < end.seconds {
      changes.append(change.at)
      instant = Instant(seconds: change.at)
    }
    return changes
  }
}
