import Foundation
import JSONText
import PickerHub
import PickerModel
import PickerSession

/// Reading the entries of other nodes.
extension PostgresFollower {
  /// The maximum of entries that are read by one statement.
  private static let pageCount = 500

  /// Reports all entries of a session that are committed now, then calls the completion.
  func catchUp(_ session: SessionID, completion: @escaping @Sendable () -> Void) {
    confirmer.confirm(session) { [weak self] in
      guard let self else { return completion() }
      outgoing.withLock { $0.catchUps.append(CatchUp(session: session, completion: completion)) }
    }
  }

  /// Reads what is missing of the sessions in memory.
  func readGaps(_ connection: PostgresConnection) throws(PostgresError) {
    let catchUps = outgoing.withLock { outgoing in
      defer { outgoing.catchUps = [] }
      return outgoing.catchUps
    }
    defer { for catchUp in catchUps { notify(.run(catchUp.session, catchUp.completion)) } }
    let urgent = Set(catchUps.map(\.session))
    while case let gaps = reports.use({ $0.gaps(catchingUp: urgent) }), !gaps.isEmpty {
      let pages = try read(gaps, connection)
      reports.report { served in
        var report = ServedSessions.Report()
        for page in pages {
          let part = served.read(page)
          report.committed += part.committed
          report.lost += part.lost
        }
        return report
      }
    }
    if reports.use({ $0.hasDoubts }) { confirmer.confirmDoubts() }
  }

  /// Finds the entries by their numbers. `LIMIT` keeps the inner query apart: as a join, it reads
  /// all entries of each session in a database without statistics.
  static let gapReading = """
    SELECT w.place, s.epoch, e.sequence, e.node, e.serial, e.body
    FROM unnest($1, $2, $3) WITH ORDINALITY AS w(id, position, last, place)
    LEFT JOIN session s ON s.id = w.id AND s.ended_at IS NULL
    LEFT JOIN LATERAL (
      SELECT sequence, node, serial, body FROM entry
      WHERE session = s.number AND sequence > w.position AND sequence <= w.last
      ORDER BY sequence LIMIT $4
    ) AS e ON true
    ORDER BY w.place, e.sequence LIMIT $4
    """

  private func read(
    _ gaps: [ServedSessions.Gap], _ connection: PostgresConnection
  ) throws(PostgresError) -> [ServedSessions.Page] {
    let rows = try connection.run(
      PostgresFollower.gapReading,
      [
        .texts(gaps.map(\.session.text)), .ints(gaps.map(\.position)), .ints(gaps.map(\.last)),
        .int(PostgresFollower.pageCount),
      ])
    var pages: [ServedSessions.Page] = []
    let last = rows.count < PostgresFollower.pageCount ? nil : rows.int(rows.count - 1, 0)
    var place = 0
    for row in 0..<rows.count {
      guard let number = rows.int(row, 0), gaps.indices.contains(number - 1) else { continue }
      let gap = gaps[number - 1]
      if number != place {
        place = number
        pages.append(
          ServedSessions.Page(
            gap: gap, epoch: rows.text(row, 1), isComplete: number != last))
      }
      guard let sequence = rows.int(row, 2) else { continue }
      pages[pages.count - 1].rows.append(
        try self.row(sequence, rows, row, gap, connection))
    }
    return pages
  }

  private func row(
    _ sequence: Int, _ rows: PostgresRows, _ row: Int, _ gap: ServedSessions.Gap,
    _ connection: PostgresConnection
  ) throws(PostgresError) -> ServedSessions.Row {
    let isOwn = rows.int(row, 3) == incarnation
    // Own entries are in memory, except when their appends were given up before the last load.
    let entry = isOwn ? nil : try self.entry(rows.data(row, 5) ?? Data(), gap, connection)
    return ServedSessions.Row(
      sequence: sequence, ownSerial: isOwn ? rows.int(row, 4) : nil, entry: entry)
  }

  /// Decodes an entry.
  ///
  /// - Returns: `nil` if that is impossible; then the session is loaded again.
  private func entry(
    _ body: Data, _ gap: ServedSessions.Gap, _ connection: PostgresConnection
  ) throws(PostgresError) -> LogEntry? {
    do {
      return try StoredReading.entry(body, of: gap.session, after: nil) { digest in
        let rows = try connection.run(
          """
          SELECT definition.body FROM definition JOIN session ON number = session
          WHERE id = $1 AND digest = $2
          """, [.text(gap.session.text), .bytes(digest)])
        return rows.count == 0 ? nil : rows.data(0, 0)
      } make: { document in
        gap.hub.map { definitions.definition(document: document, hub: $0) }
          ?? definitions.make(document)
      }
    } catch let error as PostgresError {
      throw error
    } catch {
      return nil
    }
  }

  /// Compares the last entries of the sessions in memory, and the feed, with the database:
  /// notifications may have been lost.
  func compareHeads(_ connection: PostgresConnection) throws(PostgresError) {
    let ends = try connection.run("SELECT newest, epoch FROM feed")
    let epoch = ends.text(0, 1) ?? ""
    // Also the cursors.
    feed.readState()
    if epoch != feedEpoch {
      // Every session has a new epoch, too.
      feedEpoch = epoch
      reports.lost(reports.use { $0.ids })
    }
    var rest = reports.use { $0.known }[...]
    while !rest.isEmpty {
      try compare(rest.prefix(PostgresFollower.comparedCountMax), connection)
      rest = rest.dropFirst(PostgresFollower.comparedCountMax)
    }
  }

  /// The maximum of sessions that are compared by one statement.
  private static let comparedCountMax = 10_000

  private func compare(
    _ known: ArraySlice<(session: SessionID, position: Int, epoch: String)>,
    _ connection: PostgresConnection
  ) throws(PostgresError) {
    let rows = try connection.run(
      """
      SELECT k.id FROM unnest($1, $2, $3) AS k(id, head, epoch)
      LEFT JOIN session ON session.id = k.id AND ended_at IS NULL
      WHERE session.head IS DISTINCT FROM k.head OR session.epoch IS DISTINCT FROM k.epoch
      """,
      [
        .texts(known.map(\.session.text)), .ints(known.map(\.position)),
        .texts(known.map(\.epoch)),
      ])
    reports.use { served in
      for row in 0..<rows.count { served.doubted(SessionID(rows.text(row, 0) ?? "")) }
    }
  }
}
