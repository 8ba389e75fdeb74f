import CivilTime
import Foundation
import PickerHub
import PickerSession
import Testing

@testable import SessionLog

/// Batches of nodes that write to the same sessions.
@Suite struct ContentionTests {
  private let session = SessionID("s")

  /// Whether a batch waits after one with so many commands of a session that had so many entries
  /// of other nodes since the last report.
  private func isContended(own: Int, others: Int) -> Bool {
    let base = 10 + others
    let result = PostgresWriter.Result(
      byteCounts: [:], bases: [session: base], refused: [], lost: [], living: [],
      heads: [session: base + own], shared: [:], feedPosition: nil, hasEnded: false, batch: 1)
    let expected = ServedSessions.Expectation(load: 1, epoch: "e", position: 10, isShared: true)
    return PostgresSessionLog.isContended(result, [session: expected])
  }

  @Test func `a batch waits after several commands that follow those of other nodes`() {
    #expect(isContended(own: 2, others: 1) && isContended(own: 9, others: 4))
  }

  @Test func `no batch waits after one command, or if no other node has appended an entry`() {
    #expect(!isContended(own: 1, others: 1) && !isContended(own: 9, others: 0))
  }

  @Test func `rows stay locked during the flush only if no other node waits for them`() throws {
    let (alone, shared, unknown) = (SessionID("s"), SessionID("t"), SessionID("u"))
    var served = ServedSessions()
    for session in [alone, shared] {
      served.beginLoad(session, hub: 0)
      _ = served.loaded(session, position: 3, epoch: "e")
    }
    #expect(served.share(shared, with: 7) == 3)
    let entry = LogRecord.entry(LogEntry(at: Instant(milliseconds: 0), body: .tick))

    #expect(served.areOnlyHere([.log(entry, alone), .log(entry, alone)]))
    #expect(!served.areOnlyHere([.log(entry, alone), .log(entry, shared)]))
    #expect(!served.areOnlyHere([.log(entry, unknown)]), "another node may have it")
    let fixture = try LogFixture(in: MemorySessionLog())
    let snapshot = LogSnapshot(
      epoch: "first", entryCount: 0, state: fixture.fold.state, picker: fixture.fold.picker,
      isIdle: false, nextTick: nil, idleMilliseconds: 0, eventSequence: 0)
    let stored = StoreRecord.snapshot(EncodedSnapshot(snapshot, digest: { $0 }), shared)
    #expect(!served.areOnlyHere([.log(entry, alone), stored]))
    #expect(!served.areOnlyHere([.log(.ended(nil), alone)]), "the feed may get an event")
  }

  @Test(.database) func `the next batch waits as long as a delayed one took`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two, _) = try await TestNode.pair(shelf)
    let blocker = try TestServer.shared.connect(shelf.database)
    try blocker.run("BEGIN")
    try blocker.run("SELECT FROM pickerd.session FOR UPDATE")
    // Others wait for the row, too, as a search for expired sessions does. Blocks its thread: while
    // the row is locked a task must not wait for one, because after ten seconds a batch is given up.
    func waitForLock(of node: TestNode, then pause: Double = 0) throws {
      for _ in 0..<12_000 {
        let waiting = try blocker.run(
          "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = $1",
          [.text(node.log.writer.name)])
        if waiting.count == 1 { return Thread.sleep(forTimeInterval: pause) }
        Thread.sleep(forTimeInterval: 0.005)
      }
      throw StoreProblem("\(node.log.writer.name) does not wait for the row")
    }
    one.log.queue.sync { one.log.pauseMax = .seconds(60) }
    // The row is given to the nodes in this order.
    two.append(.command(MemberID("m_1"), ref: 1001, .clear))
    try waitForLock(of: two)
    one.log.queue.suspend()
    for ref in 1...2 { one.append(.command(MemberID("m_1"), ref: ref, .clear)) }
    one.log.queue.resume()
    try waitForLock(of: one, then: 0.4)
    let end = ContinuousClock.now
    try blocker.run("COMMIT")

    one.log.flush()

    #expect(.now - end >= .milliseconds(400))
    #expect(try await one.records(3).count == 3)
  }
}
