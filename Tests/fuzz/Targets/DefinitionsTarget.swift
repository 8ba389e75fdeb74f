import CivilTime
import JSONText
import PickerModel
import PickerWire

/// Creates a picker from a definition, encodes and decodes it, and advances the time.
enum DefinitionsTarget {
  /// Friday, 2026-11-20, 12:00 in UTC.
  static let noon = Instant(milliseconds: 1_795_176_000_000)
  private static let day: Int64 = 86_400_000
  /// Small limits, so that definitions at their maxima do not dominate the run time.
  private static let limits: DefinitionLimits = {
    var limits = DefinitionLimits()
    limits.nodesMax = 200
    limits.monthsMax = 200
    limits.blockedMax = 20
    limits.daysMax = 40
    return limits
  }()

  static func run(_ input: [UInt8]) throws(FuzzFailure) {
    guard let tree = try? JSONTree.parse(input, depthMax: 128) else { return }
    guard let definition = try? make(tree) else { return }
    let document = definition.document(full: true)
    guard let again = try? make(document) else {
      throw FuzzFailure("a definition's document is a definition: \(text(document))")
    }
    try require(again.document(full: true) == document, "a document is encoded as it was decoded")
    guard var picker = try? Picker(definition, now: noon) else { return }
    try use(&picker)
    _ = HTTPDocument.check(picker, texts: SimplifiedChineseTexts(), windowRows: 20)
  }

  static func makesPicker(_ input: [UInt8]) -> Bool {
    guard let tree = try? JSONTree.parse(input, depthMax: 128),
      let definition = try? make(tree)
    else { return false }
    return (try? Picker(definition, now: noon)) != nil
  }

  private static func make(_ tree: JSONTree) throws(DefinitionProblem) -> Definition {
    try Definition.make(from: tree, limits: limits, now: noon, zone: FuzzZones.named)
  }

  private static let someone = Actor(
    MemberID("m"), limits: PickerLimits(respondentsMax: 9, runsMax: 9))

  /// Selects or taps, and advances the time by an hour, a day and a year.
  private static func use(_ picker: inout Picker) throws(FuzzFailure) {
    try check(picker)
    for wait in [0, day / 24, day, 365 * day] {
      let before = picker.asOf
      _ = picker.tick(before.adding(milliseconds: wait))
      try check(picker)
      for column in picker.columns.indices {
        let count = picker.columns[column].rows.count
        for row in [count - 1, count / 2, 0, count] {
          let generation = picker.columns[column].generation
          let selection = RowSelection(column: column, row: row, generation: generation, key: nil)
          _ = try? picker.perform(.select(selection), by: someone)
        }
      }
      if let months = picker.months {
        for month in [months.first, months.last] {
          for cell in [0, 9, 27, 41, 42] {
            _ = try? picker.perform(.tap(.cell(month, cell)), by: someone)
            try check(picker)
          }
        }
      }
      try check(picker)
      try require(picker == Picker(picker.definition, state: picker.state), "a state is restored")
    }
  }

  private static func check(_ picker: Picker) throws(FuzzFailure) {
    if let sentence = picker._checkInvariants() {
      throw FuzzFailure("not true: \(sentence): \(text(picker.definition.document(full: true)))")
    }
  }

  private static func text(_ tree: JSONTree) -> String {
    String(decoding: tree.serialized(), as: UTF8.self)
  }
}

/// Zones with and without clock changes.
enum FuzzZones {
  static func named(_ name: String) -> ZoneRules? {
    switch name {
    case "UTC": .utc
    case "Asia/Shanghai": shanghai
    case "America/Havana": havana
    default: nil
    }
  }

  private static let shanghai = ZoneRules(
    name: "Asia/Shanghai", initialOffsetSeconds: 28_800, transitions: [], footer: nil)

  /// A zone whose clocks change at midnight.
  private static let havana = ZoneRules(
    name: "America/Havana", initialOffsetSeconds: -18_000, transitions: [],
    footer: try! PosixZoneRule.parse("CST5CDT,M3.2.0/0,M11.1.0/1".utf8))
}
