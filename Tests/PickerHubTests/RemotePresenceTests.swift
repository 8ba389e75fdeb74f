import JSONText
import PickerModel
import PickerSession
import PickerWire
import Testing

@testable import PickerHub

/// Members that are connected to several nodes.
@Suite struct RemotePresenceTests {
  private let bo = MemberID("m_bo")
  private let other = NodeIncarnation("other")

  /// Ana is connected here.
  private func shared() throws -> (HubFixture, ana: MemberID) {
    let fixture = try HubFixture(letters, isShared: true)
    fixture.join(1)
    fixture.wait(100)
    fixture.forgetAll()
    return (fixture, fixture.fold.membersInOrder[0].id)
  }

  private func boJoins(_ fixture: HubFixture) {
    let joining = LogEntry.Joining(member: bo, secret: SecretHash([]), name: "Bo", role: nil)
    commit(.joined(joining), fixture)
  }

  private func commit(_ body: LogEntry.Body, _ fixture: HubFixture) {
    fixture.commit([.foreign(LogEntry(at: fixture.now.session, body: body))])
  }

  private func announce(
    _ announcement: PresenceAnnouncement, _ fixture: HubFixture, by node: NodeIncarnation? = nil
  ) {
    fixture.hub.announced(
      announcement, by: node ?? other, of: fixture.session, at: fixture.now)
  }

  private func leftCount(_ fixture: HubFixture) -> Int {
    fixture.log.records.count {
      if case .entry(let entry) = $0, case .left = entry.body { true } else { false }
    }
  }

  @Test func `a member is online while it is connected to another node, and leaves later`() throws {
    let (fixture, _) = try shared()
    boJoins(fixture)
    announce(.connected(bo), fixture)
    #expect(fixture.hub.session(fixture.session)?.isOnline(bo) == true)
    fixture.wait(200_000)
    #expect(leftCount(fixture) == 0)

    announce(.disconnected(bo), fixture)
    #expect(fixture.hub.session(fixture.session)?.isOnline(bo) == false)
    fixture.wait(119_000)
    #expect(leftCount(fixture) == 0)
    fixture.wait(2_000)
    #expect(leftCount(fixture) == 1)
  }

  @Test func `of connections to two nodes the one announced last stays`() throws {
    let (fixture, ana) = try shared()
    #expect(fixture.log.announced == [.connected(ana)])

    announce(.connected(ana), fixture)
    #expect(fixture.port.closes == [:])
    announce(.connected(ana), fixture, by: fixture.log.node)
    announce(.connected(ana), fixture)

    #expect(fixture.port.closes == [1: 4409])
    #expect(fixture.log.announced.last == .disconnected(ana))
    #expect(fixture.hub.session(fixture.session)?.isOnline(ana) == true)
    fixture.wait(200_000)
    #expect(leftCount(fixture) == 0)
  }

  @Test func `a lost node takes its members offline together`() throws {
    let (fixture, _) = try shared()
    let cem = MemberID("m_cem")
    boJoins(fixture)
    commit(
      .joined(.init(member: cem, secret: SecretHash([]), name: "Cem", role: nil)), fixture)
    announce(.connected(bo), fixture)
    announce(.connected(cem), fixture)
    announce(.connected(cem), fixture, by: NodeIncarnation("third"))

    fixture.hub.nodeLost(other, at: fixture.now)

    let session = try #require(fixture.hub.session(fixture.session))
    #expect(!session.isOnline(bo) && session.isOnline(cem))
    fixture.wait(121_000)
    #expect(leftCount(fixture) == 1)
  }

  @Test func `a connected member that another node removes returns at once`() throws {
    let (fixture, ana) = try shared()
    commit(.left(ana), fixture)

    #expect(fixture.fold.members[ana] != nil && fixture.port.closes == [:])
    fixture.send(1, select(1, 0, 1))
    #expect(fixture.fold.revision == 1)
    fixture.wait(100)
    let left = fixture.received(1).filter { $0["left"]?.array?.isEmpty == false }
    #expect(left.isEmpty)
  }

  @Test func `a removed member with pending commands sends them again`() throws {
    let (fixture, ana) = try shared()
    fixture.log.outcome = .pending
    fixture.send(1, select(1, 0, 1))

    commit(.left(ana), fixture)
    fixture.commit([.own])

    #expect(fixture.port.closes == [1: 4503])
    #expect(fixture.fold.revision == 0)
  }

  @Test func `a node that loads the session gets the members of the others`() throws {
    let (fixture, ana) = try shared()
    announce(.serving, fixture)
    #expect(fixture.log.announced.last == .present([ana]))
    boJoins(fixture)
    announce(.present([bo]), fixture)
    #expect(fixture.hub.session(fixture.session)?.isOnline(bo) == true)
    announce(.present([]), fixture)
    #expect(fixture.hub.session(fixture.session)?.isOnline(bo) == false)
  }

  @Test func `a newer connection that another node does not know of is announced again`() throws {
    let (fixture, ana) = try shared()
    announce(.connected(ana), fixture)
    announce(.connected(ana), fixture, by: fixture.log.node)

    announce(.present([ana]), fixture)

    #expect(fixture.port.closes == [:])
    #expect(fixture.log.announced == [.connected(ana), .connected(ana)])
  }

  @Test func `after lost announcements one connection stays`() throws {
    let (fixture, ana) = try shared()
    fixture.hub.announcementsLost(at: fixture.now)
    #expect(fixture.log.announced.suffix(2) == [.serving, .present([ana])])
    fixture.log.announced = []

    announce(.present([ana]), fixture)
    #expect(fixture.log.announced == [.serving])
    announce(.present([ana]), fixture)
    #expect(fixture.log.announced == [.serving, .connected(ana)])
    // The other node has done the same, a moment later.
    announce(.connected(ana), fixture, by: fixture.log.node)
    announce(.connected(ana), fixture)

    #expect(fixture.port.closes == [1: 4409])
  }

  @Test func `a connection stays when another node announces an older one before it closes that`()
    throws
  {
    let (fixture, ana) = try shared()
    announce(.connected(ana), fixture, by: fixture.log.node)

    announce(.present([ana]), fixture)
    announce(.disconnected(ana), fixture)
    announce(.present([]), fixture)

    #expect(fixture.port.closes.isEmpty)
    #expect(fixture.hub.session(fixture.session)?.isOnline(ana) == true)
  }

  @Test func `a node that loses the session announces that nobody is connected to it`() throws {
    let (fixture, _) = try shared()
    fixture.log.canLoad = true
    fixture.hub.lost([fixture.session], at: fixture.now)

    #expect(fixture.log.announced.last == .present([]))
    #expect(fixture.log.released == [fixture.session] && fixture.hub.residentCount == 0)
  }

  @Test func `fingers are announced, and those of other nodes are shown`() throws {
    let (fixture, ana) = try shared()
    boJoins(fixture)
    announce(.connected(bo), fixture)
    fixture.wait(100)
    fixture.send(1, #"{"type":"touch","column":0,"row":1}"#)
    fixture.wait(100)
    #expect(fixture.log.announced.last == .touched(ana, .row(column: 0, row: 1)))

    announce(.touched(bo, .row(column: 1, row: 0)), fixture)
    fixture.wait(100)
    let session = try #require(fixture.hub.session(fixture.session))
    #expect(session.touches[bo] == .row(column: 1, row: 0))
    #expect(fixture.log.announced.count == 2)
    announce(.disconnected(bo), fixture)
    #expect(session.touches[bo] == nil)
  }

  @Test func `a member that posts commands to another node does not leave`() throws {
    let (fixture, _) = try shared()
    boJoins(fixture)
    for ref in 1...3 {
      fixture.wait(60_000)
      commit(.command(bo, ref: ref, .undo), fixture)
    }
    #expect(leftCount(fixture) == 0)
    fixture.wait(121_000)
    #expect(leftCount(fixture) == 1)
  }

  @Test func `a hub that is alone announces nothing`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.send(1, #"{"type":"touch","column":0,"row":1}"#)
    fixture.disconnect(1)
    #expect(fixture.log.announced.isEmpty)
  }
}
