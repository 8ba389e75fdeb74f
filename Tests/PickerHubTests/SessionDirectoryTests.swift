import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

@Suite struct SessionDirectoryTests {
  /// The shared session count of the hubs of a server.
  private final class TestTotal: SessionTotal {
    var count = 0
    func add(_ count: Int) { self.count += count }
    func take(max: Int) -> Bool { true }
  }

  private let total = TestTotal()
  private let state = DormantState(
    lastActivity: 0, ttlSeconds: 60, status: .open, queuedTick: nil)

  private func hosted(_ id: String = "s") throws -> HostedSession {
    let definition = try Definition.make(
      from: .parse(Array(letters.utf8)), limits: DefinitionLimits(), now: noon
    ) { _ in .utc }
    let origin = SessionOrigin(
      id: SessionID(id), epoch: "e", definition: definition, createdAt: noon)
    let time = HubTime(session: noon, machine: 0)
    return HostedSession(Session(try SessionFold(origin)), number: 1, HubBuffers(), at: time)
  }

  /// Regression: a request for the other id made the session unreadable for a minute.
  @Test func `ids are equal if their bytes are`() {
    #expect(SessionID("aKb") != SessionID("a\u{212A}b") && SessionID("aKb") == SessionID("aKb"))
    #expect(MemberID("m_K") != MemberID("m_\u{212A}"))
  }

  @Test func `a session counts from its creation until the log has stored its end`() throws {
    var directory = SessionDirectory(HubShard(index: 0, of: 1, total: total))
    let hosted = try hosted()
    var counts: [Int] = []

    directory.create(hosted, isStored: false)
    counts.append(total.count)
    directory.created(hosted)
    directory.end(hosted, .deleted)
    counts.append(total.count)
    directory.ended(hosted.id)
    counts.append(total.count)

    #expect(counts == [1, 1, 0])
    #expect(hosted.phase == .ended)
    #expect(directory.count == 0 && directory.residentCount == 0)
  }

  @Test func `a session whose end is pending is not found, resident or evicted`() throws {
    var directory = SessionDirectory(HubShard(index: 0, of: 1, total: total))
    let hosted = try hosted()
    directory.create(hosted, isStored: true)
    directory.restore(SessionID("other"), state)
    #expect(directory.exists(hosted.id) && directory.exists(SessionID("other")))

    directory.end(hosted, .deleted)
    directory.endDormant(SessionID("other"))

    #expect(!directory.exists(hosted.id) && !directory.exists(SessionID("other")))
    #expect(directory.count == 2)
  }

  @Test func `a session whose end could not be stored is found again`() throws {
    var directory = SessionDirectory(HubShard(index: 0, of: 1, total: total))
    let hosted = try hosted()
    directory.create(hosted, isStored: true)
    directory.end(hosted, .deleted)
    directory.restore(SessionID("other"), state)
    directory.endDormant(SessionID("other"))

    directory.lose(hosted, state)
    let isKnown = directory.endLost(SessionID("other"))

    #expect(isKnown && directory.exists(hosted.id) && directory.exists(SessionID("other")))
    #expect(hosted.phase == .unloaded)
    #expect(directory.residentCount == 0)
  }

  @Test func `a session whose creation could not be stored does not exist`() throws {
    var directory = SessionDirectory(HubShard(index: 0, of: 1, total: total))
    let hosted = try hosted()
    directory.create(hosted, isStored: false)

    directory.lose(hosted, state)

    #expect(directory.count == 0 && total.count == 0)
  }

  @Test func `one load serves all waiters and makes the loaded session resident`() throws {
    var directory = SessionDirectory(HubShard(index: 0, of: 1, total: total))
    let evicted = try hosted()
    directory.create(evicted, isStored: true)
    directory.evict(evicted, state)
    let waiter = LoadWaiter(isDeletion: false) { _ in }
    guard case .begins = directory.load(evicted.id, for: waiter) else {
      _ = Issue.record("the first load does not start")
      return
    }
    guard case .waits = directory.load(evicted.id, for: waiter) else {
      _ = Issue.record("the second load does not wait")
      return
    }
    #expect(directory.loadingCount == 1)

    let fold = evicted.session.fold
    let loaded = directory.loaded(LoadedSession(fold: fold, entryCount: 0, idleMilliseconds: 0))

    #expect(directory.hosted(evicted.id) === loaded)
    #expect(!evicted.isInMemory && loaded.isInMemory)
    #expect(directory.loadingCount == 0 && total.count == 1)
  }

  @Test func `background loads run sixteen at a time`() {
    var directory = SessionDirectory(HubShard(index: 0, of: 1, total: total))
    for number in 0..<17 {
      directory.restore(SessionID("\(number)"), state)
      directory.loadLater(BackgroundLoad(SessionID("\(number)")))
    }
    for _ in 0..<16 {
      guard let load = directory.nextBackgroundLoad() else { break }
      _ = directory.load(load.session, for: LoadWaiter(isDeletion: false) { _ in })
    }

    #expect(directory.loadingCount == 16)
    #expect(directory.nextBackgroundLoad()?.session == nil)
    directory.loadFailed(SessionID("3"), isUnreadable: true)
    #expect(directory.nextBackgroundLoad()?.session == SessionID("16"))
  }
}

/// Eviction of sessions from memory.
@Suite struct EvictionTests {
  /// Regression: no timer was set because the last member left before its connection closed.
  @Test func `a session is evicted after its last member leaves`() throws {
    let fixture = try HubFixture(letters)
    fixture.log.canLoad = true
    fixture.join(1)

    fixture.send(1, #"{"type":"leave"}"#)
    fixture.disconnect(1)
    fixture.wait(10_000)

    #expect(fixture.hub.contents.sessions == 0)
    #expect(fixture.hub.contents.dormant == 1)
  }

  @Test func `a session that was only read is evicted without a record`() throws {
    let fixture = try HubFixture(letters)
    fixture.log.canLoad = true
    fixture.join(1)
    fixture.send(1, #"{"type":"leave"}"#)
    fixture.wait(10_000)
    #expect(fixture.log.snapshots.map(\.isIdle) == [true])
    let recordCount = fixture.log.records.count
    var answer: [UInt8]?

    fixture.hub.begin { host throws(HubProblem) in
      try await host.read(fixture.session, token: nil, locale: nil, isFull: false, at: fixture.now)
    } answer: {
      answer = try? $0.get()
    }
    guard case .created(let origin, _, _)? = fixture.log.records.first else { return }
    fixture.hub.loaded(
      fixture.session,
      LoadedSession(
        fold: try SessionFold(origin), entryCount: 2, idleMilliseconds: 0, isSnapshotted: true),
      at: fixture.now)
    fixture.wait(10_000)

    #expect(answer != nil && fixture.hub.contents.dormant == 1)
    #expect(fixture.log.snapshots.count == 1 && fixture.log.records.count == recordCount)
  }
}
