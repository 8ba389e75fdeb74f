import CivilTime
import Foundation
import JSONText
import PickerModel
import Synchronization

/// The system's time zones, each read once.
enum Zones {
  private static let known = Mutex<[String: ZoneRules]>([:])

  static func named(_ name: String) -> ZoneRules? {
    known.withLock { known in
      if let zone = known[name] { return zone }
      let path = "/usr/share/zoneinfo/\(name)"
      guard let data = FileManager.default.contents(atPath: path),
        let zone = try? TZifFile.parse(Array(data), name: name)
      else { return nil }
      known[name] = zone
      return zone
    }
  }
}

extension Instant {
  init(_ text: String) { self.init(rfc3339: text.utf8)! }
}

extension CivilDate {
  init(_ text: String) { self.init(iso: text.utf8)! }
}

extension CivilMonth {
  init(_ text: String) { self.init(iso: text.utf8)! }
}

extension DateRange {
  init(_ start: String, _ end: String, hits: Int) {
    self.init(start: CivilDate(start), end: CivilDate(end), hits: hits)
  }
}

extension Definition {
  static func make(
    _ json: String, now: Instant? = nil, limits: DefinitionLimits = DefinitionLimits()
  ) throws -> Definition {
    let tree = try JSONTree.parse(Array(json.utf8), depthMax: 4_096)
    return try make(from: tree, limits: limits, now: now, zone: Zones.named)
  }
}

extension Picker {
  init(_ json: String, at now: String) throws {
    try self.init(Definition.make(json), now: Instant(now))
  }

  /// The selected keys of all columns that have rows.
  var keys: [String] { columns.compactMap(\.selectedKey) }

  mutating func tick(_ now: String) -> TickAnswer { tick(Instant(now)) }

  mutating func tap(_ date: String, mayClose: Bool = true) throws -> [PickerChange] {
    try tap(.date(CivilDate(date)), mayClose: mayClose)
  }

  /// Selects the row with `key`.
  mutating func select(key: String, column: Int) throws -> [PickerChange] {
    try select(row: row(ofKey: key, column: column)!, column: column)
  }
}

extension ColumnRows {
  var keys: [String] { (0..<count).map(key(at:)) }
}

/// A short text per change, for comparison.
func summary(_ changes: [PickerChange]) -> [String] {
  changes.map { change in
    switch change {
    case .reload(let column, let state):
      return "reload \(column) #\(state.generation) of \(state.rows.count)"
    case .removal(let column, let generation): return "removal \(column) #\(generation)"
    case .row(let column, let move):
      let why = move.reason.map { " \($0.rawValue) \(move.wanted ?? "-")" } ?? ""
      return "row \(column) \(move.key) \(move.cause.rawValue)\(why)"
    case .months(let list): return "months \(list.first) \(list.last) \(list.count)"
    case .range(let change):
      let range = change.range.map { "\($0.start) \($0.end) \($0.hits)" } ?? "none"
      let why = change.reason.map { " \($0.rawValue)" } ?? ""
      let wanted = change.wanted.map { " \($0)" } ?? ""
      let reach = change.reach.map { " reach \($0.lowerBound) \($0.upperBound)" } ?? ""
      return "range \(range) \(change.cause.rawValue)\(why)\(wanted)\(reach)"
    case .cells(let change): return "cells \(change.cells.count) #\(change.generation)"
    case .past(let past): return "past \(past)"
    case .closed(let isClosed): return "closed \(isClosed)"
    case .marks(let change):
      let runs = change.runs.map { run in
        "\(run.cells.lowerBound)-\(run.cells.upperBound) \(run.grade.map { "\($0.name)" } ?? "none")"
      }
      return "marks \(change.respondent) \(runs.joined(separator: ", "))"
    case .heat(let change): return "heat of \(change.respondentCount)"
    case .best(let change): return "best \(change.windows.map { $0.window.cell })"
    }
  }
}

/// A seeded random source.
struct RandomSource: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// - Source: Sebastiano Vigna, SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
