import CivilTime
import Foundation
import PickerHub
import PickerSession

/// What one node does for all: it ends sessions that have expired, and adopts the sessions of nodes
/// that have stopped.
extension PostgresSessionLog {
  /// The key of the advisory lock of the node that sweeps.
  static let sweepLock = 0x70_6963_6B65_7266
  /// A session expires so much later than its time to live, because a connection of a member is
  /// stored some seconds later.
  private static let graceMilliseconds = 5000
  /// The maximum of sessions that one sweep ends; the next one begins at once.
  private static let expiryCountMax = 50
  /// The maximum of numbers of sessions that one sweep reads: one statement must not read millions.
  private static let readingCountMax = 50_000

  /// Sweeps on ``historyQueue``, unless that is still under way.
  func sweepLater() {
    let begins = sweeping.withLock { state in
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard begins else { return }
    historyQueue.async {
      try? self.storeVisits()
      try? self.storeDeferred()
      try? self.countIfDue()
      try? self.restoreServed()
      let isPartial = (try? self.sweep()) ?? false
      self.deleteEndedLater()
      self.sweeping.withLock { $0.isRunning = false }
      // After the pages of the history that were asked for meanwhile.
      if isPartial, self.failure == nil { self.sweepLater() }
    }
  }

  private func countIfDue() throws {
    guard creations.withLock({ $0.nextCounting <= .now }) else { return }
    try historyReader.use { connection throws(PostgresError) in
      try writer.clockDoubt.check(connection)
      if !writer.clockDoubt.isRaised {
        try connection.run(CreationCount.expiry, [.int(Int(SessionIndex.keyMilliseconds))])
      }
      if let keyCountMax, creations.withLock({ $0.total.keys > keyCountMax }) {
        try connection.run(CreationCount.excessDeletion, [.int(keyCountMax)])
      }
      try count(connection)
    }
  }

  /// Counts the sessions and the idempotency keys of all nodes, and their bytes.
  func count(_ connection: PostgresConnection) throws(PostgresError) {
    let begin = ContinuousClock.now
    let settled = creations.withLock { $0.settled }
    let row = try connection.run(CreationCount.sql)
    let count = SharedCount(sessions: row.int(0, 0) ?? 0, keys: row.int(0, 2) ?? 0)
    state.withLock { $0.noteStoreSize(row.int(0, 1) ?? 0) }
    creations.withLock { $0.haveCounted(count, settled: settled, in: .now - begin) }
  }

  /// A connection of a member counts as activity; the entries of a session do so anyway.
  private func storeVisits() throws(PostgresError) {
    let sessions = visited.withLock { visited in
      defer { visited = [] }
      return Array(visited)
    }
    var rest = sessions[...]
    while !rest.isEmpty {
      let part = rest.prefix(PostgresSessionLog.visitCountMax)
      do throws(PostgresError) {
        try historyReader.write(PostgresSessionLog.visiting, [.texts(part.map(\.text))])
      } catch {
        visited.withLock { [rest] in $0.formUnion(rest) }
        throw error
      }
      rest = rest.dropFirst(part.count)
    }
  }

  /// The maximum of sessions that one statement locks: the batches of all nodes wait for it.
  private static let visitCountMax = 500

  /// Notes the activity of sessions. It finds each one by the index, also in a database without
  /// statistics, and locks them in the order in which batches do.
  static let visiting = """
    WITH visited AS (
      SELECT session.id FROM unnest($1) AS v(id) JOIN session USING (id)
      ORDER BY session.id FOR NO KEY UPDATE OF session
    )
    UPDATE session SET active_at = now_ms() FROM visited WHERE session.id = visited.id
    """

  /// Stores events of other nodes' entries that those nodes have not stored.
  private func storeDeferred() throws {
    let sessions = deferred.withLock { $0.sessions }
    guard !sessions.isEmpty else { return }
    let begin = ContinuousClock.now
    let rows = try historyReader.readConfirmed { connection in
      try connection.run(
        """
        SELECT id, event_sequence, head, epoch FROM session
        WHERE id = ANY ($1) AND ended_at IS NULL
        """, [.texts(sessions.map(\.text))])
    }
    var logs: [SessionID: DeferredEvents.Log] = [:]
    for row in 0..<rows.count {
      logs[SessionID(rows.text(row, 0) ?? "")] = DeferredEvents.Log(
        mark: rows.int(row, 1) ?? .max, head: rows.int(row, 2) ?? 0, epoch: rows.text(row, 3) ?? "")
    }
    for session in sessions {
      deferred.withLock { deferred in
        let isDue = deferred.read(logs[session], of: session, begin: begin)
        if isDue { _ = addDeferred(of: session, &deferred) }
      }
    }
  }

  /// - Returns: Whether it has read a part of the sessions, and another sweep should read the next.
  private func sweep() throws -> Bool {
    let lock = PostgresSessionLog.sweepLock
    guard try historyReader.write("SELECT pg_try_advisory_lock($1)", [.int(lock)]).bool(0, 0)
    else { return false }
    defer { _ = try? historyReader.write("SELECT pg_advisory_unlock($1)", [.int(lock)]) }
    try adoptOrphans()
    return try expire()
  }

  /// Passes the sessions for which this node is responsible to the hubs if they are not in memory:
  /// a load may have failed, or another node's entry may have arrived after the adoption.
  private func restoreServed() throws {
    guard sweeping.withLock({ $0.restoresServed(at: .now) }) else { return }
    let served = try historyReader.use {
      [node = follower.incarnation] connection
        throws(PostgresError) in
      try PostgresOrphans.served(by: node, connection)
    }
    let missing = reports.use { reports in served.filter { !reports.serves($0.id) } }
    if !missing.isEmpty { notify(.orphaned(missing)) }
  }

  /// The database was not reachable: other nodes may not have connected again, either.
  func forgetStoppedNodes() { sweeping.withLock { $0.forgetStopped() } }

  private func adoptOrphans() throws {
    let stopped = try historyReader.read { try PostgresOrphans.stoppedNodes($0) }
    let (adopted, forgotten) = sweeping.withLock { $0.noteStopped(stopped, at: .now) }
    let isNeeded = sweeping.withLock { !$0.unanswered.isEmpty || !$0.hasAdopted }
    if !adopted.isEmpty || isNeeded { try adopt(adopted, stopped: Set(stopped)) }
    sweeping.withLock { $0.hasAdopted = true }
    if !forgotten.isEmpty {
      try historyReader.write("DELETE FROM node WHERE incarnation = ANY ($1)", [.ints(forgotten)])
    }
  }

  /// Makes this node responsible for the sessions of others. An attempt without an answer is
  /// repeated, which waits for its end; then the sessions of this node are passed to the hubs,
  /// which ignore those that they know.
  ///
  /// - Parameter stopped: Also those that were adopted before. A node that is alive again keeps its
  ///   sessions.
  private func adopt(_ nodes: [Int], stopped: Set<Int>) throws(PostgresError) {
    let own = follower.incarnation
    let orphans = try historyReader.use { connection throws(PostgresError) in
      let (isRepeated, all) = sweeping.withLock { state in
        defer { state.unanswered.formUnion(nodes) }
        let repeated = state.unanswered.intersection(stopped)
        return (!state.unanswered.isEmpty, Array(repeated.union(nodes)))
      }
      let adopted = try PostgresOrphans.adopt(all, by: own, connection)
      return isRepeated ? try PostgresOrphans.served(by: own, connection) : adopted
    }
    sweeping.withLock { $0.unanswered = [] }
    if !orphans.isEmpty { notify(.orphaned(orphans)) }
  }

  /// - Returns: Whether sessions remain to be read.
  private func expire() throws -> Bool {
    let begin = ContinuousClock.now
    guard !writer.clockDoubt.isRaised, sweeping.withLock({ $0.nextReading <= begin }) else {
      return false
    }
    let first = sweeping.withLock { $0.readThrough }
    let through = first + PostgresSessionLog.readingCountMax
    let rows = try historyReader.write(
      """
      SELECT \(DormantSession.columns), number FROM session
      WHERE number > $1 AND number <= $2 AND ended_at IS NULL
        AND active_at + ttl_seconds * 1000 <= now_ms() - $3
      ORDER BY number LIMIT $4
      """,
      [
        .int(first), .int(through), .int(PostgresSessionLog.graceMilliseconds),
        .int(PostgresSessionLog.expiryCountMax),
      ])
    var last: Int? = through
    if rows.count == PostgresSessionLog.expiryCountMax {
      last = rows.int(rows.count - 1, 5)
    } else if try historyReader.write("SELECT max(number) FROM session", []).int(0, 0) ?? 0
      <= through
    {
      last = nil
    }
    sweeping.withLock { [last] in $0.haveRead(through: last, in: .now - begin) }
    for row in 0..<rows.count { try expire(DormantSession(rows, row)) }
    return last != nil
  }

  /// Ends a session, with the event of its last state. One that waits for the host's decision is
  /// loaded by this node instead, because time may end that.
  private func expire(_ session: DormantSession) throws {
    let id = session.id
    let outcome = try readUnlessUnreadable(id)
    var (head, missed): (Int?, [FeedRecord]) = (nil, [])
    let event: FeedEvent
    let now = Instant(milliseconds: follower.clock.now)
    switch outcome {
    case .loaded(let loaded, byteCount: _):
      if loaded.fold.decision.confirmation != nil { return notify(.orphaned([session])) }
      event = loaded.fold.endEvent(.expired, at: now)
      (head, missed) = (loaded.entryCount, loaded.missed)
    case .diverged: return notify(.orphaned([session]))
    case nil:
      let epoch = try historyReader.write(
        "SELECT epoch FROM session WHERE id = $1", [.text(id.text)]
      ).text(0, 0)
      event = FeedEvent(endOfUnreadable: id, epoch: epoch ?? "", at: now)
    }
    let rows = try historyReader.write(
      PostgresBatch.expiry(
        of: id, head: head, event, missed: missed, node: follower.incarnation, digest: digest))
    guard rows.last?.bool(0, 0) == true else { return }
    reports.use { $0.doubted(id) }
    follower.announceChange(of: id)
    follower.wake.set()
    deleteEndedLater()
  }

  /// - Returns: `nil` if there is no such session, or it cannot be decoded.
  /// - Throws: ``PostgresError``: it can perhaps be read later.
  private func readUnlessUnreadable(_ id: SessionID) throws -> StoredReading.Outcome? {
    do {
      return try historyReader.read { try self.stored(id, $0) }
    } catch let error where !(error is PostgresError) {
      return nil
    }
  }
}
