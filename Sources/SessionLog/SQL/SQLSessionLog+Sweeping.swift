import CivilTime
import Foundation
import PickerHub
import PickerSession

/// What a node does every second in a database that several share: it claims sessions that nobody
/// alive owns and that are due, and forgets nodes that have stopped. The database ends a connection
/// that is idle for longer: see ``PostgresEngine/connect()``.
extension SQLSessionLog {
  private static let sweepTime = Duration.seconds(1)
  /// How long a node must seem to have stopped before its sessions are claimed without a request:
  /// after a failover all nodes do until they have connected again.
  private static let stopTime = Duration.seconds(6)
  /// The maximum of sessions that one sweep claims; the next one begins at once.
  private static let sweepCountMax = 100

  func sweepLater(_ time: Duration = sweepTime) {
    guard isClustered else { return }
    scheduler.after(time, on: queue) { [weak self] in self?.sweep() }
  }

  private func sweep() {
    if hasClosed { return }
    guard failure == nil, let ownership, let locks = engine.locks else { return sweepLater() }
    var isPartial = false
    do {
      var (stopped, due, taken): (Set<Int64>, [DormantSession], Set<SessionID>) = ([], [], [])
      var feedEpoch: String?
      var nodes: (all: [SQLOwnership.Node], living: Set<Int64>) = ([], [])
      try transaction { connection in
        (taken, feedEpoch) = try ownership.takenByRenewal(of: owned.withLock { $0 }, connection)
        nodes = (try ownership.observe(connection), try locks.living(connection))
        stopped = stoppedNodes(ofAll: nodes.all.map(\.number), besides: nodes.living)
        due = try self.due(of: stopped, connection)
        try ownership.forget(stopped, connection)
        if clockDoubt.isOver {
          try connection.send("UPDATE store SET written_at = $1", [now])
        }
      }
      ownership.feedEpoch = feedEpoch
      note(nodes.all, living: nodes.living, ownership)
      disown(taken)
      if !taken.isEmpty { notify(.taken(Array(taken))) }
      if !due.isEmpty {
        let claims = try transaction { try ownership.claim(due.map(\.id), $0) }
        note(claims)
        notify(
          .orphaned(due.filter { if case .own? = claims[$0.id] { true } else { false } }))
      }
      isPartial = due.count >= SQLSessionLog.sweepCountMax
      // A notification may have been lost.
      lookForShared()
      if counts.withLock({ $0.isDue(at: scheduler.instant) }) { tryToCount() }
      deleteEndedLater()
    } catch {
      fail([], error)
    }
    isPartial ? sweepLater(.milliseconds(10)) : sweepLater()
  }

  /// Reports the nodes that have stopped, and warns of addresses to which nothing can be relayed.
  private func note(
    _ nodes: [SQLOwnership.Node], living: Set<Int64>, _ ownership: SQLOwnership
  ) {
    let absent = nodes.map(\.number).filter { !living.contains($0) }
    let stopped = absent.filter(ownership.hasStopped)
    if !stopped.isEmpty { notify(.stopped(stopped)) }
    livingNodes.withLock { $0 = nodes.count - absent.count }
    let others = nodes.filter {
      $0.number != ownership.node && living.contains($0.number) && $0.hasCommitted
    }
    let warning = ownership.warning(about: others)
    if let warning, warning != addressWarning {
      notify(.message(warning))
      addressWarning = warning
    }
  }

  /// The registered nodes that have not been alive for some time.
  private func stoppedNodes(ofAll nodes: [Int64], besides living: Set<Int64>) -> Set<Int64> {
    let now = scheduler.instant
    let absent = nodes.filter { !living.contains($0) }
    stoppedSince = stoppedSince.filter { absent.contains($0.key) }
    for node in absent where stoppedSince[node] == nil { stoppedSince[node] = now }
    return Set(stoppedSince.filter { $0.value + SQLSessionLog.stopTime <= now }.keys)
  }

  /// The sessions that are due and have no owner, or one that has stopped.
  private func due(
    of stopped: Set<Int64>, _ connection: any SQLConnection
  ) throws -> [DormantSession] {
    let (doubt, now) = (clockDoubt, self.now)
    let free = try connection.rows(
      """
      SELECT \(DormantSession.columns) FROM session
      WHERE owner IS NULL AND due_at <= $1 AND NOT ended ORDER BY due_at LIMIT $2
      """, [now, SQLSessionLog.sweepCountMax]
    ) { try DormantSession($0, doubt, at: now) }
    if stopped.isEmpty { return free }
    return try free
      + connection.rows(
        """
        SELECT \(DormantSession.columns) FROM session
        WHERE \(connection.dialect.isAny("owner", 1)) AND owner IS NOT NULL AND NOT ended LIMIT $2
        """, [SQLList.integers(Array(stopped)), SQLSessionLog.sweepCountMax]
      ) { try DormantSession($0, doubt, at: now) }
  }

  private func tryToCount() {
    do {
      try countAndTrim()
    } catch {
      let now = scheduler.instant
      counts.withLock { $0.haveFailed(at: now) }
    }
  }

  private func countAndTrim() throws {
    let connection = try connected()
    if clockDoubt.isOver {
      try connection.run(
        "DELETE FROM creation WHERE at <= $1", [now - SessionIndex.keyMilliseconds])
    }
    if let keyCountMax, counts.withLock({ $0.total.keys > keyCountMax }) {
      try connection.run(
        """
        DELETE FROM creation
        WHERE at <= (SELECT at FROM creation ORDER BY at DESC LIMIT 1 OFFSET $1)
        """, [keyCountMax])
    }
    try count(connection)
  }

  /// Counts the sessions and the idempotency keys of all nodes, and their bytes.
  func count(_ connection: any SQLConnection) throws {
    let begin = scheduler.instant
    let row = try connection.first(
      """
      SELECT coalesce(sum(CASE WHEN ended THEN 0 ELSE 1 END), 0),
        CAST(coalesce(sum(byte_count), 0) AS bigint) + (SELECT byte_count FROM feed)
          + (SELECT coalesce(sum(length(definition) + length(notes)), 0) FROM shared_definition),
        (SELECT count(*) FROM creation)
      FROM session
      """
    ) { row in (sessions: try row[0] as Int, bytes: try row[1] as Int, keys: try row[2] as Int) }
    guard let row else { return }
    state.withLock { $0.noteStoreSize(row.bytes) }
    let end = scheduler.instant
    counts.withLock {
      $0.haveCounted(ClusterCount(sessions: row.sessions, keys: row.keys), from: begin, to: end)
    }
  }
}

/// The number of sessions in a cluster's database that have not ended, and of idempotency keys:
/// those of the last count, and those that this node has created since. Creations of other nodes,
/// and ends, follow with the next count.
struct SessionCounts {
  private var counted = ClusterCount()
  private var created = ClusterCount()
  /// `nil`: at once.
  private var nextCounting: ContinuousClock.Instant?

  var total: ClusterCount { counted + created }

  func isDue(at now: ContinuousClock.Instant) -> Bool { nextCounting.map { $0 <= now } ?? true }

  /// A creation was appended.
  mutating func add(_ origin: SessionOrigin) {
    created += ClusterCount(sessions: 1, keys: origin.key == nil ? 0 : 1)
  }

  mutating func forgetCreations() { created = ClusterCount() }

  /// The database was counted. The time for that grows with the number of sessions: no more than
  /// 2 % of the time is spent on it.
  mutating func haveCounted(
    _ count: ClusterCount, from begin: ContinuousClock.Instant, to end: ContinuousClock.Instant
  ) {
    (counted, created) = (count, ClusterCount())
    nextCounting = end + max(.seconds(2), (end - begin) * 49)
  }

  /// The database was not counted, for example because that takes too long.
  mutating func haveFailed(at instant: ContinuousClock.Instant) {
    nextCounting = instant + .seconds(60)
  }
}
