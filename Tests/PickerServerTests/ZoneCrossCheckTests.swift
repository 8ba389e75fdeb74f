import CivilTime
import Foundation
import Testing

@testable import PickerServer

/// Compares the system's zone database with the copy that Foundation embeds.
@Suite struct ZoneCrossCheckTests {
  private let zones = ZoneDatabase()
  private let start: Int64 = 946_684_800  // 2000-01-01T00:00:00Z
  private let end: Int64 = 1_767_225_600  // 2026-01-01T00:00:00Z

  /// Zones whose rules changed after Foundation's edition, with the reason.
  private let revised: [String: String] = [
    "Europe/Chisinau": "2026b: Moldova has used EU transition times since 2022"
  ]

  /// The offset at ``start`` and its changes up to ``end``.
  private func changes(_ rules: ZoneRules) -> [String] {
    var at = Instant(milliseconds: start * 1_000)
    var changes = ["\(rules.offsetSeconds(at: at))"]
    while let next = rules.nextTransition(after: at), next.at < end {
      at = Instant(milliseconds: next.at * 1_000)
      changes.append("\(at.rfc3339) \(next.offsetSeconds)")
    }
    return changes
  }

  @Test func `both databases agree on every zone from 2000 to 2025`() throws {
    var compared = 0
    var differing: [String: String] = [:]
    for name in TimeZone.knownTimeZoneIdentifiers {
      guard let system = zones.rules(named: name) else { continue }
      let embedded = try #require(FoundationZones.rules(named: name))
      compared += 1
      let (ours, theirs) = (changes(system), changes(embedded))
      guard ours != theirs else { continue }
      differing[name] =
        "system only \(Set(ours).subtracting(theirs).sorted()), "
        + "Foundation only \(Set(theirs).subtracting(ours).sorted())"
    }

    #expect(compared > 400)
    #expect(differing.filter { revised[$0.key] == nil } == [:])
    if zones.version == "2026f" {
      #expect(Set(differing.keys) == Set(revised.keys), "a listed difference no longer exists")
    }
  }

  @Test func `the database has all of Foundation's names`() {
    let unknown = TimeZone.knownTimeZoneIdentifiers.filter { zones.rules(named: $0) == nil }
    #expect(unknown == [])
  }
}
