/// Reconnecting.
extension PostgresWriter {
  /// The connection, or a new one if it is lost.
  ///
  /// - Parameter seconds: The maximum time of each request to the server.
  func connected(
    within seconds: Int = PostgresWriter.seconds
  ) throws(PostgresError) -> PostgresConnection {
    if let connection, !connection.isBroken {
      connection.seconds = seconds
      return connection
    }
    connection = nil
    let fresh = try PostgresConnection(address, name: name, seconds: seconds)
    try PostgresWriter.prepare(fresh, name: name)
    try endIdle(fresh)
    guard try PostgresWriter.lock(fresh, seconds: 2, isShared: true) else {
      throw PostgresError(lost: "\(address) is used by a program that must be alone")
    }
    try fence(fresh)
    try renewOwed(fresh)
    try clockDoubt.check(fresh)
    connection = fresh
    return fresh
  }

  /// Ends older connections of this process for which the server still waits. It never ends one
  /// that commits: a commit that waits for standbys must not be interrupted.
  private func endIdle(_ connection: PostgresConnection) throws(PostgresError) {
    try connection.run(
      """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE application_name = $1 AND pid <> pg_backend_pid() AND wait_event_type = 'Client'
      """, [.text(name)])
  }

  /// Excludes transactions of older connections, and finds out which batch was committed last.
  private func fence(_ connection: PostgresConnection) throws(PostgresError) {
    let row = try connection.run(
      "UPDATE node SET fence = fence + 1 WHERE incarnation = $1 RETURNING fence, batch",
      [.int(node.incarnation)])
    let numbers = NodeBatches.Numbers(try connection.run(NodeBatches.Numbers.sql))
    let history = numbers.history
    let known = try connection.run("SELECT history FROM store").text(0, 0) ?? ""
    if row.count == 1, let fence = row.int(0, 0), let batch = row.int(0, 1),
      batch >= committedBatch, hasAll(numbers, since: known)
    {
      node.fence = fence
      committedBatch = batch
      try connection.run(
        "UPDATE store SET history = $1 WHERE history <> $1", [.text(history)])
      return witness.accept(numbers)
    }
    let hasLost = row.count == 1 || known != history
    if row.count == 0 {
      // The row of a node that was cut off for long was deleted by another one: whatever becomes of
      // the registration, the batches are numbered from 0.
      hasLostOutcome = hasLostOutcome || unknownBatch != nil
      (committedBatch, unknownBatch) = (0, nil)
    }
    try connection.run("BEGIN")
    if hasLost { try PostgresSchema.renewEpochs(connection, history: history) }
    node.fence = try PostgresWriter.register(node.incarnation, versions, connection)
    try connection.run("COMMIT")
    hasLostHistory = hasLost
    (committedBatch, unknownBatch) = (0, nil)
    witness.accept(NodeBatches.Numbers(try connection.run(NodeBatches.Numbers.sql)))
  }

  /// Whether a database with another history, as after a failover, has all batches of the other
  /// nodes that this one has seen. Nodes that stopped with the old primary cannot find that out. A
  /// dump in another database may be of any time.
  private func hasAll(_ numbers: NodeBatches.Numbers, since known: String) -> Bool {
    let history = numbers.history
    if known == history { return true }
    let (system, former) = (history.prefix { $0 != "/" }, known.prefix { $0 != "/" })
    guard system == former else { return false }
    return (witness.last?.batches ?? [:]).allSatisfy { other, number in
      other == node.incarnation || number <= numbers.batches[other] ?? -1
    }
  }
}
