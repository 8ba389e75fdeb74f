import Foundation
package import PickerHub
import PickerModel
package import PickerSession

/// Loading sessions, reading their history, and deleting ended ones.
extension PostgresSessionLog {
  package func load(_ session: SessionID, limits: SessionLimits, hub: Int) {
    reports.use { $0.beginLoad(session, hub: hub) }
    // The load derives the events that the feed lacks.
    deferred.withLock { $0.drop(session) }
    let load = PendingLoad(session: session, limits: limits, hub: hub)
    if state.withLock({ $0.add(load) }) { queueBatch(of: session) }
  }

  /// The maximum of sessions that are read in one transaction, and so in memory twice.
  static let loadCountMax = 16

  /// Loads sessions and passes them to their hubs. Called on ``readingQueue``.
  func read(_ loads: [PendingLoad]) {
    do {
      let outcomes = try reader.readConfirmed { connection in
        try loads.map { try outcome(of: $0, connection) }
      }
      for (load, outcome) in zip(loads, outcomes) { finish(load, outcome) }
    } catch {
      for load in loads { cannotRead(load.session, error) }
    }
  }

  /// - Throws: ``PostgresError``. The outcome of a session that cannot be decoded is a failure.
  private func outcome(
    of load: PendingLoad, _ connection: PostgresConnection
  ) throws -> Result<StoredReading.Outcome?, any Error> {
    do {
      return .success(
        try PostgresSessionRows(load.session, connection).map { rows in
          try StoredReading.load(
            rows, limits: load.limits, versions, now: rows.now,
            definition: { try definitions.definition(of: $0, hub: load.hub) },
            make: { self.definitions.definition(document: $0, hub: load.hub) })
        })
    } catch let error where !(error is PostgresError) {
      return .failure(error)
    }
  }

  private func finish(_ load: PendingLoad, _ outcome: Result<StoredReading.Outcome?, any Error>) {
    let session = load.session
    switch outcome {
    case .failure(let error): cannotRead(session, error)
    case .success(nil): notify(.loaded(session, .absent))
    case .success(.diverged(let divergence)):
      queue.async { self.renew(session, divergence) { self.read([load]) } }
    case .success(.loaded(let loaded, let byteCount)):
      state.withLock { $0.note(byteCount, of: session) }
      let isBehind = reports.use { served in
        let isBehind = served.loaded(
          session, position: loaded.entryCount, epoch: loaded.fold.origin.epoch)
        // A session that was lost meanwhile must be loaded again.
        notify(.loaded(session, isBehind == nil ? .unavailable : .found(loaded)))
        return isBehind ?? false
      }
      if isBehind { follower.wake.set() }
    }
  }

  private func cannotRead(_ session: SessionID, _ error: any Error) {
    notify(.message("session \(session.shortened) cannot be read from \(address): \(error)"))
    notify(.loaded(session, .unavailable))
  }

  package func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void
  ) {
    historyQueue.async {
      let page = try? self.historyReader.read { connection in
        try PostgresSessionRows(position.origin.id, connection).flatMap { rows in
          try StoredHistory.page(from: position, rows, make: self.definitions.make(_:))
        }
      }
      self.notify(.run(position.origin.id) { completion(page ?? nil) })
    }
  }

  /// Deletes the rows of ended sessions in small transactions, between the pages of the history.
  /// After an error, the next sweep begins again.
  func deleteEndedLater() {
    let begins = state.withLock { state in
      defer { state.isDeleting = true }
      return !state.isDeleting
    }
    guard begins else { return }
    historyQueue.async {
      // A later end is not found by this part, and queues another one.
      self.state.withLock { $0.isDeleting = false }
      if (try? self.deleteEndedPart()) == true { self.deleteEndedLater() }
    }
  }

  /// A definition or a snapshot may have megabytes, so that one of each is deleted at once. The row
  /// of the session is the last: a batch with a late record of the session waits for its lock.
  private static let partDeletion = """
    WITH old AS (
      SELECT number FROM session WHERE ended_at IS NOT NULL ORDER BY number LIMIT 1
      FOR UPDATE SKIP LOCKED
    ), entries AS (
      DELETE FROM entry USING old WHERE session = old.number AND sequence IN (
        SELECT sequence FROM entry JOIN old ON session = old.number LIMIT 1000)
      RETURNING 1
    ), snapshots AS (
      DELETE FROM snapshot USING old WHERE session = old.number AND sequence IN (
        SELECT sequence FROM snapshot JOIN old ON session = old.number LIMIT 1)
      RETURNING 1
    ), definitions AS (
      DELETE FROM definition USING old WHERE session = old.number AND digest IN (
        SELECT digest FROM definition JOIN old ON session = old.number LIMIT 1)
      RETURNING 1
    )
    SELECT (SELECT number FROM old), (SELECT count(*) FROM entries)
      + (SELECT count(*) FROM snapshots) + (SELECT count(*) FROM definitions)
    """

  /// - Returns: Whether rows may remain.
  private func deleteEndedPart() throws -> Bool {
    let rows = try historyReader.write(PostgresSessionLog.partDeletion, [])
    guard let number = rows.int(0, 0), let count = rows.int(0, 1) else { return false }
    if count == 0 {
      try historyReader.write(
        """
        DELETE FROM session WHERE number = $1 AND NOT EXISTS (
          SELECT FROM entry WHERE session = $1 UNION ALL SELECT FROM snapshot WHERE session = $1
          UNION ALL SELECT FROM definition WHERE session = $1)
        """, [.int(number)])
    }
    return true
  }
}
