import Foundation
import JSONText
package import PickerHub
import PickerModel
package import PickerSession
import Synchronization

/// Shared definitions in the database. A version is numbered by a counter of the store, in the
/// order in which versions become visible, so that a node reads what other nodes have changed by
/// the greatest number that it knows.
extension SQLSessionLog: SharedDefinitions {
  /// What was read last.
  struct SharedVersions {
    /// By name; some of the newest versions, so that they are not decoded for each session.
    var known: [String: SharedDefinition] = [:]
    /// The greatest version of those that were read in order: the hubs have been notified of all up
    /// to it.
    var newest = 0

    private static let countMax = 64

    mutating func note(_ shared: SharedDefinition) {
      if known.count >= SharedVersions.countMax { known = [:] }
      known[shared.name] = shared
    }
  }

  package func read(
    _ name: String, completion: @escaping @Sendable (LogLookup<SharedDefinition>) -> Void
  ) {
    readingQueue.async {
      do {
        let found = try self.engine.readConfirmed { try self.shared(name, $0) }
        completion(found.map { .found($0) } ?? .absent)
      } catch {
        completion(.unavailable)
      }
    }
  }

  package func shared(
    _ name: String, hub: Int,
    completion: @escaping @Sendable (LogLookup<SharedDefinition>) -> Void
  ) {
    read(name) { outcome in self.notify(.runInHub(hub) { completion(outcome) }) }
  }

  /// The newest version of a definition.
  func shared(_ name: String, _ connection: any SQLConnection) throws -> SharedDefinition? {
    let version: Int? = try connection.value(
      "SELECT version FROM shared_definition WHERE name = $1", [name])
    let known = sharedVersions.withLock { $0.known[name] }
    if version == known?.version { return known }
    let found = try connection.first(
      "SELECT name, version, definition, notes FROM shared_definition WHERE name = $1", [name]
    ) { try SharedDefinition($0) }
    if let found { sharedVersions.withLock { $0.note(found) } }
    return found
  }

  /// What a session has to follow that is loaded; `nil` if nothing.
  func step(
    of fold: SessionFold, hub: Int, _ connection: any SQLConnection
  ) throws -> SharedStep? {
    guard let name = fold.origin.uses?.name, let state = fold.shared,
      let newest = try shared(name, connection), newest.version > state.version
    else { return nil }
    return SharedStep(to: newest, from: fold.definition, fold.notes, state) {
      tree throws(DefinitionProblem) in try definitions.make(tree, hub: hub)
    }
  }

  package func write(
    _ draft: SharedDraft, replacing version: Int?,
    completion: @escaping @Sendable (SharedWriting) -> Void
  ) {
    let (definition, notes) = (
      Data(draft.document.serialized()), Data(draft.notes.tree.serialized())
    )
    queue.async {
      if self.state.withLock({ $0.isStoreFull }) { return completion(.full) }
      let outcome = self.changing { connection in
        let number = try self.nextVersion(connection)
        let current: Int? = try connection.value(
          "SELECT version FROM shared_definition WHERE name = $1", [draft.name])
        guard current == version else { return .outdated(current: current ?? 0) }
        if version == nil {
          let count: Int? = try connection.value("SELECT count(*) FROM shared_definition")
          guard count ?? 0 < SharedDefinition.countMax else { return .tooMany }
        }
        try connection.send(
          """
          INSERT INTO shared_definition (name, version, definition, notes) VALUES ($1, $2, $3, $4)
          ON CONFLICT (name) DO UPDATE SET version = excluded.version,
            definition = excluded.definition, notes = excluded.notes
          """, [draft.name, number, definition, notes])
        if self.isShared { try connection.send("NOTIFY \(SQLFeed.channel)") }
        return .done(version: number)
      }
      if case .done(let version) = outcome {
        self.take(
          [
            SharedDefinition(
              name: draft.name, version: version, document: draft.document, notes: draft.notes)
          ])
      }
      completion(outcome)
    }
  }

  package func remove(
    _ name: String, if versions: VersionMatch?,
    completion: @escaping @Sendable (SharedWriting) -> Void
  ) {
    queue.async {
      completion(
        self.changing { connection in
          // Sessions that are being created with it lock it, too.
          let version: Int? = try connection.value(
            """
            SELECT version FROM shared_definition WHERE name = $1
            \(connection.dialect.locking("FOR UPDATE"))
            """, [name])
          guard let version else { return .absent }
          guard versions?.names(version) ?? true else { return .outdated(current: version) }
          let isUsed: Bool? = try connection.value(
            "SELECT EXISTS (SELECT 1 FROM session WHERE uses = $1 AND NOT ended)", [name])
          if isUsed == true { return .inUse }
          try connection.send("DELETE FROM shared_definition WHERE name = $1", [name])
          return .done(version: version)
        })
    }
  }

  /// Changes a definition once, also if the outcome of a commit is unknown: a patch that is applied
  /// to its own result would act twice. Called on ``queue``.
  private func changing(_ body: (any SQLConnection) throws -> SharedWriting) -> SharedWriting {
    guard failure == nil else { return .unavailable }
    do {
      return try transaction(isRepeatable: false, body)
    } catch {
      fail([], error)
      return .unavailable
    }
  }

  /// Counts a version: at least one more than the hubs know of, because a failover may have lost
  /// some. Other changes wait until the transaction ends.
  private func nextVersion(_ connection: any SQLConnection) throws -> Int {
    let newest = sharedVersions.withLock { $0.newest }
    return try connection.value(
      """
      UPDATE store SET shared_version =
        1 + CASE WHEN shared_version < $1 THEN $1 ELSE shared_version END
      RETURNING shared_version
      """, [newest]) ?? 0
  }

  /// Reads what other nodes have changed.
  func lookForShared() {
    readingQueue.async {
      let newest = self.sharedVersions.withLock { $0.newest }
      let found = try? self.engine.read { connection in
        try connection.rows(
          """
          SELECT name, version, definition, notes FROM shared_definition WHERE version > $1
          ORDER BY version
          """, [newest]
        ) { try SharedDefinition($0) }
      }
      guard let found, let last = found.last else { return }
      self.sharedVersions.withLock { $0.newest = last.version }
      self.take(found)
    }
  }

  /// Notifies the hubs, which ignore a version that they know.
  private func take(_ versions: [SharedDefinition]) {
    sharedVersions.withLock { state in for shared in versions { state.note(shared) } }
    for shared in versions { notify(.shared(shared)) }
  }
}

extension SharedDefinition {
  /// - Parameter row: Name, version, definition and notes.
  fileprivate init(_ row: any SQLRow) throws {
    let document = try JSONTree.parse(
      [UInt8](try row[2] as Data), depthMax: StoredReading.depthMax)
    let name: String = try row[0]
    let notes = Notes(
      tree: try JSONTree.parse([UInt8](try row[3] as Data), depthMax: StoredReading.depthMax))
    guard let notes else {
      throw StoredProblem("the notes of the shared definition \(name) are damaged")
    }
    self.init(name: name, version: try row[1], document: document, notes: notes)
  }
}
