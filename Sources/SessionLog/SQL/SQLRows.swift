import CivilTime
package import Foundation
package import JSONText
import PickerHub
package import PickerModel
package import PickerSession

/// The rows of a session in a database, read in one transaction: all values belong to one state of
/// the store.
package struct SQLRows {
  let session: StoredSession
  /// Finds or makes a definition, other than the origin's, from its document.
  let make: (JSONTree) -> Definition?
  private let connection: any SQLConnection
  /// Entries that were read, but not taken yet.
  private var page: ArraySlice<(sequence: Int, item: Data)> = []
  private var isLastPage = false

  /// The maximum of entries that are in memory at the same time.
  private static let pageCount = 500

  /// - Returns: `nil` if there is no such session, or it has ended.
  package init?(
    _ id: SessionID, _ connection: any SQLConnection, make: @escaping (JSONTree) -> Definition?
  ) throws {
    let session = try connection.first(
      """
      SELECT number, epoch, origin, entry_count, byte_count, event_sequence, active_at, rules,
        tzdata FROM session WHERE id = $1 AND NOT ended
      """, [id.text]
    ) { row in
      StoredSession(
        id: id, number: try row[0], epoch: try row[1], origin: try row[2], entryCount: try row[3],
        byteCount: try row[4], eventSequence: try row[5], activeAt: try row[6],
        versions: FoldVersions(rules: try row[7], tzdata: row[8]))
    }
    guard let session else { return nil }
    self.connection = connection
    self.make = make
    self.session = session
  }

  /// The session's origin, and the limits that stay in force for it.
  package func created(
    _ limits: SessionLimits, definition: (StoredOrigin) throws -> Definition
  ) throws -> (origin: SessionOrigin, limits: SessionLimits) {
    let stored = try StoredOrigin([UInt8](session.origin), of: session.id)
    let origin = try SessionOrigin(
      id: session.id, epoch: session.epoch, stored.others, definition: try definition(stored))
    return (origin, try limits.asCreated(stored.others))
  }
}

extension SQLRows: HistorySource {
  mutating func item(
    after sequence: Int, _ fold: borrowing SessionFold
  ) throws -> (sequence: Int, item: Data)? {
    if page.isEmpty, !isLastPage {
      page = try connection.rows(
        """
        SELECT sequence, body FROM entry WHERE session = $1 AND sequence > $2
        ORDER BY sequence LIMIT $3
        """, [session.number, sequence, SQLRows.pageCount]
      ) { row in (sequence: try row[0] as Int, item: try row[1] as Data) }[...]
      isLastPage = page.count < SQLRows.pageCount
    }
    return page.popFirst()
  }

  package func entry(_ body: Data, after fold: borrowing SessionFold) throws -> LogEntry {
    var tree = try JSONTree.parse([UInt8](body), depthMax: StoredReading.depthMax)
    if let digest = tree["digest"]?.string.flatMap(Hexadecimal.decode),
      case .object(let members) = tree
    {
      guard let body = try document(Data(digest)) else {
        throw StoredProblem("a definition of session \(session.id.shortened) is missing")
      }
      let document = try JSONTree.parse([UInt8](body), depthMax: StoredReading.depthMax)
      tree = .object(members + [.init("definition", document)])
    }
    guard let entry = LogEntry(tree: tree, after: fold.definition, make: make) else {
      throw StoredProblem(
        "an entry of session \(session.id.shortened) is not as pickerd writes it")
    }
    return entry
  }

  /// The encoded definition with a digest.
  private func document(_ digest: Data) throws -> Data? {
    try connection.value(
      "SELECT body FROM definition WHERE session = $1 AND digest = $2", [session.number, digest])
  }
}

/// Snapshots, by their sequence numbers.
extension SQLRows {
  func newestSnapshot() throws -> Int? {
    try connection.value("SELECT max(sequence) FROM snapshot WHERE session = $1", [session.number])
  }

  func oldestSnapshot() throws -> Int? {
    try connection.value("SELECT min(sequence) FROM snapshot WHERE session = $1", [session.number])
  }

  func snapshot(upTo revision: Int) throws -> Int? {
    try snapshot(upTo: revision, rowCount: -1)
  }

  /// As ``snapshot(upTo:)``, or a later one with at most `rowCount` entries before it; see
  /// ``SnapshotSpacing``.
  func snapshot(upTo revision: Int, rowCount: Int) throws -> Int? {
    try connection.value(
      """
      SELECT max(sequence) FROM snapshot WHERE session = $1
      AND (revision <= $2 OR row_count <= $3 OR replaces IS NOT NULL)
      """, [session.number, revision, rowCount])
  }

  /// All of them, oldest first.
  func snapshots() throws -> [Int] {
    try connection.rows(
      "SELECT sequence FROM snapshot WHERE session = $1 ORDER BY sequence", [session.number]
    ) { row in try row[0] }
  }

  func state(at sequence: Int, of origin: SessionOrigin) throws -> SessionFold.StoredState {
    try snapshot(at: sequence).state(of: origin, make: make)
  }

  /// Reads a snapshot with the bodies of its definitions.
  func snapshot(at sequence: Int) throws -> StoredSnapshot {
    let found = try connection.first(
      """
      SELECT p.sequence, p.revision, p.is_idle, p.row_count, p.body, d.body, s.body,
        (p.definition IS NOT NULL AND d.body IS NULL) OR (p.shown IS NOT NULL AND s.body IS NULL),
        p.checksum, p.rules, p.tzdata, p.replaces
      FROM snapshot p
      LEFT JOIN definition d ON d.session = p.session AND d.digest = p.definition
      LEFT JOIN definition s ON s.session = p.session AND s.digest = p.shown
      WHERE p.session = $1 AND p.sequence = $2
      """, [session.number, sequence]
    ) { row in
      StoredSnapshot(
        sequence: try row[0], revision: try row[1], isIdle: try row[2], rowCount: try row[3],
        body: try row[4], definition: row[5], shown: row[6], lacksDefinition: try row[7],
        checksum: try row[8], versions: FoldVersions(rules: try row[9], tzdata: row[10]),
        replaces: row[11])
    }
    guard let found else {
      throw StoredProblem("snapshot \(sequence) of session \(session.id.shortened) is missing")
    }
    return found
  }
}

extension DormantSession {
  /// The columns from which it is made.
  static let columns = """
    id, ttl_seconds, has_members OR event_sequence < entry_count, next_tick, active_at,
    CASE WHEN has_members THEN NULL ELSE status END
    """

  /// - Parameters:
  ///   - row: Has ``columns``.
  ///   - now: Milliseconds since 1970.
  init(_ row: any SQLRow, _ doubt: ClockDoubt, at now: Int64) throws {
    let ttlSeconds: Int = try row[1]
    let activeAt: Int64 = try row[4]
    let nextTick: Int64? = row[3]
    let status: String? = row[5]
    self.init(
      id: SessionID(try row[0]), ttlSeconds: ttlSeconds,
      idleMilliseconds: doubt.idleMilliseconds(max(0, now - activeAt), ttlSeconds: ttlSeconds),
      nextTick: nextTick.map { Instant(milliseconds: $0) }, hasMembers: try row[2],
      status: status.flatMap(SessionStatus.init(rawValue:)))
  }
}
