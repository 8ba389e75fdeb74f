import Foundation
import GRDB
import JSONText
import PickerModel
import PickerSession

/// A snapshot as it is stored.
struct StoredSnapshot {
  let place: Int
  let revision: Int
  let isIdle: Bool
  let rowCount: Int
  let body: Data
  /// The definitions of the state, if they are not the origin's and ``body`` does not have them.
  private let definition: Data?
  private let shown: Data?
  private let lacksDefinition: Bool
  let checksum: Int64?
  /// What it was folded with; `nil` if an older pickerd wrote it.
  let versions: FoldVersions?
  /// What the log before it was folded with, if that cannot be folded again.
  let replaces: String?

  init(_ row: Row) {
    place = row["place"]
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

  /// - Parameter make: Makes a later definition than the origin's from its document, or finds it.
  /// - Throws: ``StoredProblem`` for what is no snapshot of such a session.
  func kept(
    of origin: SessionOrigin, make: (JSONTree) -> Definition?
  ) throws -> SessionFold.StoredState {
    guard !lacksDefinition, let kept = SessionFold.StoredState(tree: try tree, make: make),
      kept.picker.fits(origin.definition)
    else {
      throw StoredProblem("a snapshot of session \(origin.id) is not as pickerd writes it")
    }
    return kept.made(under: origin.definition)
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

  /// Selects all of a snapshot, with its definitions.
  static let selectSQL = """
    SELECT snapshot.*, definition.body AS definitionBody, shown.body AS shownBody FROM snapshot
    LEFT JOIN definition ON definition.session = snapshot.session
      AND definition.digest = snapshot.definition
    LEFT JOIN definition AS shown ON shown.session = snapshot.session
      AND shown.digest = snapshot.shown
    """

  /// Whether it contains the members that had left; those of older versions do not.
  var hasRemembered: Bool { get throws { try tree["remembered"] != nil } }

  /// Whether entries before it have been compacted.
  var isCompacted: Bool { rowCount < place }

  static func newest(of number: Int64, _ database: Database) throws -> StoredSnapshot? {
    try Row.fetchOne(
      database,
      sql: selectSQL + " WHERE snapshot.session = ? ORDER BY place DESC LIMIT 1",
      arguments: [number]
    ).map(StoredSnapshot.init)
  }

  static func all(
    of number: Int64, after place: Int, through last: Int, _ database: Database
  ) throws -> [StoredSnapshot] {
    try Row.fetchAll(
      database,
      sql: selectSQL
        + " WHERE snapshot.session = ? AND place > ? AND place <= ? ORDER BY place",
      arguments: [number, place, last]
    ).map(StoredSnapshot.init)
  }
}

extension FoldVersions {
  /// Those of a session's or a snapshot's row; `nil` if an older pickerd wrote it.
  init?(_ row: Row) {
    guard let rules: Int = row["rules"] else { return nil }
    self.init(rules: rules, tzdata: row["tzdata"])
  }
}

/// Why a session needs a new epoch: what its members have seen cannot be folded again.
struct StoredDivergence {
  let number: Int64
  /// The place of the snapshot with which the session goes on; `nil` if there is none.
  let place: Int?
  /// The snapshot's checksum with the versions of now.
  let checksum: Int64?
  /// What it was folded with.
  let versions: FoldVersions
}
