import JSONText
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// Events that the hub hands to the log.
@Suite struct HubFeedTests {
  private func types(_ fixture: HubFixture) -> [FeedEventType] {
    fixture.log.fed.flatMap(\.events).map(\.type)
  }

  private func post(_ fixture: HubFixture, _ command: String) throws {
    let request = try MemberRequest(Array(#"{"name":"Kiosk"}"#.utf8))
    var welcome: JSONTree?
    fixture.hub.addMember(to: fixture.session, request, token: nil, at: fixture.now) {
      welcome = try? JSONTree.parse($0.get())
    }
    let member = try #require(welcome?["member"])
    let id = try #require(member["id"]?.string)
    let secret = try #require(member["secret"]?.string)
    let body = #"{"member":"\#(id)","secret":"\#(secret)","ref":1,"type":"\#(command)"}"#
    fixture.hub.post(
      try CommandRequest(Array(body.utf8)), to: fixture.session, token: nil, locale: nil,
      at: fixture.now
    ) { _ in }
  }

  @Test func `the creation is handed over when it is stored`() throws {
    let fixture = try HubFixture(letters)

    #expect(types(fixture) == [.created])
    #expect(fixture.log.fed[0].sequence == 0)
    #expect(fixture.log.fed[0].previous == FeedRecord.nothing)
  }

  @Test func `a WebSocket and a POST make the same event`() throws {
    let sockets = try HubFixture(letters)
    sockets.join(1)
    sockets.send(1, #"{"type":"confirm","ref":1}"#)
    let posts = try HubFixture(letters)
    try post(posts, "confirm")

    #expect(types(sockets) == [.created, .confirmed])
    #expect(sockets.log.fed.last?.events.map(\.data) == posts.log.fed.last?.events.map(\.data))
  }

  @Test func `a deletion is in the record that ends the session`() throws {
    let fixture = try HubFixture(letters)
    fixture.hub.begin { host throws(HubProblem) in
      try await host.delete(fixture.session, token: nil, at: fixture.now)
    } answer: { _ in
    }

    guard case .ended(let event?, _)? = fixture.log.records.last else {
      Issue.record("the last record is not the end")
      return
    }
    #expect(event.type == .ended)
    #expect(String(decoding: event.data, as: UTF8.self).hasSuffix(#""reason":"deleted"}"#))
    #expect(types(fixture) == [.created])
  }

  @Test func `an expired session ends with the same event and another reason`() throws {
    let fixture = try HubFixture(letters)
    fixture.wait(Int64(fixture.fold.origin.ttlSeconds) * 1000 + 1)

    guard case .ended(let event?, _)? = fixture.log.records.last else {
      Issue.record("the last record is not the end")
      return
    }
    #expect(String(decoding: event.data, as: UTF8.self).hasSuffix(#""reason":"expired"}"#))
  }

  @Test func `an evicted session is loaded to end with its last state`() throws {
    let fixture = try HubFixture(letters, canLoad: true)
    let fold = fixture.fold
    fixture.wait(6000)
    #expect(fixture.hub.session(fixture.session) == nil)

    fixture.wait(Int64(fold.origin.ttlSeconds) * 1000)
    #expect(fixture.log.loads == [0])
    fixture.hub.loaded(
      fixture.session, LoadedSession(fold: fold, entryCount: 0, idleMilliseconds: 0),
      at: fixture.now)

    guard case .ended(let event?, _)? = fixture.log.records.last else {
      Issue.record("the last record is not the end")
      return
    }
    #expect(event.type == .ended)
    #expect(fixture.hub.sessionCount == 0)
  }

  @Test(arguments: [(Int64(60_000), HubProblem.noSuchSession), (59_999, nil)])
  func `a session whose time to live is over when it is loaded ends before it is used`(
    idle: Int64, problem: HubProblem?
  ) throws {
    let fixture = try HubFixture(letters, canLoad: true)
    let stored = DormantSession(
      id: SessionID("stored"), ttlSeconds: 60, idleMilliseconds: idle, nextTick: nil,
      hasMembers: false)
    let origin = SessionOrigin(
      id: stored.id, epoch: "e", definition: fixture.fold.definition, ttlSeconds: stored.ttlSeconds,
      createdAt: noon)
    fixture.hub.restore([stored], at: fixture.now)

    let answer = fixture.read(stored.id)
    fixture.hub.loaded(
      stored.id,
      LoadedSession(fold: try SessionFold(origin), entryCount: 0, idleMilliseconds: idle),
      at: fixture.now)

    #expect(answer() == problem)
    let ends = fixture.log.records.compactMap { record in
      if case .ended(let event?, _) = record { event } else { nil }
    }
    #expect(ends.map(\.type) == (problem == nil ? [] : [.ended]))
    #expect(
      ends.allSatisfy {
        String(decoding: $0.data, as: UTF8.self).hasSuffix(#""reason":"expired"}"#)
      })
  }

  @Test(arguments: [true, false])
  func `requests for a session that is over wait until the log has stored its end`(
    isStored: Bool
  ) throws {
    let fixture = try HubFixture(letters, canLoad: true)
    let stored = DormantSession(
      id: SessionID("stored"), ttlSeconds: 60, idleMilliseconds: 60_000, nextTick: nil,
      hasMembers: true)
    let origin = SessionOrigin(
      id: stored.id, epoch: "e", definition: fixture.fold.definition, ttlSeconds: stored.ttlSeconds,
      createdAt: noon)
    fixture.hub.restore([stored], at: fixture.now)
    for connection: UInt64 in [1, 2] { fixture.open(connection, session: stored.id) }
    fixture.send(1, #"{"type":"join"}"#)
    let answer = fixture.read(stored.id)

    fixture.log.outcome = .pending
    fixture.hub.loaded(
      stored.id, LoadedSession(fold: try SessionFold(origin), entryCount: 0, idleMilliseconds: 0),
      at: fixture.now)
    fixture.send(2, #"{"type":"join"}"#)
    #expect(fixture.port.closes.isEmpty && answer() == nil)
    if isStored {
      fixture.hub.committed(1, of: stored.id, at: fixture.now)
    } else {
      fixture.hub.lost([stored.id], at: fixture.now)
    }

    let code: UInt16 = isStored ? 4404 : 4503
    #expect(fixture.port.closes == [1: code, 2: code])
    #expect(answer() == (isStored ? .noSuchSession : .unavailable))
    #expect(fixture.types(1).contains("welcome") == false)
  }

  @Test func `an expired session that cannot be read ends without its state`() throws {
    let fixture = try HubFixture(letters, canLoad: true)
    let ttl = Int64(fixture.fold.origin.ttlSeconds) * 1000
    fixture.wait(6000 + ttl)
    fixture.hub.loaded(fixture.session, nil, at: fixture.now)

    guard case .ended(nil, _)? = fixture.log.records.last else {
      Issue.record("the last record is not the end")
      return
    }
    #expect(fixture.hub.sessionCount == 0)
  }

  @Test func `a session whose events cannot be stored is unloaded`() throws {
    let fixture = try HubFixture(letters)
    fixture.log.canLoad = true
    fixture.join(1)
    fixture.log.takesEvents = false

    fixture.send(1, #"{"type":"confirm","ref":1}"#)

    #expect(fixture.port.closes[1] == 4503)
    #expect(fixture.hub.session(fixture.session) == nil)
  }

  @Test func `events that a crash has lost are handed over when the session is loaded`() throws {
    let fixture = try HubFixture(letters)
    fixture.log.canLoad = true
    fixture.join(1)
    fixture.log.takesEvents = false
    fixture.send(1, #"{"type":"confirm","ref":1}"#)
    fixture.log.takesEvents = true
    let (fold, missed) = try folded(fixture)

    fixture.wait(10_000)
    fixture.hub.loaded(
      fixture.session,
      LoadedSession(
        fold: fold, entryCount: 2, idleMilliseconds: 0, eventSequence: 0, missed: [missed]),
      at: fixture.now)

    #expect(types(fixture) == [.created, .confirmed])
    #expect(fixture.log.fed.last?.previous == 0)
    #expect(fixture.log.fed.last?.sequence == 2)
  }

  @Test func `a lost session without members is loaded again, for events that may be lost`() throws
  {
    let fixture = try HubFixture(letters, canLoad: true)
    fixture.log.fed = []
    let fold = fixture.fold

    fixture.hub.lost([fixture.session], at: fixture.now)
    #expect(fixture.log.loads.isEmpty)
    fixture.wait(5000)
    try #require(fixture.log.loads == [0])
    let missed = FeedRecord(
      events: [fold.creationEvent], sequence: 0, previous: FeedRecord.nothing)
    fixture.hub.loaded(
      fixture.session,
      LoadedSession(fold: fold, entryCount: 0, idleMilliseconds: 0, missed: [missed]),
      at: fixture.now)

    #expect(types(fixture) == [.created])
    fixture.wait(60_000)
    #expect(fixture.log.loads == [0])
  }

  /// Applies the entries of the log again.
  private func folded(_ fixture: HubFixture) throws -> (SessionFold, FeedRecord) {
    guard case .created(let origin, _, _)? = fixture.log.records.first else {
      throw BadMessage("no creation")
    }
    var fold = try SessionFold(origin)
    var events: [FeedEvent] = []
    for case .entry(let entry) in fixture.log.records {
      events += fold.apply(entry).flatMap { fold.events(of: $0, at: entry.at) }
    }
    return (fold, FeedRecord(events: events, sequence: 2, previous: 0))
  }

  @Test func `a watched result is reported 2 s later by a tick`() throws {
    let fixture = try HubFixture(letters, fields: #","watch":["result"]"#)
    fixture.join(1)
    fixture.send(1, select(1, 0, 1))
    #expect(types(fixture) == [.created])

    fixture.wait(1999)
    #expect(types(fixture).count == 1)
    fixture.wait(1)

    #expect(types(fixture) == [.created, .resultChanged])
    fixture.wait(60_000)
    #expect(types(fixture).count == 2)
  }

  @Test func `a watched result is reported before it is confirmed, and not again`() throws {
    let fixture = try HubFixture(letters, fields: #","watch":["result"]"#)
    fixture.join(1)
    fixture.send(1, select(1, 0, 1))
    fixture.send(1, #"{"type":"confirm","ref":2}"#)
    #expect(types(fixture) == [.created, .resultChanged, .confirmed])

    fixture.wait(60_000)
    #expect(types(fixture).count == 3)
  }

  @Test func `a snapshot names the last entry whose events it covers`() throws {
    let fixture = try HubFixture(letters)
    fixture.log.canLoad = true
    fixture.join(1)
    fixture.send(1, #"{"type":"confirm","ref":1}"#)
    fixture.send(1, #"{"type":"leave"}"#)
    fixture.wait(10_000)

    #expect(fixture.log.snapshots.last?.eventSequence == 2)
    #expect(fixture.log.snapshots.last?.entryCount == 3)
  }
}
