import CivilTime
import Foundation
import GRDB
import JSONText
import PickerHub
import PickerModel
import PickerSession

/// Reads sessions back.
enum SQLiteReading {
  /// Deltas that a session has at least when it comes back with members.
  /// - Source: protocol.md, "Order, time, and getting it back".
  static let historyCountMin = 1000

  /// Folds a session from the newest snapshot that leaves enough history, and its tail.
  ///
  /// - Parameters:
  ///   - definition: Makes its first definition, or finds it.
  ///   - make: Makes a later one from its document, or finds it.
  /// - Returns: `nil` if there is no such session.
  /// - Throws: ``StoredProblem`` or SQLite's error.
  static func load(
    _ id: SessionID, limits: SessionLimits, _ database: Database,
    definition: (StoredOrigin) throws -> Definition, make: (JSONTree) -> Definition?
  ) throws -> LoadedSession? {
    guard
      let row = try Row.fetchOne(
        database,
        sql: "SELECT number, epoch, origin, entryCount, activeAt FROM session WHERE id = ?",
        arguments: [id.text])
    else { return nil }
    let (origin, limits) = try created(id, row, limits, definition: definition)
    var (fold, place, isIdle) = try start(
      row[0], origin, limits: limits, database, make: make)
    let startPlace = place
    let entries = try Data.fetchCursor(
      database, sql: "SELECT body FROM entry WHERE session = ? AND place > ? ORDER BY place",
      arguments: [row["number"] as Int64, place])
    while let body = try entries.next() {
      _ = fold.apply(try entry(body, of: id, after: fold.definition, make: make))
      place += 1
    }
    guard place == row["entryCount"] else {
      throw StoredProblem("session \(id) has \(place) entries of \(row["entryCount"] as Int)")
    }
    let idle = Int64(Date.now.timeIntervalSince1970 * 1000) - (row["activeAt"] as Int64)
    return LoadedSession(
      fold: fold, entryCount: place, idleMilliseconds: max(0, idle),
      isSnapshotted: isIdle && place == startPlace)
  }

  /// The whole log of a session.
  static func entries(
    of origin: SessionOrigin, _ database: Database, make: (JSONTree) -> Definition?
  ) throws -> [LogEntry] {
    let id = origin.id
    var definition = origin.definition
    let bodies = try Data.fetchCursor(
      database,
      sql: """
        SELECT body FROM entry JOIN session ON session.number = entry.session
        WHERE session.id = ? ORDER BY place
        """, arguments: [id.text])
    var entries: [LogEntry] = []
    while let body = try bodies.next() {
      let entry = try entry(body, of: id, after: definition, make: make)
      if case .define(let change) = entry.body { definition = change.definition }
      entries.append(entry)
    }
    return entries
  }

  /// A session's origin, and the limits under which it goes on.
  static func created(
    _ id: SessionID, _ row: Row, _ limits: SessionLimits,
    definition: (StoredOrigin) throws -> Definition
  ) throws -> (origin: SessionOrigin, limits: SessionLimits) {
    let data: Data = row["origin"]
    let stored = try StoredOrigin([UInt8](data), of: id)
    let origin = try SessionOrigin(
      id: id, epoch: row["epoch"], stored.others, definition: try definition(stored))
    return (origin, limits.asCreated(stored.others))
  }

  /// Levels of an entry or a snapshot: enough for the deepest tree of nodes that is accepted.
  static let depthMax = 128

  /// - Parameter definition: The one before the entry.
  static func entry(
    _ body: Data, of id: SessionID, after definition: Definition,
    make: (JSONTree) -> Definition?
  ) throws -> LogEntry {
    let tree = try JSONTree.parse([UInt8](body), depthMax: depthMax)
    guard let entry = LogEntry(tree: tree, after: definition, make: make) else {
      throw StoredProblem("an entry of session \(id) is not as pickerd writes it")
    }
    return entry
  }

  /// Where folding begins: the last idle snapshot, or a later one with the last 1,000 deltas after
  /// it, or the session's creation.
  private static func start(
    _ number: Int64, _ origin: SessionOrigin, limits: SessionLimits, _ database: Database,
    make: (JSONTree) -> Definition?
  ) throws -> (SessionFold, place: Int, isIdle: Bool) {
    let newest = try Row.fetchOne(
      database,
      sql: "SELECT * FROM snapshot WHERE session = ? ORDER BY place DESC LIMIT 1",
      arguments: [number])
    guard let newest else { return (try created(origin, limits), 0, false) }
    if newest["isIdle"] { return try fold(newest, origin, limits, make: make) }
    let base = try Row.fetchOne(
      database,
      sql: """
        SELECT * FROM snapshot WHERE session = ? AND (isIdle OR revision <= ?)
        ORDER BY place DESC LIMIT 1
        """,
      arguments: [number, (newest["revision"] as Int) - max(historyCountMin, limits.history)])
    guard let base else { return (try created(origin, limits), 0, false) }
    return try fold(base, origin, limits, make: make)
  }

  private static func created(
    _ origin: SessionOrigin, _ limits: SessionLimits
  ) throws -> SessionFold {
    try SessionFold(origin, limits: limits)
  }

  private static func fold(
    _ row: Row, _ origin: SessionOrigin, _ limits: SessionLimits,
    make: (JSONTree) -> Definition?
  ) throws -> (SessionFold, place: Int, isIdle: Bool) {
    let data: Data = row["body"]
    let tree = try JSONTree.parse([UInt8](data), depthMax: depthMax)
    guard let kept = SessionFold.Kept(tree: tree, make: make),
      kept.picker.fits(origin.definition)
    else {
      throw StoredProblem("a snapshot of session \(origin.id) is not as pickerd writes it")
    }
    return (SessionFold(origin, limits: limits, kept: kept), row["place"], row["isIdle"])
  }
}
