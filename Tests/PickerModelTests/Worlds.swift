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

  mutating func tap(_ date: String, mayClose: Bool = true) throws(Refusal) -> [PickerChange] {
    try tap(.date(CivilDate(date)), mayClose: mayClose)
  }

  mutating func tap(
    _ target: TapTarget, mayClose: Bool = true
  ) throws(Refusal) -> [PickerChange] {
    try perform(.tap(target), mayClose: mayClose)
  }

  mutating func clear() -> [PickerChange] { (try? perform(.clear)) ?? [] }

  mutating func set(_ fields: ResultFields) throws(Refusal) -> [PickerChange] {
    try perform(.set(fields))
  }

  mutating func perform(
    _ action: PickerAction, by member: String = "m", mayClose: Bool = true,
    _ limits: PickerLimits = PickerLimits(respondentsMax: 9, runsMax: 9)
  ) throws(Refusal) -> [PickerChange] {
    try perform(action, by: Actor(MemberID(member), mayClose: mayClose, limits: limits))
  }

  /// Selects a row that the member sees.
  mutating func select(row: Int, column: Int) throws(Refusal) -> [PickerChange] {
    let generation = columns.indices.contains(column) ? columns[column].generation : 1
    return try perform(
      .select(RowSelection(column: column, row: row, generation: generation, key: nil)))
  }

  func row(ofKey key: String, column: Int) -> Int? {
    columns.indices.contains(column) ? columns[column].rows.row(ofKey: key) : nil
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
    case .columns(.reload(let column, let state)):
      return "reload \(column) #\(state.generation) of \(state.rows.count)"
    case .columns(.removal(let column, let generation)): return "removal \(column) #\(generation)"
    case .columns(.row(let column, let move)):
      let why = move.reason.map { " \($0.rawValue) \(move.wanted ?? "-")" } ?? ""
      let loss = move.loss.map { " \($0.rawValue)" } ?? ""
      return "row \(column) \(move.key) \(move.cause.rawValue)\(why)\(loss)"
    case .calendar(.months(let list)): return "months \(list.first) \(list.last) \(list.count)"
    case .calendar(.range(let change)):
      let range = change.range.map { "\($0.start) \($0.end) \($0.hits)" } ?? "none"
      let why = change.reason.map { " \($0.rawValue)" } ?? ""
      let wanted = change.wanted.map { " \($0)" } ?? ""
      let reach = change.reach.map { " reach \($0.lowerBound) \($0.upperBound)" } ?? ""
      return "range \(range) \(change.cause.rawValue)\(why)\(wanted)\(reach)"
    case .availability(.cells(let change)):
      return "cells \(change.cells.count) #\(change.generation)"
    case .availability(.past(let past)): return "past \(past)"
    case .availability(.closed(let isClosed)): return "closed \(isClosed)"
    case .availability(.marks(let change)):
      let runs = change.runs.map { run in
        "\(run.cells.lowerBound)-\(run.cells.upperBound) \(run.grade.map { "\($0.name)" } ?? "none")"
      }
      return "marks \(change.respondent) \(runs.joined(separator: ", "))"
    case .availability(.heat(let change)): return "heat of \(change.respondentCount)"
    case .availability(.best(let change)):
      return "best \(change.windows.map { $0.window.cell })"
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
