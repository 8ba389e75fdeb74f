package import CivilTime
import Foundation
import Synchronization

/// Zone rules by IANA name, from the system's time zone database.
///
/// The TZif file of each zone is read once and its rules are cached, so that an updated database
/// takes effect after a restart. If a file is missing, the copy embedded in Foundation is used,
/// which is older and ends in 2037.
/// - Source: RFC 9636.
package final class ZoneDatabase: Sendable {
  /// The maximum number of cached zones; the database has about 600 names.
  static let cachedNamesMax = 1_000
  /// Larger files are refused; the largest zone has about 3,700 bytes.
  static let fileByteCountMax = 65_536

  /// The directory of the database, such as `/usr/share/zoneinfo`.
  package let directory: String
  /// The database's version, such as `2026f`; `nil` if the directory has no version file.
  package let version: String?
  private let catalog: ZoneCatalog?
  private let cache = Mutex<[String: ZoneRules]>([:])

  /// Reads the list of names. Zones are read at their first use.
  ///
  /// - Parameter directory: The directory of the TZif files. Default: the environment variable
  ///   `TZDIR`, or `/usr/share/zoneinfo`.
  package init(directory: String? = nil) {
    let named = ProcessInfo.processInfo.environment["TZDIR"].flatMap { $0.isEmpty ? nil : $0 }
    let directory = directory ?? named ?? "/usr/share/zoneinfo"
    let text = RegularFile.read(directory + "/tzdata.zi", byteCountMax: 1 << 20)?.bytes
    let catalog = text.map(ZoneCatalog.init(text:))
    self.directory = directory
    self.catalog = catalog.flatMap { $0.targets.isEmpty ? nil : $0 }
    version = catalog?.version ?? ZoneDatabase.versionFile(in: directory)
  }

  /// A log line about the database and its version.
  package var summary: String {
    if rules(fromFile: "Europe/Berlin", named: "Europe/Berlin") == nil {
      return "zone database: not found in \(directory); using Foundation's embedded copy "
        + "\(FoundationZones.version), which ends in 2037; install tzdata"
    }
    return "zone database: \(directory), version \(version ?? "unknown")"
  }

  /// The rules of the zone `name`.
  ///
  /// - Parameter name: A case-sensitive IANA zone or link name (`Europe/Berlin`, `US/Pacific`), or
  ///   any other text, which may be untrusted.
  /// - Returns: `nil` if neither the database nor Foundation knows the name.
  package func rules(named name: String) -> ZoneRules? {
    if name == "UTC" { return .utc }
    guard ZoneName.isPlausible(name) else { return nil }
    if let rules = cache.withLock({ $0[name] }) { return rules }

    guard let rules = found(name) else { return nil }
    return cache.withLock { cached in
      if let earlier = cached[name] { return earlier }
      if cached.count < ZoneDatabase.cachedNamesMax { cached[name] = rules }
      return rules
    }
  }

  private func found(_ name: String) -> ZoneRules? {
    guard let catalog else {
      return rules(fromFile: name, named: name) ?? FoundationZones.rules(named: name)
    }
    guard let zone = catalog.zone(behind: name) else { return nil }
    // Debian has a separate package with old links (tzdata-legacy); without it read the target.
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

  /// The content of `+VERSION`, which exists on systems other than Debian.
  private static func versionFile(in directory: String) -> String? {
    guard let file = RegularFile.read(directory + "/+VERSION", byteCountMax: 64) else { return nil }
    let text = String(decoding: file.bytes, as: UTF8.self)
    return text.split(whereSeparator: \.isWhitespace).first.map(String.init)
  }
}
