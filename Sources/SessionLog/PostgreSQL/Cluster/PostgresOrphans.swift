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

  /// Makes `node` responsible for the sessions of other nodes that may have members, and for those
  /// of an older pickerd.
  static func adopt(
    _ nodes: [Int], by node: Int, _ connection: PostgresConnection
  ) throws(PostgresError) -> [DormantSession] {
    let rows = try connection.run(
      """
      UPDATE session SET served_by = $1
      WHERE (served_by = ANY ($2) OR served_by IS NULL) AND has_members AND ended_at IS NULL
      RETURNING \(DormantSession.columns)
      """, [.int(node), .ints(nodes)])
    return (0..<rows.count).map { DormantSession(rows, $0) }
  }
}
