import PickerHub
import PickerSession
import Testing

@testable import SessionLog

/// Commits that a failover or a restore has lost after other nodes have reported them.
@Suite(.database) struct LostCommitTests {
  private let ana = MemberID("m_1")

  /// A node that has reported the last entry of a session, which the database has lost since.
  private func nodeAfterLoss(_ shelf: Shelf) async throws -> TestNode {
    let (one, two, _) = try await TestNode.pair(shelf)
    two.append(.command(ana, ref: 1, .clear))
    _ = try await one.records(1)
    // It would notice the loss, too.
    two.log.released(two.session)
    try shelf.write(
      """
      DELETE FROM pickerd.entry WHERE sequence = 2;
      UPDATE pickerd.session SET head = 1, row_count = row_count - 1
      """)
    return one
  }

  /// Regression: the command was stored under the number of the lost entry, so that this node
  /// waited without end, and its members had another state than those of other nodes.
  @Test func `a session that lacks a reported entry has another epoch after the next command`()
    async throws
  {
    let shelf = try Shelf(.postgres)
    let one = try await nodeAfterLoss(shelf)

    one.append(.command(ana, ref: 2, .clear))

    let lost = try await one.wait(for: "lost") {
      if case .lost(let sessions) = $0 { sessions } else { nil }
    }
    #expect(lost == [one.session])
    let renewed = "SELECT count(*) FROM pickerd.session WHERE head = 1 AND epoch <> 'first'"
    #expect(try shelf.read(Int.self, renewed) == 1)
  }

  /// Regression: the session stayed under its old epoch, so that clients could resume with changes
  /// that were lost.
  @Test func `sessions have another epoch after the renewal of one that lacks entries has failed`()
    async throws
  {
    let shelf = try Shelf(.postgres)
    let one = try await nodeAfterLoss(shelf)
    try shelf.write(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
      CREATE TRIGGER refusal BEFORE UPDATE ON pickerd.session FOR EACH ROW
        WHEN (NEW.epoch <> OLD.epoch) EXECUTE FUNCTION refuse();
      """)

    one.append(.command(ana, ref: 2, .clear))
    _ = try await one.wait(for: "lost") { if case .lost = $0 { true } else { nil } }
    let renewed = "SELECT count(*) FROM pickerd.session WHERE head = 1 AND epoch <> 'first'"
    #expect(try shelf.read(Int.self, renewed) == 0)
    try shelf.write("DROP TRIGGER refusal ON pickerd.session")

    try await wait(for: "another epoch") { try shelf.read(Int.self, renewed) == 1 }
  }

  /// Regression: a session with a snapshot of entries that it did not have could not be loaded.
  @Test(arguments: ["epoch = 'another'", "head = 0"])
  func `a snapshot is not stored if the session has lost entries since`(loss: String) async throws {
    let shelf = try Shelf(.postgres)
    let (one, _, fixture) = try await TestNode.pair(shelf)
    let snapshot = LogSnapshot(
      epoch: fixture.origin.epoch, entryCount: 1, state: fixture.fold.state,
      picker: fixture.fold.picker, isIdle: false, nextTick: nil, idleMilliseconds: 0,
      eventSequence: 1)
    #expect(one.log.store(snapshot, of: one.session))

    try shelf.write("UPDATE pickerd.session SET \(loss)")
    one.log.flush()

    #expect(try shelf.read(Int.self, "SELECT count(*) FROM pickerd.snapshot") == 0)
  }

  /// Otherwise a failover may lose the batch before this node has seen its number.
  @Test func `a node knows the batch of each entry that it reports`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two, _) = try await TestNode.pair(shelf)
    let (node, witness) = (two.log.follower.incarnation, one.log.writer.witness)
    try await wait(for: "the node") { witness.last?.batches[node] != nil }

    for number in 1...20 {
      two.append(.command(ana, ref: number, .clear))
      two.log.flush()
      let batch = two.log.queue.sync { two.log.writer.node.batch }
      _ = try await one.records(number)
      #expect(witness.last?.batches[node] == batch)
    }
  }

  /// Regression: readers of the lost event missed the one that got its position, and one that
  /// waited for it read the feed without end.
  @Test func `a feed that has lost a shown event has another epoch`() async throws {
    let shelf = try Shelf(.postgres)
    let node = try TestNode(shelf)
    let fixture = try LogFixture(in: node.log)
    fixture.join("m_1")
    fixture.change()
    fixture.feed()
    node.log.flush()
    let feed = node.log.feed
    let (epoch, newest) = (feed.epoch, feed.signal.position)
    #expect(newest == 2)
    try shelf.write(
      """
      DELETE FROM pickerd.event WHERE position = \(newest);
      UPDATE pickerd.feed SET newest = newest - 1
      """)

    let page = try await withCheckedThrowingContinuation { continuation in
      feed.read(FeedRequest(after: newest - 1, types: nil, countMax: 10)) {
        continuation.resume(with: $0)
      }
    }

    #expect(page.lines.isEmpty && page.position == newest - 1)
    #expect(feed.epoch != epoch && feed.signal.position < newest)
  }
}
