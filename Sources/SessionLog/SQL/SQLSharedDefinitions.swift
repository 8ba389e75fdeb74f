import CivilTime
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
    private(set) var known: [String: SharedDefinition] = [:]
    private var byteCount = 0
    /// The greatest version of those that were read in order: the hubs have been notified of all up
    /// to it.
    var newest = 0
    /// The greatest version of all that this node has seen or written.
    private(set) var greatest = 0

    private static let countMax = 64
    /// The maximum of their memory; a single one may take more.
    private static let byteCountMax = 16_777_216

    mutating func note(version: Int) { greatest = max(greatest, version) }

    mutating func note(_ shared: SharedDefinition) {
      note(version: shared.version)
      byteCount -= known.removeValue(forKey: shared.name)?.byteCount ?? 0
      if known.count >= SharedVersions.countMax
        || byteCount + shared.byteCount > SharedVersions.byteCountMax
      {
        (known, byteCount) = ([:], 0)
      }
      known[shared.name] = shared
      byteCount += shared.byteCount
    }
  }

  package func read(
    _ name: String, completion: @escaping @Sendable (LogLookup<SharedDefinition>) -> Void
  ) {
    readingQueue.async {
      completion(LogLookup { try self.engine.readConfirmed { try self.shared(name, $0) } })
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
      "SELECT name, version, definition, notes, inventory FROM shared_definition WHERE name = $1",
      [name]
    ) { try SharedDefinition($0, self.memory) }
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
    change(
      byteCount: draft.byteCount, inventories: [draft.name],
      { connection in
        if self.state.withLock({ $0.isStoreFull }) { return (.full, []) }
        // On this thread, because it takes milliseconds for large ones.
        let (definition, notes) = (
          Data(draft.document.serialized()), Data(draft.notes.tree.serialized())
        )
        let current: Int? = try connection.value(
          "SELECT version FROM shared_definition WHERE name = $1", [draft.name])
        guard current == version else { return (.outdated(current: current ?? 0), []) }
        if version == nil {
          let count: Int? = try connection.value("SELECT count(*) FROM shared_definition")
          guard count ?? 0 < SharedDefinition.countMax else { return (.tooMany, []) }
        }
        guard try self.mayHave(draft, isNew: version == nil, connection) else {
          return (.inUse, [])
        }
        let number = try self.nextVersion(connection)
        let inventory = draft.inventory.map { Data($0.tree.serialized()) }
        try connection.send(
          """
          INSERT INTO shared_definition
            (name, version, unused_since, definition, notes, inventory)
          VALUES ($1, $2, $3, $4, $5, $6)
          ON CONFLICT (name) DO UPDATE SET version = excluded.version,
            unused_since = CASE WHEN shared_definition.unused_since IS NULL THEN NULL
              ELSE excluded.unused_since END,
            definition = excluded.definition, notes = excluded.notes,
            inventory = excluded.inventory
          """, [draft.name, number, self.now, definition, notes, inventory])
        let over = try self.changeInventory(draft, connection)
        if self.isClustered { try connection.send("NOTIFY \(SQLFeed.channel)") }
        guard draft.isReported else { return (.done(version: number), over) }
        let event = FeedEvent(
          sharedDefinition: draft.name, version: number, epoch: try SQLFeed.epoch(connection),
          at: Instant(milliseconds: self.now))
        return (.done(version: number), [event] + over)
      },
      completion: { outcome in
        if case .done(let version) = outcome {
          self.take(
            [
              SharedDefinition(
                name: draft.name, version: version, document: draft.document, notes: draft.notes,
                inventory: draft.inventory, memory: self.memory)
            ])
        }
        completion(outcome)
      })
  }

  package func remove(
    _ name: String, if versions: VersionMatch?,
    completion: @escaping @Sendable (SharedWriting) -> Void
  ) {
    // Most of what cannot be deleted costs no transaction.
    readingQueue.async {
      let found = try? self.engine.readConfirmed {
        try SQLSessionLog.removal(of: name, versions, locking: "", $0)
      }
      guard case .done = found else { return completion(found ?? .unavailable) }
      self.change(
        byteCount: 0, inventories: [name],
        { connection in
          // Sessions that are being created with it lock it, too.
          let removal = try SQLSessionLog.removal(
            of: name, versions, locking: connection.dialect.locking("FOR UPDATE"), connection)
          guard case .done = removal else { return (removal, []) }
          // A booking of the same transaction is not in the table yet.
          if self.inventories.isBooked(name) { return (.inUse, []) }
          self.inventories.drop(name)
          try connection.send("DELETE FROM shared_definition WHERE name = $1", [name])
          return (removal, [])
        }, completion: completion)
    }
  }

  /// Whether a definition may be deleted.
  private static func removal(
    of name: String, _ versions: VersionMatch?, locking: String, _ connection: any SQLConnection
  ) throws -> SharedWriting {
    let version: Int? = try connection.value(
      "SELECT version FROM shared_definition WHERE name = $1 \(locking)", [name])
    guard let version else { return .absent }
    guard versions?.names(version) ?? true else { return .outdated(current: version) }
    let isUsed: Bool? = try connection.value(
      """
      SELECT EXISTS (SELECT 1 FROM session WHERE uses = $1 AND NOT ended)
        OR EXISTS (SELECT 1 FROM inventory WHERE name = $1 AND booked_count > 0)
      """, [name])
    return isUsed == true ? .inUse : .done(version: version)
  }

  private func change(
    byteCount: Int,
    inventories: [String] = [],
    _ body: @escaping @Sendable (any SQLConnection) throws -> (SharedWriting, [FeedEvent]),
    completion: @escaping @Sendable (SharedWriting) -> Void
  ) {
    change(
      StoreChange(byteCount: byteCount, inventories: inventories) { connection in
        let (outcome, events) = try body(connection)
        return StoreChange.Outcome(events: events) { completion(outcome) }
      } fail: {
        completion(.unavailable)
      })
  }

  /// Counts a version: greater than all that this node knows, because a failover may have lost
  /// some.
  func nextVersion(_ connection: any SQLConnection) throws -> Int {
    let greatest = sharedVersions.withLock { $0.greatest }
    return try connection.value(
      """
      UPDATE store SET shared_version =
        1 + CASE WHEN shared_version < $1 THEN $1 ELSE shared_version END
      RETURNING shared_version
      """, [greatest]) ?? 0
  }

  /// Reads what other nodes have changed.
  func lookForShared() {
    readingQueue.async {
      let newest = self.sharedVersions.withLock { $0.newest }
      let found = try? self.engine.read { connection in
        try connection.rows(
          """
          SELECT name, version, definition, notes, inventory FROM shared_definition
          WHERE version > $1 ORDER BY version
          """, [newest]
        ) { try SharedDefinition($0, self.memory) }
      }
      guard let found, let last = found.last else { return }
      self.sharedVersions.withLock { $0.newest = last.version }
      self.take(found)
    }
  }

  /// Deletes definitions that no session has used for a given time, if the settings have one, now
  /// and then. A session that exists for a minute only may not count.
  func deleteUnusedLater() {
    guard let seconds = unusedSeconds else { return }
    scheduler.after(.seconds(min(60, max(1, seconds / 10))), on: queue) { [weak self] in
      guard let self, !self.hasClosed else { return }
      self.readingQueue.async { self.lookForUnused(before: self.now - Int64(seconds) * 1000) }
      self.deleteUnusedLater()
    }
  }

  /// - Parameter end: Those are deleted that have been unused since then.
  func lookForUnused(before end: Int64) {
    guard clockDoubt.isOver, failure == nil else { return }
    let found = try? engine.read { try UnusedDefinitions($0, before: end) }
    guard let found, !found.isEmpty else { return }
    change(
      StoreChange(byteCount: 0) { connection in
        try UnusedDefinitions(connection, before: end, isLocking: true)
          .write(at: self.now, self.inventories, connection)
        return StoreChange.Outcome {}
      } fail: {
      })
  }

  /// Notifies the hubs, which ignore a version that they know.
  private func take(_ versions: [SharedDefinition]) {
    sharedVersions.withLock { state in for shared in versions { state.note(shared) } }
    for shared in versions { notify(.shared(shared)) }
  }
}

/// Whether sessions use the shared definitions, as far as that is not in their rows yet.
private struct UnusedDefinitions {
  /// Those that no session uses any more.
  private let fresh: [String]
  /// Those that are used again.
  private let used: [String]
  /// Those that have been unused for too long.
  private let old: [String]

  var isEmpty: Bool { fresh.isEmpty && used.isEmpty && old.isEmpty }

  /// - Parameters:
  ///   - end: Those are old that have been unused since then.
  ///   - isLocking: Whether they are locked, so that no session is created with one meanwhile.
  ///     Those of which one is being created are left out.
  init(_ connection: any SQLConnection, before end: Int64, isLocking: Bool = false) throws {
    let locking = isLocking ? connection.dialect.forUpdateSkippingLocked : ""
    func names(_ condition: String, _ values: [(any SQLValue)?]) throws -> [String] {
      try connection.rows(
        "SELECT name FROM shared_definition WHERE \(condition) ORDER BY name LIMIT 100 \(locking)",
        values
      ) { row in try row[0] }
    }
    let hasSession = UnusedDefinitions.hasSession
    fresh = try names("unused_since IS NULL AND NOT \(hasSession)", [])
    used = try names("unused_since IS NOT NULL AND \(hasSession)", [])
    old = try names("unused_since <= $1 AND NOT \(hasSession)", [end])
  }

  /// Bookings are the host's record, also when all sessions have ended.
  private static let hasSession = """
    (EXISTS (SELECT 1 FROM session WHERE uses = shared_definition.name AND NOT ended)
      OR EXISTS (SELECT 1 FROM inventory
        WHERE name = shared_definition.name AND booked_count > 0))
    """

  /// Called with the lock: sessions that were created before are seen.
  ///
  /// - Parameter inventories: They know the bookings of this transaction, which are not in the
  ///   table yet.
  func write(
    at now: Int64, _ inventories: SQLInventories, _ connection: any SQLConnection
  ) throws {
    let old = old.filter { !inventories.isBooked($0) }
    for name in old { inventories.drop(name) }
    let isNamed = connection.dialect.isAny("name", 1)
    let isUnused = "\(isNamed) AND NOT \(UnusedDefinitions.hasSession)"
    try connection.send("DELETE FROM shared_definition WHERE \(isUnused)", [SQLList.texts(old)])
    try connection.send(
      "UPDATE shared_definition SET unused_since = $2 WHERE \(isUnused)",
      [SQLList.texts(fresh), now])
    try connection.send(
      "UPDATE shared_definition SET unused_since = NULL WHERE \(isNamed)", [SQLList.texts(used)])
  }
}

extension SharedDefinition {
  /// - Parameter row: Name, version, definition, notes and inventory.
  fileprivate init(_ row: any SQLRow, _ memory: (any MemoryAccount)?) throws {
    let document = try JSONTree.parse(
      [UInt8](try row[2] as Data), depthMax: StoredReading.depthMax)
    let name: String = try row[0]
    let notes = Notes(
      tree: try JSONTree.parse([UInt8](try row[3] as Data), depthMax: StoredReading.depthMax))
    guard let notes else {
      throw StoredProblem("the notes of the shared definition \(name) are damaged")
    }
    let inventory = try (row[4] as Data?).map { try InventorySettings(stored: $0) }
    self.init(
      name: name, version: try row[1], document: document, notes: notes, inventory: inventory,
      memory: memory)
  }
}
