import CivilTime
import Foundation
import GRDB
import JSONText
import PickerHub
import PickerModel
import PickerSession

/// Reading stored sessions.
enum SQLiteReading {
  /// The outcome of reading a session.
  enum Outcome {
    /// - Parameter byteCount: The size of its log.
    case loaded(LoadedSession, byteCount: Int)
    /// Applying its entries with the current rules and zone database gives another state than its
    /// members have seen.
    case diverged(StoredDivergence)
  }

  /// Loads a session from its newest snapshot and the entries after it, and its recent deltas from
  /// an older snapshot.
  ///
  /// - Parameters:
  ///   - definition: Finds or makes the definition of its creation.
  ///   - make: Finds or makes a later definition from its document.
  /// - Returns: `nil` if there is no such session.
  /// - Throws: ``StoredProblem`` or SQLite's error.
  static func load(
    _ id: SessionID, limits: SessionLimits, _ versions: FoldVersions, _ database: Database,
    definition: (StoredOrigin) throws -> Definition, make: @escaping (JSONTree) -> Definition?
  ) throws -> Outcome? {
    guard let row = try session(id, database) else { return nil }
    let (origin, limits) = try created(id, row, limits, definition: definition)
    var folding = try StoredFolding(
      number: row["number"], origin, limits, versions, database, make: make)
    if let divergence = try folding.start(SnapshotSpacing(limits), row) {
      return .diverged(divergence)
    }
    let tail = try folding.foldTail(
      entryCount: row["entryCount"], eventSequence: row["eventSequence"])
    let idle = Int64(Date.now.timeIntervalSince1970 * 1000) - (row["activeAt"] as Int64)
    return .loaded(
      LoadedSession(
        fold: folding.fold, entryCount: folding.sequence, snapshotEntryCount: tail.start,
        spent: tail.spent, idleMilliseconds: max(0, idle),
        isSnapshotted: tail.isIdle, eventSequence: row["eventSequence"], missed: tail.missed),
      byteCount: row["byteCount"])
  }

  /// The row of a session that has not ended.
  static func session(_ id: SessionID, _ database: Database) throws -> Row? {
    try Row.fetchOne(
      database, sql: "SELECT * FROM session WHERE id = ? AND isEnded = 0", arguments: [id.text])
  }

  /// A session's origin, and the limits that stay in force for it.
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

  /// The maximum nesting of an entry or a snapshot: enough for the deepest tree that is accepted.
  static let depthMax = 128

  /// Decodes an entry.
  ///
  /// - Parameter definition: The definition before the entry.
  static func entry(
    _ body: Data, of id: SessionID, after definition: Definition, _ database: Database,
    make: (JSONTree) -> Definition?
  ) throws -> LogEntry {
    var tree = try JSONTree.parse([UInt8](body), depthMax: depthMax)
    if let digest = tree["digest"]?.string.flatMap({ Data(hexadecimal: $0) }),
      case .object(let members) = tree
    {
      let document = try StoredDocument.tree(digest, of: id, database)
      tree = .object(members + [.init("definition", document)])
    }
    guard let entry = LogEntry(tree: tree, after: definition, make: make) else {
      throw StoredProblem("an entry of session \(id) is not as pickerd writes it")
    }
    return entry
  }
}
