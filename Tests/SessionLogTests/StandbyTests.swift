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
  /// SQL about a row of `pg_stat_activity`: it is a connection with which a node writes.
  private let isWriter = "application_name LIKE 'pickerd-%-writer'"
  private let isReader = "application_name LIKE 'pickerd-%-reader'"

  /// Runs a test with a node that has created a session with one entry, its database and the
  /// standby.
  ///
  /// - Parameter waitTime: For which the node's commands wait for the standby.
  private func withStandby(
    waitTime: Duration = hung, _ body: (TestNode, Shelf, TestStandby) async throws -> Void
  ) async throws {
    let shelf = try Shelf(.postgres, isReused: false)
    let standby = try TestStandby(shelf.database)
    defer { standby.end() }
    let node = try TestNode(shelf.database, waitTime: waitTime)
    try node.create()
    try await body(node, shelf, standby)
  }

  /// Ends connections that wait for the standby until their transactions are visible: there may be
  /// others before, as of a sweep.
  private func waitForVisible(_ sql: String, _ shelf: Shelf, _ standby: TestStandby) throws {
    try standby.wait(for: sql) {
      if try shelf.read(Bool.self, sql) == true { return true }
      try standby.endWaiting(isWriter)
      return false
    }
  }

  private func waitForWait(_ standby: TestStandby, _ condition: String) throws {
    try standby.wait(for: "a commit that waits") { try standby.waits(condition) > 0 }
  }

  @Test func `a batch is reported when the standby has it, once, also over two connections`()
    async throws
  {
    try await withStandby { one, shelf, standby in
      try standby.stop()
      one.command(2)
      try waitForVisible("SELECT count(*) = 2 FROM entry", shelf, standby)
      for _ in 0..<2 {
        try waitForWait(standby, isWriter)
        #expect(one.committedCount == 2)
        try standby.endWaiting(isWriter)
      }

      try standby.start()

      try await one.waitForCommitted(3)
      #expect(try shelf.count("SELECT count(*) FROM entry") == 2)
      #expect(one.lost.isEmpty)
    }
  }

  /// Regression: a change whose commit had an unknown outcome was made again, on its own result.
  @Test func `a shared definition is changed once, also over two connections`() async throws {
    try await withStandby { one, shelf, standby in
      let found = "FROM shared_definition WHERE name = 'room'"
      let effects = Mutex<[SharedWriting]>([])
      let note = { @Sendable (outcome: SharedWriting) in effects.withLock { $0.append(outcome) } }
      let draft = SharedDraft(name: "room", document: .object([]), notes: Notes())
      one.log.write(draft, replacing: nil, completion: note)
      one.log.flush()

      try standby.stop()
      one.log.write(draft, replacing: 1, completion: note)
      try waitForVisible("SELECT version = 2 \(found)", shelf, standby)
      try standby.start()
      one.log.flush()
      #expect(effects.withLock { $0 } == [.done(version: 1), .done(version: 2)])
    }
  }

  @Test func `a session is loaded when the standby has the claim`() async throws {
    try await withStandby { one, shelf, standby in
      let two = try TestNode(shelf.database)
      one.log.released(one.session)
      one.log.flush()
      try standby.stop()

      two.log.load(two.session, limits: SessionLimits(), hub: 0)
      try waitForWait(standby, isWriter)
      #expect(two.posted.all { if case .loaded = $0 { true } else { nil } }.isEmpty)

      try standby.start()
      let loaded = try await two.posted.wait(for: "loaded") {
        if case .loaded(_, let outcome) = $0 { outcome.value } else { nil }
      }
      #expect(loaded.entryCount == 1)
    }
  }

  @Test func `a session whose end the standby does not have is not absent`() async throws {
    try await withStandby { one, shelf, standby in
      let two = try TestNode(shelf.database)
      try standby.stop()
      _ = one.log.append(.ended(nil), of: one.session)
      try waitForVisible("SELECT count(*) = 0 FROM session", shelf, standby)

      let effects = Mutex<[LogLookup<DormantSession>]>([])
      two.log.find(two.session) { outcome in effects.withLock { $0.append(outcome) } }
      try waitForWait(standby, isReader)
      #expect(effects.withLock { $0.isEmpty })

      try standby.start()
      try standby.wait(for: "an answer") { !effects.withLock { $0.isEmpty } }
      guard case .absent? = effects.withLock({ $0.first }) else {
        Issue.record("the session has ended")
        return
      }
    }
  }

  /// A primary that is cut off from its standbys may have been replaced: its list, its names and
  /// the end of its feed may be old.
  @Test func `a primary that is cut off from the standby gives no older answers`() async throws {
    try await withStandby { one, shelf, standby in
      let two = try TestNode(shelf.database)
      try standby.stop()

      let query = SessionListQuery(external: nil, status: nil, after: 0, limit: 10)
      let answers = Mutex<[String]>([])
      two.log.feed.read(FeedRequest(after: 5, types: nil, countMax: 10)) { answer in
        answers.withLock { $0.append("\(answer.map(\.lines.count))") }
      }
      two.log.list(query, hub: 0) { answer in
        answers.withLock { $0.append("\(answer)") }
      }
      try standby.wait(for: "two reads that wait") { try standby.waits(isReader) >= 2 }

      try standby.wait(for: "the answers") {
        try standby.endWaiting(isReader)
        return answers.withLock { $0.count } == 2
      }
      let unavailable = "failure(SessionLog.FeedProblem.unavailable)"
      #expect(answers.withLock { $0.sorted() } == [unavailable, "unavailable"])
      try standby.start()
      #expect(await read(after: 5, two) == .failure(.gone(oldest: 1, newest: 1)))
    }
  }

  private func read(after position: Int, _ node: TestNode) async -> Result<Int, FeedProblem> {
    await withCheckedContinuation { done in
      node.log.feed.read(FeedRequest(after: position, types: nil, countMax: 10)) {
        done.resume(returning: $0.map(\.lines.count))
      }
    }
  }

  /// Regression: each attempt left a connection at the server until the standby was back.
  @Test func `a node that waits for a standby has few connections for it`() async throws {
    try await withStandby(waitTime: .seconds(10)) { one, shelf, standby in
      try standby.stop()
      one.command(2)

      try await wait(for: "the loss") { one.lost == [one.session] }
      let connections = "SELECT count(*) FROM pg_stat_activity WHERE \(isWriter)"
      try await wait(for: "the end of the connections before") {
        try shelf.count("\(connections) AND datname = current_database()") <= 3
      }
      try standby.start()
      try await wait(for: "the next connection") { one.log.failure == nil }
      #expect(try await one.load().entryCount == 2)
    }
  }
}
