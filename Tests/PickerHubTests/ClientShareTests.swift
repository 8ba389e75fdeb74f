import Testing

@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// A client with many messages does not delay those of other clients.
@Suite struct ClientShareTests {
  /// The number of commands of a client that are handled in an iteration, with three listeners.
  private let share = 5
  /// A number of commands for which a client needs three iterations.
  private let count = 13

  /// A session with two connections of the client 1 and one of the client 2.
  private func fixture(clients: [UInt64] = [1, 1, 2]) throws -> HubFixture {
    var configuration = HubConfiguration()
    configuration.limits.messagesPerSecond = 1000
    configuration.limits.inboxBytes = 1024
    let fixture = try HubFixture(letters, configuration)
    for (index, client) in clients.enumerated() {
      fixture.join(UInt64(index + 1), client: client)
    }
    _ = fixture.hub.endIteration()
    fixture.forgetAll()
    return fixture
  }

  private func refs(_ fixture: HubFixture, _ raw: UInt64) -> [Int] {
    fixture.received(raw).compactMap { $0["ref"]?.integer }
  }

  /// Ends an iteration, and handles what was held for the next one.
  private func iterate(_ fixture: HubFixture) -> Bool {
    guard fixture.hub.endIteration() else { return false }
    fixture.hub.receiveHeld(at: fixture.now)
    return true
  }

  @Test func `messages over a client's share are handled in the next iterations, in order`()
    throws
  {
    let fixture = try fixture()

    for ref in 1...count { fixture.send(1, select(ref, 0, ref % 3)) }
    #expect(fixture.fold.revision == share)
    #expect(fixture.port.paused == [1])
    #expect(iterate(fixture))
    #expect(fixture.fold.revision == 2 * share)
    #expect(iterate(fixture))

    #expect(refs(fixture, 1) == Array(1...count))
    #expect(fixture.port.paused.isEmpty)
    #expect(!iterate(fixture))
    #expect(fixture.hub.buffered.inboxBytes == 0)
  }

  @Test func `another client is answered at once while a client has used up its share`() throws {
    let fixture = try fixture()
    for ref in 1...count { fixture.send(1, select(ref, 0, ref % 3)) }

    fixture.send(3, select(1, 1, 1))

    #expect(refs(fixture, 3) == [1])
  }

  @Test func `a single held message does not stop the reading from its connection`() throws {
    let fixture = try fixture()

    for ref in 1...share + 1 { fixture.send(1, select(ref, 0, ref % 3)) }

    #expect(fixture.fold.revision == share)
    #expect(fixture.port.paused.isEmpty)
  }

  @Test func `a client without others on its loop has no maximum`() throws {
    let fixture = try fixture(clients: [1, 1, 1])

    for ref in 1...count { fixture.send(1, select(ref, 0, ref % 3)) }

    #expect(fixture.fold.revision == count)
  }

  @Test func `a connection whose client is not known counts as one of another client`() throws {
    let fixture = try fixture(clients: [1, 1, 1])
    fixture.open(4)

    for ref in 1...count { fixture.send(1, select(ref, 0, ref % 3)) }

    #expect(fixture.fold.revision == share)
  }

  @Test func `held messages are handled when the other clients have gone`() throws {
    let fixture = try fixture()
    for ref in 1...count { fixture.send(1, select(ref, 0, ref % 3)) }

    fixture.disconnect(3)
    #expect(iterate(fixture))

    #expect(fixture.fold.revision == count)
  }

  @Test func `connections of a client continue in the order in which they began to wait`() throws {
    let fixture = try fixture()
    for ref in 1...share + 2 { fixture.send(1, select(ref, 0, ref % 3)) }
    fixture.forgetAll()
    #expect(fixture.hub.endIteration())

    fixture.send(2, select(1, 1, 1))
    #expect(refs(fixture, 2).isEmpty)
    fixture.hub.receiveHeld(at: fixture.now)

    #expect(refs(fixture, 1) == [share + 1, share + 2])
    #expect(refs(fixture, 2) == [1])
    #expect(fixture.fold.revision == share + 3)
  }

  @Test func `commands that wait for the log use the share of later iterations`() throws {
    let fixture = try fixture()
    fixture.log.outcome = .pending
    for ref in 1...count { fixture.send(1, select(ref, 0, ref % 3)) }

    #expect(!iterate(fixture))
    let before = fixture.log.records.count
    fixture.store()
    #expect(fixture.fold.revision == share)
    #expect(iterate(fixture))

    #expect(fixture.log.records.count == before + share)
  }

  @Test func `held messages of a connection that the hub closes are dropped`() throws {
    let fixture = try fixture()
    for ref in 1...count { fixture.send(1, select(ref, 0, ref % 3)) }
    let connection = try #require(fixture.hub.connections[ConnectionID(raw: 1)])

    fixture.hub.close(connection, .tooSlow, "test")

    #expect(fixture.hub.buffered.inboxBytes == 0)
    #expect(!iterate(fixture))
    #expect(fixture.fold.revision == share)
  }

  @Test func `a connection that is closing does not keep its session in memory`() throws {
    let fixture = try fixture()
    let connection = try #require(fixture.hub.connections[ConnectionID(raw: 1)])
    fixture.send(1, select(1, 0, 1))
    #expect(connection.hosted != nil)

    fixture.hub.close(connection, .tooSlow, "test")

    #expect(fixture.hub.connections[ConnectionID(raw: 1)] === connection)
    #expect(connection.hosted == nil)
  }

  @Test func `a member whose client sends leave and closes leaves at once`() throws {
    let fixture = try fixture()
    for ref in 1...share { fixture.send(1, select(ref, 0, ref % 3)) }
    fixture.send(1, #"{"type":"leave"}"#)
    #expect(fixture.fold.members.count == 3)

    fixture.disconnect(1)

    #expect(fixture.fold.members.count == 2)
    #expect(fixture.hub.buffered.inboxBytes == 0 && !iterate(fixture))
  }

  @Test func `a message after a held leave is ignored`() throws {
    let fixture = try fixture()
    fixture.log.outcome = .pending
    for ref in 1...share { fixture.send(1, select(ref, 0, ref % 3)) }
    fixture.send(1, #"{"type":"leave"}"#)
    fixture.send(1, select(100, 1, 1))

    fixture.store()
    // The leave waits for this one.
    fixture.send(3, select(1, 1, 1))
    #expect(iterate(fixture))
    for _ in 0..<3 { fixture.store() }

    #expect(fixture.fold.members.count == 2)
    let refs = fixture.log.records.compactMap { record -> Int? in
      guard case .entry(let entry) = record, case .command(_, let ref, _, _) = entry.body else {
        return nil
      }
      return ref
    }
    #expect(!refs.contains(100))
  }

  @Test func `messages for a session that is being loaded are not held`() throws {
    let fixture = try fixture()
    for ref in 1...share { fixture.send(2, select(ref, 0, ref % 3)) }
    fixture.open(4, client: 1)
    let connection = try #require(fixture.hub.connections[ConnectionID(raw: 4)])
    let inbox = Inbox(total: fixture.hub.buffered)
    connection.phase = .waiting(inbox)

    fixture.send(4, #"{"type":"undo","ref":1}"#)

    #expect(connection.held == nil && inbox.messages.count == 1)
  }

  @Test func `a client whose join is held is not closed as one that has not joined`() throws {
    let fixture = try fixture()
    fixture.log.outcome = .pending
    for ref in 1...share { fixture.send(1, select(ref, 0, ref % 3)) }
    fixture.open(4, client: 1)
    fixture.send(4, #"{"type":"join"}"#)

    fixture.wait(15_000)
    #expect(fixture.port.closes[4] == nil)
    fixture.log.outcome = .stored
    fixture.store()
    #expect(iterate(fixture))

    #expect(fixture.fold.members.count == 4)
  }

  @Test func `held messages are handled when the server shuts down`() throws {
    let fixture = try fixture()
    for ref in 1...count { fixture.send(1, select(ref, 0, ref % 3)) }

    fixture.hub.finishCommands()

    #expect(fixture.fold.revision == count)
    fixture.hub.drain(at: fixture.now)
    #expect(fixture.port.closes[1] == 1001)
  }

  @Test func `a connection with held messages stays paused when its session's queue is empty`()
    throws
  {
    let fixture = try fixture()
    for ref in 1...count { fixture.send(1, select(ref, 0, ref % 3)) }
    let connection = try #require(fixture.hub.connections[ConnectionID(raw: 1)])

    fixture.hub.connections.resume(connection)

    #expect(fixture.port.paused == [1])
  }

  @Test func `a connection that keeps sending while its messages are held is closed`() throws {
    let fixture = try fixture()
    for ref in 1...1000 { fixture.send(1, select(ref, 0, ref % 3)) }

    #expect(fixture.port.closes == [1: 4503])
    #expect(fixture.hub.buffered.inboxBytes == 0)
  }
}
