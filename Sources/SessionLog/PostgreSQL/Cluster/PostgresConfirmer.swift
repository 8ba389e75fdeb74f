import Foundation
import PickerHub
import PickerSession
import Synchronization

/// Compares sessions in memory with the log, on a queue and a connection of its own, and waits
/// until the disk and the standbys have what it has found.
///
/// A batch is visible before they have it (``PostgresWriter``), and may be lost if the server ends
/// before. So an entry is reported after a flush of its commit, or of a later one, was answered: to
/// the node that has appended it, which notifies the others, or to this.
final class PostgresConfirmer: Sendable {
  private let reader: PostgresReader
  private let reports: PostgresReports
  private let feed: PostgresFeed
  private let wake: WakeSignal
  let witness: NodeBatches
  private let queue = DispatchQueue(label: "pickerd.store.confirming")
  private let pending = Mutex(Pending())

  private struct Pending {
    var requests: [Request] = []
    var isScheduled = false
  }

  private struct Request {
    let session: SessionID
    let completion: @Sendable () -> Void
  }

  /// The seconds after which a request is given up.
  static let seconds = 8

  /// - Parameters:
  ///   - witness: Gets the batches of all nodes.
  ///   - wake: Set when entries must be read.
  init(
    _ reader: PostgresReader, _ reports: PostgresReports, _ feed: PostgresFeed,
    _ witness: NodeBatches, wake: WakeSignal
  ) {
    (self.reader, self.reports, self.feed, self.wake) = (reader, reports, feed, wake)
    self.witness = witness
  }

  /// Finds out which entries of a session are committed, then calls the completion; also if the
  /// database does not answer.
  func confirm(_ session: SessionID, completion: @escaping @Sendable () -> Void) {
    pending.withLock { pending in
      pending.requests.append(Request(session: session, completion: completion))
    }
    confirmDoubts()
  }

  /// Settles all doubts, and notes the batches of all nodes.
  func confirmDoubts() {
    let begins = pending.withLock { pending in
      defer { pending.isScheduled = true }
      return !pending.isScheduled
    }
    if begins { queue.async { self.run() } }
  }

  private func run() {
    let requests = pending.withLock { pending in
      pending.isScheduled = false
      defer { pending.requests = [] }
      return pending.requests
    }
    let doubts = reports.use { served in
      for request in requests { served.doubted(request.session) }
      return served.doubts
    }
    let found = try? reader.use { connection throws(PostgresError) in
      try find(doubts, notesBatches: requests.isEmpty, connection)
    }
    if let found {
      reports.report { served in
        var report = ServedSessions.Report()
        for finding in found.sessions {
          let part = served.settled(finding)
          report.committed += part.committed
          report.lost += part.lost
        }
        return report
      }
      feed.signal.advance(to: found.feedPosition)
    }
    for request in requests { request.completion() }
    if found != nil || !requests.isEmpty { wake.set() }
  }

  private struct Found {
    let sessions: [ServedSessions.Finding]
    let feedPosition: Int
  }

  private func find(
    _ doubts: [ServedSessions.Doubt], notesBatches: Bool, _ connection: PostgresConnection
  ) throws(PostgresError) -> Found {
    let (position, before) = (feed.signal.position, witness.last)
    let results = try connection.run(
      [
        PostgresStatement("SELECT newest FROM feed"),
        PostgresStatement(
          """
          SELECT epoch, head FROM unnest($1) WITH ORDINALITY AS k(id, place)
          LEFT JOIN session ON session.id = k.id AND ended_at IS NULL ORDER BY place
          """, [.texts(doubts.map(\.session.text))]),
        PostgresStatement(NodeBatches.Numbers.sql),
      ], within: PostgresConfirmer.seconds)
    let batches = NodeBatches.Numbers(results[2])
    let found = Found(
      sessions: doubts.indices.map { place in
        ServedSessions.Finding(
          doubt: doubts[place], epoch: results[1].text(place, 0),
          head: results[1].int(place, 1) ?? 0)
      }, feedPosition: results[0].int(0, 0) ?? 0)
    // A request does not wait for the standbys because of the batches.
    if found.feedPosition > position || found.sessions.contains(where: \.isNews)
      || (notesBatches && witness.isNews(batches))
    {
      try connection.waitForStandbys()
      witness.note(batches, since: before)
    }
    if found.feedPosition < position { feed.findLossLater() }
    for finding in found.sessions where finding.isShorter {
      // Whatever its head is by now: another node may have appended meanwhile.
      try PostgresSchema.renewEpoch(
        of: finding.doubt.session, finding.doubt.epoch, lacking: .max, connection)
    }
    return found
  }
}

extension PostgresConnection {
  /// Waits until the disk, and the standbys for which a commit waits, have everything that this
  /// connection has read or written, by a commit that changes nothing.
  func waitForStandbys(within seconds: Int = PostgresConfirmer.seconds) throws(PostgresError) {
    try run(PostgresConnection.flush, within: seconds)
  }

  /// Ends the older connections with this name that wait for the standbys with a commit that
  /// changes nothing. The server does not notice that this process has closed them, and each
  /// would stay until a standby is back. It ends none that has changed something.
  func endOlderWaits(as name: String) throws(PostgresError) {
    try run("SELECT set_config('application_name', $1, false)", [.text(name)])
    try run(
      """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE application_name = $1 AND pid <> pg_backend_pid() AND wait_event = 'SyncRep'
        AND query LIKE '%pg_logical_emit_message%'
      """, [.text(name)])
  }

  /// The statements of that commit.
  static let flush = [
    PostgresStatement(
      """
      SELECT set_config('synchronous_commit', 'on', true)
      WHERE current_setting('synchronous_commit') = 'off'
      """),
    // A transaction without a record in the write-ahead log would not wait.
    PostgresStatement("SELECT pg_logical_emit_message(true, 'pickerd', '')"),
  ]
}
