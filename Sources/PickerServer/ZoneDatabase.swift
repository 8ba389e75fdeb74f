package import CivilTime
import Foundation
import Synchronization

/// Zone rules by IANA name, from the system's zone database.
///
/// Each name's TZif file is read once and its rules are shared by every picker that names it. An
/// updated database is therefore seen after a restart. A zone whose file is missing comes from the
/// copy that Foundation embeds, which is older and ends in 2037.
/// - Source: RFC 9636; rules.md, "Time enters only as an argument".
package final class ZoneDatabase: Sendable {
  /// Rules are kept for this many names; the database has about 600.
  static let namesKeptMax = 1_000
  /// No zone's file is larger; the largest has about 3,700 bytes.
  static let fileByteCountMax = 65_536

  /// Where the files are, such as `/usr/share/zoneinfo`.
  package let directory: String
  /// The database's version, such as `2026f`; `nil` if the directory does not say.
  package let version: String?
  private let catalog: ZoneCatalog?
  private let kept = Mutex<[String: ZoneRules]>([:])

  /// Looks at the database; the zones are read when they are first asked for.
  ///
  /// - Parameter directory: Where the TZif files are. Default: what `TZDIR` in the environment
  ///   says, else `/usr/share/zoneinfo`.
  package init(directory: String? = nil) {
    let named = ProcessInfo.processInfo.environment["TZDIR"].flatMap { $0.isEmpty ? nil : $0 }
    let directory = directory ?? named ?? "/usr/share/zoneinfo"
    let text = RegularFile.read(directory + "/tzdata.zi", byteCountMax: 1 << 20)?.bytes
    let catalog = text.map(ZoneCatalog.init(text:))
    self.directory = directory
    self.catalog = catalog.flatMap { $0.targets.isEmpty ? nil : $0 }
    version = catalog?.version ?? ZoneDatabase.versionFile(in: directory)
  }

  /// One sentence for the start of the log: which database this is.
  package var summary: String {
    if rules(fromFile: "Europe/Berlin", named: "Europe/Berlin") == nil {
      return "zone database: none in \(directory); using Foundation's embedded copy "
        + "\(FoundationZones.version), which ends in 2037 (install tzdata)"
    }
    return "zone database: \(directory), version \(version ?? "unknown")"
  }

  /// The rules of the zone `name`.
  ///
  /// - Parameter name: An IANA zone or link, spelt exactly so (`Europe/Berlin`, `US/Pacific`).
  /// - Returns: `nil` if neither the database nor Foundation knows it. Safe for any text whatever.
  package func rules(named name: String) -> ZoneRules? {
    if name == "UTC" { return .utc }
    guard ZoneName.isPlausible(name) else { return nil }
    if let rules = kept.withLock({ $0[name] }) { return rules }

    guard let rules = found(name) else { return nil }
    return kept.withLock { kept in
      if let earlier = kept[name] { return earlier }
      if kept.count < ZoneDatabase.namesKeptMax { kept[name] = rules }
      return rules
    }
  }

  private func found(_ name: String) -> ZoneRules? {
    guard let catalog else {
      return rules(fromFile: name, named: name) ?? FoundationZones.rules(named: name)
    }
    guard let zone = catalog.zone(behind: name) else { return nil }
    // Debian may install the old links apart (tzdata-legacy): then the zone behind one is read.
    return rules(fromFile: name, named: name) ?? rules(fromFile: zone, named: name)
      ?? FoundationZones.rules(named: name)
  }

  private func rules(fromFile file: String, named name: String) -> ZoneRules? {
    let path = directory + "/" + file
    guard let read = RegularFile.read(path, byteCountMax: ZoneDatabase.fileByteCountMax) else {
      return nil
    }
    return try? TZifFile.parse(read.bytes, name: name)
  }

  /// The content of `+VERSION`, which other systems than Debian have.
  private static func versionFile(in directory: String) -> String? {
    guard let file = RegularFile.read(directory + "/+VERSION", byteCountMax: 64) else { return nil }
    let text = String(decoding: file.bytes, as: UTF8.self)
    return text.split(whereSeparator: \.isWhitespace).first.map(String.init)
  }
}
