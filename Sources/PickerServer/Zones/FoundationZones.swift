import CivilTime
import Foundation

/// Zone rules from the copy of the time zone database that is embedded in Foundation.
///
/// This is a fallback: the copy is as old as the toolchain, and has no transitions after 2037.
enum FoundationZones {
  /// The embedded copy's version, such as `2025b`.
  static var version: String { TimeZone.timeZoneDataVersion }

  /// Earlier transitions are ignored: 1901-12-13T20:45:52Z, where 32-bit TZif data starts.
  private static let startSeconds: Int64 = -(1 << 31)
  /// Later transitions are ignored: 2038-01-01T00:00:00Z.
  private static let endSeconds: Int64 = 2_145_916_800

  /// The rules of `name`, or `nil` if Foundation does not know exactly that name.
  static func rules(named name: String) -> ZoneRules? {
    // Foundation also accepts offsets and abbreviations (`GMT+3`, `PST`), which are not names.
    guard name.contains("/") || TimeZone.knownTimeZoneIdentifiers.contains(name),
      let zone = TimeZone(identifier: name)
    else { return nil }

    var transitions: [(at: Int64, offsetSeconds: Int)] = []
    let initial = zone.secondsFromGMT(for: date(startSeconds))
    var current = initial
    var at = date(startSeconds)
    while let next = zone.nextDaylightSavingTimeTransition(after: at), next > at,
      next < date(endSeconds)
    {
      let offset = zone.secondsFromGMT(for: next)
      if offset != current {
        transitions.append((Int64(next.timeIntervalSince1970.rounded()), offset))
      }
      current = offset
      at = next
    }
    return ZoneRules(
      name: name, initialOffsetSeconds: initial, transitions: transitions, footer: nil)
  }

  private static func date(_ seconds: Int64) -> Date {
    Date(timeIntervalSince1970: TimeInterval(seconds))
  }
}
