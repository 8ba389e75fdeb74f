import Synchronization

/// The numbers of the last batches of all nodes, as this node has last seen them on the disk and
/// the standbys. If a failover has lost some, its own batches need not be among them.
///
/// They belong to a history of the database: those of another one are noted only when the writer
/// has compared both.
final class NodeBatches: Sendable {
  struct Numbers: Hashable, Sendable {
    /// As that of ``PostgresSchema/history(_:)``.
    let history: String
    /// By the incarnation of the node.
    let batches: [Int: Int]

    static let sql = """
      SELECT incarnation, batch, (\(PostgresSchema.historySQL)) FROM node
      """

    init(history: String, batches: [Int: Int]) {
      self.history = history
      self.batches = batches
    }

    init(_ rows: PostgresRows) {
      var batches: [Int: Int] = [:]
      for row in 0..<rows.count { batches[rows.int(row, 0) ?? 0] = rows.int(row, 1) }
      self.init(history: rows.text(0, 2) ?? "", batches: batches)
    }
  }

  private let seen = Mutex<Numbers?>(nil)

  var last: Numbers? { seen.withLock { $0 } }

  /// Whether ``note(_:)`` would change something.
  func isNews(_ numbers: Numbers) -> Bool {
    seen.withLock { $0 != numbers && ($0 == nil || $0?.history == numbers.history) }
  }

  func note(_ numbers: Numbers) {
    seen.withLock { if $0 == nil || $0?.history == numbers.history { $0 = numbers } }
  }

  /// The writer continues with the database as it is.
  func accept(_ numbers: Numbers) { seen.withLock { $0 = numbers } }
}
