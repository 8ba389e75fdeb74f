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
    var batches: [Int: Int]

    /// Without a registered node the result is one row, in which only the history is not NULL.
    static let sql = """
      SELECT incarnation, batch, (\(PostgresSchema.historySQL)) FROM feed LEFT JOIN node ON true
      """
  }

  private let seen = Mutex<Numbers?>(nil)

  var last: Numbers? { seen.withLock { $0 } }

  /// Whether ``note(_:since:)`` would change something.
  func isNews(_ numbers: Numbers) -> Bool {
    seen.withLock { $0 != numbers && ($0 == nil || $0?.history == numbers.history) }
  }

  /// - Parameter before: What ``last`` was before the numbers were read. Of a node that has
  ///   notified this one since, the greater number is the later one. Otherwise the read one is: a
  ///   node that has lost its row begins with 0 again.
  func note(_ numbers: Numbers, since before: Numbers?) {
    seen.withLock { seen in
      guard let known = seen else { return seen = numbers }
      guard known.history == numbers.history else { return }
      var numbers = numbers
      for (node, batch) in known.batches where batch != before?.batches[node] {
        if let found = numbers.batches[node] { numbers.batches[node] = max(found, batch) }
      }
      seen = numbers
    }
  }

  /// Another node has notified this one of a batch.
  func note(_ batch: Int, of node: Int) {
    seen.withLock { seen in
      let known = seen?.batches[node] ?? 0
      seen?.batches[node] = max(known, batch)
    }
  }

  /// The writer continues with the database as it is.
  func accept(_ numbers: Numbers) { seen.withLock { $0 = numbers } }
}

extension NodeBatches.Numbers {
  /// The result of ``sql``.
  init(_ rows: PostgresRows) {
    var batches: [Int: Int] = [:]
    for row in 0..<rows.count {
      if let node = rows.int(row, 0) { batches[node] = rows.int(row, 1) }
    }
    self.init(history: rows.text(0, 2) ?? "", batches: batches)
  }
}
