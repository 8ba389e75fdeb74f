import Foundation
import GRDB
import JSONText
import PickerModel
import PickerSession

/// A stored snapshot: a row of the table `snapshot`, with its definitions.
struct StoredSnapshot {
  let sequence: Int
  let revision: Int
  let isIdle: Bool
  let rowCount: Int
  let body: Data
  /// The current and the shown definition of the state; `nil` if it is the origin's, or in
  /// ``body``.
  private let definition: Data?
  private let shown: Data?
  private let lacksDefinition: Bool
  let checksum: Int64?
  /// The versions with which it was made; `nil` if an older pickerd wrote it.
  let versions: FoldVersions?
  /// The versions of the log before it, if the log gives another state with later versions. The
  /// session then continued from this snapshot under a new epoch.
  let replaces: String?

  init(_ row: Row) {
    sequence = row["place"]
    revision = row["revision"]
    isIdle = row["isIdle"]
    rowCount = row["rowCount"]
    body = row["body"]
    definition = row["definitionBody"]
    shown = row["shownBody"]
    let digests: [Data?] = [row["definition"], row["shown"]]
    lacksDefinition = digests.count { $0 != nil } != [definition, shown].count { $0 != nil }
    checksum = row["checksum"]
    versions = FoldVersions(row)
    replaces = row["replaces"]
  }

  /// Decodes the state.
  ///
  /// - Parameter make: Finds or makes a definition, other than the origin's, from its document.
  /// - Throws: ``StoredProblem`` if it is not a snapshot of such a session.
  func state(
    of origin: SessionOrigin, make: (JSONTree) -> Definition?
  ) throws -> SessionFold.StoredState {
    guard !lacksDefinition, let state = SessionFold.StoredState(tree: try tree, make: make),
      state.picker.fits(origin.definition)
    else {
      throw StoredProblem("a snapshot of session \(origin.id) is not as pickerd writes it")
    }
    return state.made(under: origin.definition)
  }

  private var tree: JSONTree {
    get throws {
      let tree = try JSONTree.parse([UInt8](body), depthMax: SQLiteReading.depthMax)
      guard definition != nil || shown != nil, case .object(var members) = tree else { return tree }
      for (name, document) in [("definition", definition), ("shown", shown)] {
        guard let document else { continue }
        let value = try JSONTree.parse([UInt8](document), depthMax: SQLiteReading.depthMax)
        members.append(.init(name, value))
      }
      return .object(members)
    }
  }

  /// Selects the columns of a snapshot and the bodies of its definitions.
  static let selectSQL = """
    SELECT snapshot.*, definition.body AS definitionBody, shown.body AS shownBody FROM snapshot
    LEFT JOIN definition ON definition.session = snapshot.session
      AND definition.digest = snapshot.definition
    LEFT JOIN definition AS shown ON shown.session = snapshot.session
      AND shown.digest = snapshot.shown
    """

  /// Whether it contains the members that had left; snapshots of older versions do not.
  var hasRemembered: Bool { get throws { try tree["remembered"] != nil } }

  /// Whether entries before it have been compacted.
  var isCompacted: Bool { rowCount < sequence }

  static func newest(of number: Int64, _ database: Database) throws -> StoredSnapshot? {
    try Row.fetchOne(
      database,
      sql: selectSQL + " WHERE snapshot.session = ? ORDER BY place DESC LIMIT 1",
      arguments: [number]
    ).map(StoredSnapshot.init)
  }

  /// The sequence of ``newest(of:_:)``, without reading the snapshot.
  static func newestSequence(of number: Int64, _ database: Database) throws -> Int? {
    try Int.fetchOne(
      database, sql: "SELECT max(place) FROM snapshot WHERE session = ?", arguments: [number])
  }

  static func all(
    of number: Int64, after sequence: Int, through last: Int, _ database: Database
  ) throws -> [StoredSnapshot] {
    try Row.fetchAll(
      database,
      sql: selectSQL
        + " WHERE snapshot.session = ? AND place > ? AND place <= ? ORDER BY place",
      arguments: [number, sequence, last]
    ).map(StoredSnapshot.init)
  }
}

extension FoldVersions {
  /// The versions in a row of a session or a snapshot; `nil` if an older pickerd wrote it.
  init?(_ row: Row) {
    guard let rules: Int = row["rules"] else { return nil }
    self.init(rules: rules, tzdata: row["tzdata"])
  }
}

/// A difference between the state that members have seen and the one that the log gives with the
/// current versions. The session then needs a new epoch.
struct StoredDivergence {
  let number: Int64
  /// The sequence number of the snapshot from which the session continues; `nil` if there is none.
  let sequence: Int?
  /// The snapshot's checksum with the current versions.
  let checksum: Int64?
  /// The versions with which it was made.
  let versions: FoldVersions
}
