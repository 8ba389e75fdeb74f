import PickerHub
import PickerSession

/// Sessions of nodes that have stopped. They may have members that have to leave, and events that
/// are not in the feed, so that another node loads them.
enum PostgresOrphans {
  /// The registered nodes that have no connection any more: a node holds an advisory lock of its
  /// number.
  static func stoppedNodes(_ connection: PostgresConnection) throws(PostgresError) -> [Int] {
    let rows = try connection.run(
      "SELECT incarnation FROM node WHERE pg_try_advisory_xact_lock(incarnation)")
    return (0..<rows.count).compactMap { rows.int($0, 0) }
  }

  /// Locks the sessions in the order in which batches do.
  static let adoption = """
    WITH orphan AS (
      SELECT number AS n FROM session
      WHERE (served_by = ANY ($2) OR served_by IS NULL) AND has_members AND ended_at IS NULL
      ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE session SET served_by = $1 FROM orphan WHERE number = n
    RETURNING \(DormantSession.columns)
    """

  /// Whether another node than `node` has a connection.
  static func hasOthers(
    than node: Int, stopped: [Int], _ connection: PostgresConnection
  ) throws(PostgresError) -> Bool {
    try connection.run(
      "SELECT EXISTS (SELECT FROM node WHERE incarnation <> ALL ($1))", [.ints(stopped + [node])]
    ).bool(0, 0)
  }

  /// Makes `node` responsible for the sessions of other nodes that may have members, and for those
  /// that were moved from an SQLite store.
  static func adopt(
    _ nodes: [Int], by node: Int, _ connection: PostgresConnection
  ) throws(PostgresError) -> [DormantSession] {
    let rows = try connection.run(adoption, [.int(node), .ints(nodes)])
    return (0..<rows.count).map { DormantSession(rows, $0) }
  }

  /// The sessions for which a node is responsible, and that may have members.
  static func served(
    by node: Int, _ connection: PostgresConnection
  ) throws(PostgresError) -> [DormantSession] {
    let rows = try connection.run(
      """
      SELECT \(DormantSession.columns) FROM session
      WHERE served_by = $1 AND has_members AND ended_at IS NULL
      """, [.int(node)])
    return (0..<rows.count).map { DormantSession(rows, $0) }
  }
}
