import PickerHub
import PickerSession

/// The outcome of a batch, from the results of its statements or from what is stored.
extension PostgresWriter {
  /// The entries of a batch, for each session that has some. `OFFSET` keeps the inner query apart,
  /// as in ``PostgresFollower/gapReading``.
  static let foundEntries = """
    SELECT k.id, min(e.sequence) - 1, count(*) FROM unnest($1, $2) AS k(id, position)
    JOIN session USING (id)
    CROSS JOIN LATERAL (
      SELECT sequence, node, serial FROM entry
      WHERE session = session.number AND sequence > k.position OFFSET 0
    ) AS e
    WHERE e.node = $3 AND e.serial > $4 GROUP BY k.id
    """

  /// The outcome of a batch that was committed, although the answer is lost: its entries have the
  /// serial numbers of this batch. A session that does not have all of them is lost.
  func outcome(
    of batch: PostgresBatch, _ expected: [SessionID: ServedSessions.Expectation],
    _ connection: PostgresConnection
  ) throws(PostgresError) -> Result {
    let sessions = Array(batch.entryCounts.keys)
    let rows = try connection.run(
      PostgresWriter.foundEntries,
      [
        .texts(sessions.map(\.text)), .ints(sessions.map { expected[$0]?.position ?? 0 }),
        .int(node.incarnation), .int(node.serial),
      ])
    var bases: [SessionID: Int] = [:]
    for row in 0..<rows.count {
      let session = SessionID(rows.text(row, 0) ?? "")
      if rows.int(row, 2) == batch.entryCounts[session] { bases[session] = rows.int(row, 1) }
    }
    let ends = try connection.run(Array(batch.statements.suffix(3).dropLast()))
    // The reads may show what another node has committed and not flushed.
    try connection.waitForStandbys(within: PostgresWriter.seconds)
    let known = PostgresWriter.byteCounts(ends[1])
    let ended = Set(batch.ended.map(\.session))
    let refused = batch.creations.map(\.session).filter {
      known[$0] == nil && !ended.contains($0)
    }
    return PostgresWriter.result(
      of: batch, lost: [], living: ended.filter { known[$0] != nil }, refused: refused,
      bases: bases, feed: ends[0], sizes: ends[1])
  }

  /// Gives the sessions that got no entries because their logs lack entries that this node has
  /// reported, as after a failover that has lost commits, a new epoch.
  func renewShorter(
    _ result: Result, _ batch: PostgresBatch,
    _ expected: [SessionID: ServedSessions.Expectation], _ connection: PostgresConnection
  ) throws(PostgresError) {
    let refused = batch.entryCounts.keys.compactMap { session in
      let isThere = result.byteCounts[session].flatMap(\.self) != nil
      return result.bases[session] == nil && isThere
        ? expected[session].map { (session: session, known: $0) } : nil
    }
    do throws(PostgresError) {
      for (session, known) in refused {
        try PostgresSchema.renewEpoch(of: session, known.epoch, lacking: known.position, connection)
      }
    } catch {
      // The next connection does it.
      owedRenewals += refused.map { ($0.session, $0.known.epoch) }
      self.connection = nil
      // The batch is committed: it must not be passed again.
      throw PostgresError(isConnectionLost: false, state: nil, error.description)
    }
  }

  /// Makes up for renewals that have failed. Meanwhile other nodes may have appended to the
  /// sessions, so the numbers of their entries do not matter any more.
  func renewOwed(_ connection: PostgresConnection) throws(PostgresError) {
    for (session, epoch) in owedRenewals {
      try PostgresSchema.renewEpoch(of: session, epoch, lacking: .max, connection)
    }
    owedRenewals = []
  }

  static func result(
    of batch: PostgresBatch, lost: [SessionID], living: some Sequence<SessionID>,
    refused: [SessionID], bases: [SessionID: Int], feed: PostgresRows, sizes: PostgresRows
  ) -> Result {
    var byteCounts = byteCounts(sizes)
    var heads: [SessionID: Int?] = [:]
    for (session, base) in bases { heads[session] = base + (batch.entryCounts[session] ?? 0) }
    let living = Set(living)
    for (_, session) in batch.ended where !living.contains(session) {
      byteCounts[session] = .some(nil)
      heads[session] = .some(nil)
    }
    return Result(
      byteCounts: byteCounts, bases: bases, refused: Set(refused), lost: Set(lost),
      living: living, heads: heads,
      shared: batch.shared, feedPosition: batch.eventCount > 0 ? feed.int(0, 0) : nil,
      hasEnded: !batch.ended.isEmpty, batch: batch.number)
  }

  private static func byteCounts(_ sizes: PostgresRows) -> [SessionID: Int?] {
    var byteCounts: [SessionID: Int?] = [:]
    for row in 0..<sizes.count {
      byteCounts[SessionID(sizes.text(row, 0) ?? "")] = sizes.int(row, 1)
    }
    return byteCounts
  }

  static func bases(_ rows: PostgresRows) -> [SessionID: Int] {
    var bases: [SessionID: Int] = [:]
    for row in 0..<rows.count { bases[SessionID(rows.text(row, 0) ?? "")] = rows.int(row, 1) }
    return bases
  }
}
