import CivilTime
import Foundation
import PickerHub
import PickerModel
import PickerSession
import Synchronization
import Testing

@testable import SessionLog

/// Nodes on a database whose commits wait for a standby. There is one standby, so the tests run one
/// after the other.
@Suite(.serialized, .database) struct StandbyTests {
  private let command = LogEntry.Body.command(MemberID("m_1"), ref: 7, .clear)

  /// A node that has created a session with one entry, and loaded it.
  private func node(_ shelf: Shelf) async throws -> TestNode {
    let node = try TestNode(shelf)
    let fixture = try LogFixture(in: node.log)
    fixture.join("m_1")
    node.log.flush()
    #expect(try await node.load().entryCount == 1)
    return node
  }

  /// Runs a test with a node, its database and the standby.
  private func withStandby(
    _ body: (TestNode, Shelf, TestStandby) async throws -> Void
  ) async throws {
    let shelf = try Shelf(.postgres, isReused: false)
    let standby = try TestStandby(shelf.database)
    defer { standby.end() }
    try await body(try await node(shelf), shelf, standby)
  }

  /// Appends an entry at a node, and ends the connection while it waits for the standby.
  private func appendUnanswered(_ node: TestNode, _ shelf: Shelf, _ standby: TestStandby) throws {
    try standby.stop()
    node.append(command)
    try standby.wait(for: "a commit that waits") { try standby.waits(node.isWriter) == 1 }
    try standby.endWaiting(node.isWriter)
    #expect(try shelf.read(Int.self, "SELECT count(*) FROM pickerd.entry") == 2)
  }

  @Test func `a batch whose commit has no answer is stored once, and reported`() async throws {
    try await withStandby { one, shelf, standby in
      try appendUnanswered(one, shelf, standby)
      #expect(one.records.isEmpty)

      try standby.start()

      guard case .own? = try await one.records(1).first else {
        Issue.record("the append is its own")
        return
      }
      #expect(try shelf.read(Int.self, "SELECT count(*) FROM pickerd.entry") == 2)
      #expect(try await one.load().entryCount == 2)
    }
  }

  @Test func `an entry that the standby does not have is not reported to others`() async throws {
    try await withStandby { one, shelf, standby in
      let two = try TestNode(shelf)
      #expect(try await two.load().entryCount == 1)
      try appendUnanswered(one, shelf, standby)

      // The second node has found it, because it compares the ends of the logs every few seconds.
      try standby.wait(for: "a wait for the standby") {
        try standby.waits("query LIKE '%logical_emit%' AND \(two.isReader)") > 0
      }
      #expect(two.records.isEmpty)

      try standby.start()
      guard case .foreign(let entry)? = try await two.records(1).first else {
        Issue.record("the entry of the other node")
        return
      }
      #expect(entry.body == command)
    }
  }

  @Test func `nodes do not wait for each other's standbys to store entries`() async throws {
    try await withStandby { one, shelf, standby in
      let two = try TestNode(shelf)
      #expect(try await two.load().entryCount == 1)
      try standby.wait(for: "nodes that know each other") {
        !one.log.follower.isAlone && !two.log.follower.isAlone
      }
      try await TestNode.share(one, two)
      try standby.stop()

      one.append(command)
      try standby.wait(for: "the first commit") { try standby.waits(one.isWriter) == 1 }
      two.append(.command(MemberID("m_1"), ref: 8, .clear))
      try standby.wait(for: "the second commit") { try standby.waits(two.isWriter) == 1 }

      #expect(try shelf.read(Int.self, "SELECT count(*) FROM pickerd.entry") == 3)
      #expect(one.records.isEmpty && two.records.isEmpty)
      try standby.start()
      #expect(try await one.records(2).count == 2)
      #expect(try await two.records(2).count == 2)
    }
  }

  /// No other node waits for the rows of the session, so one commit is enough.
  @Test func `an entry that only one node needs is visible when the standby has it`() async throws {
    try await withStandby { one, shelf, standby in
      let two = try TestNode(shelf)
      try standby.wait(for: "nodes that know each other") {
        !one.log.follower.isAlone && !two.log.follower.isAlone
      }
      try standby.stop()

      one.append(command)
      try standby.wait(for: "the commit") { try standby.waits(one.isWriter) == 1 }

      #expect(try shelf.read(Int.self, "SELECT count(*) FROM pickerd.entry") == 1)
      try standby.start()
      #expect(try await one.records(1).count == 1)
      #expect(try shelf.read(Int.self, "SELECT count(*) FROM pickerd.entry") == 2)
    }
  }

  /// Regression: each comparison with the log left a connection at the server until the standby was
  /// back.
  @Test func `a node that waits for a standby has one connection for it`() async throws {
    try await withStandby { one, shelf, standby in
      let two = try TestNode(shelf)
      #expect(try await two.load().entryCount == 1)
      try appendUnanswered(one, shelf, standby)

      try await Task.sleep(for: .seconds(18))
      let waits = "query LIKE '%logical_emit%' AND \(two.isReader)"
      #expect(try standby.waits(waits) <= 1)
      try standby.start()
      #expect(try await two.records(1).count == 1)
    }
  }

  /// Regression: a new connection waited for 30 s, whatever the time of the batch was, and each
  /// attempt left a connection at the server.
  @Test func `a batch waits for a standby for a bounded time, over all connections`() async throws {
    try await withStandby { one, shelf, standby in
      one.log.queue.sync { one.log.waitSeconds = 3 }
      let begin = ContinuousClock.now
      try appendUnanswered(one, shelf, standby)

      try await one.wait(for: "lost") { if case .lost = $0 { true } else { nil } }
      #expect(.now - begin < .seconds(20))

      try await Task.sleep(for: .seconds(15))
      let connections = "SELECT count(*) FROM pg_stat_activity WHERE \(one.isWriter)"
      #expect(try shelf.read(Int.self, connections) ?? 0 <= 3)
    }
  }

  /// Regression: the batch was stored twice.
  @Test func `a batch with an unknown outcome is lost if the row of its node was deleted`()
    async throws
  {
    try await withStandby { one, shelf, standby in
      try standby.stop()
      one.append(command)
      try standby.wait(for: "a commit that waits") { try standby.waits(one.isWriter) == 1 }
      let incarnation = one.log.follower.incarnation
      let deleted = Mutex(false)
      Thread.detachNewThread {
        let connection = try? TestServer.shared.connect(shelf.database)
        _ = try? connection?.run("SELECT set_config('synchronous_commit', 'local', false)")
        _ = try? connection?.run(
          "DELETE FROM pickerd.node WHERE incarnation = $1", [.int(incarnation)])
        deleted.withLock { $0 = true }
      }
      try standby.wait(for: "a deletion that waits for the row") {
        let waiting = "wait_event_type = 'Lock' AND query LIKE 'DELETE FROM pickerd.node%'"
        return try shelf.read(
          Int.self, "SELECT count(*) FROM pg_stat_activity WHERE \(waiting)") == 1
      }
      try standby.endWaiting(one.isWriter)
      try standby.wait(for: "the deletion") { deleted.withLock { $0 } }
      try standby.start()

      try await one.wait(for: "lost") { if case .lost = $0 { true } else { nil } }
      #expect(try shelf.read(Int.self, "SELECT count(*) FROM pickerd.entry") == 2)
    }
  }

  @Test func `a session whose end the standby does not have is not absent`() async throws {
    try await withStandby { one, shelf, standby in
      let two = try TestNode(shelf)
      try standby.wait(for: "nodes that know each other") {
        !one.log.follower.isAlone && !two.log.follower.isAlone
      }
      try standby.stop()
      _ = one.log.append(.ended(nil), of: one.session)
      try standby.wait(for: "the commit") { try standby.waits(one.isWriter) == 1 }

      let outcomes = Mutex<[LogLookup<DormantSession>]>([])
      two.log.find(two.session) { outcome in outcomes.withLock { $0.append(outcome) } }
      try standby.wait(for: "a wait for the standby") {
        try standby.waits("query LIKE '%logical_emit%' AND \(two.isReader)") > 0
      }
      #expect(outcomes.withLock { $0.isEmpty })

      try standby.start()
      try standby.wait(for: "an answer") { !outcomes.withLock { $0.isEmpty } }
      guard case .absent? = outcomes.withLock({ $0.first }) else {
        Issue.record("the session has ended")
        return
      }
    }
  }

  @Test func `a session is loaded when the standby has what was read`() async throws {
    try await withStandby { one, shelf, standby in
      let two = try TestNode(shelf)
      try appendUnanswered(one, shelf, standby)

      two.log.load(two.session, limits: SessionLimits(), hub: 0)
      try standby.wait(for: "a wait for the standby") {
        try standby.waits("query LIKE '%logical_emit%' AND \(two.isReader)") > 0
      }
      let loaded = two.all { notice -> LoadedSession? in
        if case .loaded(_, let outcome) = notice { outcome.value } else { nil }
      }
      #expect(loaded.isEmpty)

      try standby.start()
      #expect(try await two.loaded().entryCount == 2)
    }
  }

  @Test func `sessions that were adopted without an answer are loaded`() async throws {
    try await withStandby { one, shelf, standby in
      var stopping: TestNode? = try TestNode(shelf, session: "t")
      let fixture = try LogFixture(in: stopping!.log, id: "t")
      fixture.join("m_1")
      stopping!.log.flush()
      fixture.closeLog()
      // The standby has the entry: otherwise the node would wait for it, and not stop.
      #expect(try await stopping!.load().entryCount == 1)
      let adoption = "query LIKE '%UPDATE session SET served_by = $1 FROM orphan%'"

      try standby.stop()
      stopping = nil
      try standby.wait(for: "an adoption that waits") { try standby.waits(adoption) == 1 }
      try standby.endWaiting(adoption)
      try standby.start()

      try await one.wait(for: "the session") { notice -> DormantSession? in
        guard case .orphaned(let sessions) = notice else { return nil }
        return sessions.first { $0.id == SessionID("t") }
      }
    }
  }
}

extension TestNode {
  /// SQL about a row of `pg_stat_activity`: it is the connection with which the node writes.
  fileprivate var isWriter: String {
    let name = log.follower.name.dropLast("-follower".count)
    return "application_name = '\(name)-writer'"
  }

  /// SQL about a row of `pg_stat_activity`: it is a connection with which the node reads.
  fileprivate var isReader: String {
    let name = log.follower.name.dropLast("-follower".count)
    return "application_name ~ '^\(name)-(loads|history|feed|confirmer)$'"
  }
}
