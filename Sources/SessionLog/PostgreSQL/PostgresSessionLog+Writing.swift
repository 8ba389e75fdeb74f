import Foundation
import PickerHub
import PickerSession

/// Committing batches, and failure of the database: members' commands wait for a bounded time while
/// the log reconnects; then their sessions are lost, and no append is accepted until the database
/// can be written again.
extension PostgresSessionLog {
  /// The maximum time that a batch waits for a connection.
  static let waitSeconds = 10
  /// The maximum time if this node is cut off from the database.
  private static let cutOffSeconds = 2
  /// The maximum time for which a batch waits after one that other nodes have delayed.
  static let pauseMax = Duration.milliseconds(2)
  /// The pause before connecting again; doubled up to a quarter of a second.
  private static let firstPause = 0.05

  /// Commits a batch, over several connections if needed.
  func commit(_ batch: PendingRecords.Batch) {
    let begin = ContinuousClock.now
    let (expected, isOnlyHere) = reports.use { served in
      (served.expectations(of: batch.records), served.areOnlyHere(batch.records))
    }
    var pause = PostgresSessionLog.firstPause
    while true {
      let rest = begin + .seconds(waitSeconds) - .now
      do throws(PostgresError) {
        let result = try writer.commit(
          batch.records, expected: expected, isAlone: follower.isAlone || isOnlyHere,
          within: max(1, Int((rest / .seconds(1)).rounded(.up))))
        return committed(batch, result, expected, begin: begin)
      } catch {
        let seconds = error.isCutOff ? PostgresSessionLog.cutOffSeconds : waitSeconds
        let isLate = ContinuousClock.now > begin + .seconds(seconds)
        guard error.isConnectionLost || error.isTransient, !isLate, !writer.hasLostHistory else {
          return fail(batch.records, error)
        }
        Thread.sleep(forTimeInterval: pause)
        pause = min(0.25, 2 * pause)
      }
    }
  }

  private func committed(
    _ batch: PendingRecords.Batch, _ result: PostgresWriter.Result,
    _ expected: [SessionID: ServedSessions.Expectation], begin: ContinuousClock.Instant
  ) {
    state.withLock { state in
      state.committed(batch, begin: begin)
      for (session, byteCount) in result.byteCounts { state.note(byteCount, of: session) }
    }
    creations.withLock { $0.settle(SharedCount(batch.records)) }
    var isBehind = false
    reports.report { served in
      let report = served.committed(
        batch.records, result, expected: expected, serial: writer.serial)
      isBehind = !served.gaps().isEmpty
      return report
    }
    if isBehind { follower.wake.set() }
    follower.announce(result, epochs: expected.mapValues(\.epoch))
    if let position = result.feedPosition { feed.signal.advance(to: position) }
    if result.hasEnded { deleteEndedLater() }
    if PostgresSessionLog.isContended(result, expected) {
      let pause = min(.now - begin, pauseMax)
      Thread.sleep(forTimeInterval: pause / .seconds(1))
    }
  }

  /// Whether the next batch waits for more commands, for as long as this one took.
  ///
  /// Members whose commands were stored together send their next ones together. If other nodes
  /// write to their session, a transaction waits for the others' and costs every node a report:
  /// one for all these members instead of two. After a command alone nothing waits.
  static func isContended(
    _ result: PostgresWriter.Result, _ expected: [SessionID: ServedSessions.Expectation]
  ) -> Bool {
    result.bases.contains { session, base in
      guard let last = result.heads[session] ?? nil, last - base > 1 else { return false }
      return expected[session].map { $0.position < base } ?? false
    }
  }

  /// Stops accepting appends, reports the pending records as lost, and probes the database.
  private func fail(_ records: [StoreRecord], _ error: PostgresError) {
    writer.abandon()
    reports.use { [serial = writer.serial] in $0.abandoned(serial: serial) }
    let sentence = sentence(error)
    let later = state.withLock { state in
      state.failure = sentence
      return state.failed()
    }
    notify(.message(sentence))
    creations.withLock { $0.settle(SharedCount(records + later)) }
    // A session with a lost snapshot is lost too: its list of spent entries is gone, and only a
    // reload makes it again.
    reports.lost((records + later).sessions)
    probeLater()
  }

  private func sentence(_ error: PostgresError) -> String {
    "the store \(address) is not writable: \(error)"
  }

  private func probeLater() {
    queue.asyncAfter(deadline: .now() + 0.5) { self.probe() }
  }

  /// The database may have been restored to the past while it was not reachable. Checks that at
  /// once: otherwise the next append would.
  func checkHistory() {
    queue.async {
      // The first attempt may only find out that the writing connection is lost, too.
      if (try? self.writer.probe()) == nil { try? self.writer.probe() }
      if self.writer.hasLostHistory { self.probe() }
    }
  }

  /// Finds out whether this node is cut off from the database, so that it is not ready even if it
  /// has nothing to write.
  func checkReachability() {
    queue.async {
      guard self.failure == nil else { return }
      do throws(PostgresError) {
        // The first attempt may only find out that the connection is lost.
        if (try? self.writer.probe()) == nil { try self.writer.probe() }
      } catch {
        if error.isCutOff { self.fail([], error) }
      }
    }
  }

  /// Closes the sessions of a node that does not receive the others' entries: their members would
  /// wait for these without end.
  func cannotFollow() {
    queue.async {
      guard self.failure == nil, let error = self.follower.problem.withLock({ $0 }) else { return }
      self.fail([], error)
      self.reports.lost(self.reports.use { $0.ids })
    }
  }

  /// Tries to write; on success accepts appends again.
  private func probe() {
    do throws(PostgresError) {
      try writer.probe()
      if let problem = follower.problem.withLock({ $0 }) { throw problem }
    } catch {
      state.withLock { $0.failure = sentence(error) }
      return probeLater()
    }
    if writer.hasLostHistory {
      writer.hasLostHistory = false
      feed.readState()
      notify(
        .message(
          "the store \(address) is older than the state served before, as after a restore: every "
            + "session has a new epoch"))
      reports.lost(reports.use { $0.ids })
    }
    state.withLock { $0.failure = nil }
    notify(.message("the store \(address) is writable again"))
  }
}

/// Renewal of a session whose entries do not give the stored state any more: it continues from its
/// newest snapshot under a new epoch.
extension PostgresSessionLog {
  /// Gives a session a new epoch, unless another node has done so, and marks its newest snapshot
  /// as the beginning of its log.
  ///
  /// While a node with newer versions runs, only that one does: two nodes would renew the session
  /// in turn for as long as members of both open it. This node then does not load it, and its
  /// members reconnect, to any node.
  /// - Parameter then: Called on ``readingQueue`` when the change is stored.
  func renew(
    _ session: SessionID, _ divergence: StoredDivergence, then: @escaping @Sendable () -> Void
  ) {
    let renewal = PostgresStatement(
      """
      WITH renewed AS (
        UPDATE session SET epoch = replace(gen_random_uuid()::text, '-', ''), rules = $1,
          tzdata = $2 WHERE number = $3 AND epoch = $4 RETURNING number
      ), marked AS (
        UPDATE snapshot SET rules = $1, tzdata = $2, checksum = $5, replaces = $6
        FROM renewed WHERE session = number AND sequence = $7
      )
      SELECT count(*) FROM renewed
      """,
      [
        .int(versions.rules), .text(versions.tzdata), .int(divergence.number),
        .text(divergence.epoch), .int(divergence.checksum), .text(divergence.versions.text),
        .int(divergence.sequence),
      ])
    do throws(PostgresError) {
      guard try !writer.hasNewerNode() else {
        notify(divergence.refusal(of: session, at: versions))
        return notify(.loaded(session, .unavailable))
      }
      if try writer.write([renewal])[0].int(0, 0) == 1 {
        follower.announceChange(of: session)
        notify(divergence.notice(of: session, replayedWith: versions))
      }
      readingQueue.async(execute: then)
    } catch {
      notify(.message("session \(session.shortened) cannot be read from \(address): \(error)"))
      notify(.loaded(session, .unavailable))
    }
  }
}
