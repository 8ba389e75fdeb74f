import CivilTime
import PickerHub
import PickerModel

/// Zones with all special cases: unusual offsets, clock changes at midnight, a skipped date.
final class SimulatedZones: ZoneSource {
  static let names = [
    "UTC", "Asia/Shanghai", "Asia/Kathmandu", "America/New_York", "America/Havana",
    "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo",
  ]

  func rules(named name: String) -> ZoneRules? { SimulatedZones.all[name] }

  private static let all: [String: ZoneRules] = [
    "UTC": .utc,
    "Asia/Shanghai": zone("Asia/Shanghai", 28_800),
    "Asia/Kathmandu": zone("Asia/Kathmandu", 20_700),
    "America/New_York": zone("America/New_York", -18_000, "EST5EDT,M3.2.0,M11.1.0"),
    "America/Havana": zone("America/Havana", -18_000, "CST5CDT,M3.2.0/0,M11.1.0/1"),
    "Australia/Lord_Howe": zone(
      "Australia/Lord_Howe", 37_800, "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"),
    // 2011-12-30 was skipped.
    "Pacific/Apia": ZoneRules(
      name: "Pacific/Apia", initialOffsetSeconds: -36_000,
      transitions: [(at: 1_325_239_200, offsetSeconds: 50_400)], footer: nil),
    // Daylight saving time starts at midnight, so the first hour of the day is skipped.
    "America/Sao_Paulo": zone("America/Sao_Paulo", -10_800, "<-03>3<-02>,M11.1.0/0,M2.3.0/0"),
  ]

  private static func zone(_ name: String, _ offset: Int, _ footer: String? = nil) -> ZoneRules {
    ZoneRules(
      name: name, initialOffsetSeconds: offset, transitions: [],
      footer: footer.map { try! PosixZoneRule.parse($0.utf8) })
  }
}

/// English, Chinese, and ``ThirdTexts``.
final class SimulatedTexts: TextSource {
  static let tags = ["en", "zh-Hans", "eo", "eo-DE", "zh-Hans-CN", "", "tlh", "x-y-z"]

  func texts(for tag: String) -> (any RowTexts)? {
    let parts = tag.split(separator: "-")
    for count in stride(from: parts.count, to: 0, by: -1) {
      switch parts.prefix(count).joined(separator: "-") {
      case "en": return EnglishTexts()
      case "zh-Hans": return SimplifiedChineseTexts()
      case "eo": return ThirdTexts()
      default: continue
      }
    }
    return nil
  }
}

/// A language whose texts contain the value and the function that made them.
private struct ThirdTexts: RowTexts {
  let tag = "eo"

  func year(_ year: Int) -> String { "jaro \(year)" }
  func month(_ month: Int) -> String { "monato \(month)" }
  func day(_ day: Int) -> String { "tago \(day)" }
  func slotDay(_ date: CivilDate, isToday: Bool) -> String {
    isToday ? "hodiaŭ \(date.iso)" : date.iso
  }
  func hour(_ hour: Int) -> String { "horo \(hour)" }
  func minute(_ minute: Int) -> String { "minuto \(minute)" }
  func cell(_ day: Int) -> String { "«\(day)»" }
  func monthTitle(_ month: CivilMonth) -> String { "titolo \(month)" }
  func weekday(_ weekday: Int) -> String { "semajntago \(weekday)" }
}
