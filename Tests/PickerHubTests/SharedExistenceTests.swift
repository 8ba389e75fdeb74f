import JSONText
import PickerModel
import PickerSession
import PickerWire
import Testing

@testable import PickerHub

/// Sessions that other nodes create and end.
@Suite struct SharedExistenceTests {
  private let elsewhere = SessionID("elsewhere")

  private func shared(fields: String = "") throws -> HubFixture {
    try HubFixture(letters, fields: fields, canLoad: true, isShared: true)
  }

  private func answer(_ fixture: HubFixture, _ outcome: LogLookup<DormantSession>) {
    fixture.log.lookups.removeFirst().completion(outcome)
  }

  private var dormant: DormantSession {
    DormantSession(
      id: elsewhere, ttlSeconds: 60, idleMilliseconds: 0, nextTick: nil, hasMembers: true)
  }

  private func loaded(_ id: SessionID, of fixture: HubFixture) throws -> LoadedSession {
    let origin = SessionOrigin(
      id: id, epoch: "e", definition: fixture.fold.definition, createdAt: noon)
    return LoadedSession(fold: try SessionFold(origin), entryCount: 0, idleMilliseconds: 0)
  }

  private func read(_ fixture: HubFixture, _ id: SessionID) -> () -> HubProblem? {
    var problem: HubProblem?
    fixture.hub.read(id, token: nil, locale: nil, isFull: false, at: fixture.now) {
      if case .failure(let failure) = $0 { problem = failure }
    }
    return { problem }
  }

  @Test func `a session of another node is looked up and loaded once for all that wait`() throws {
    let fixture = try shared()
    fixture.open(1, session: elsewhere)
    fixture.send(1, #"{"type":"join"}"#)
    fixture.open(2, session: elsewhere)
    #expect(fixture.log.lookups.map(\.session) == [elsewhere])

    answer(fixture, .found(dormant))
    #expect(fixture.log.loads == [0])
    fixture.hub.loaded(elsewhere, try loaded(elsewhere, of: fixture), at: fixture.now)
    fixture.send(2, #"{"type":"join"}"#)

    #expect(fixture.types(1).first == "welcome" && fixture.types(2).first == "welcome")
    #expect(fixture.port.closes == [:])
  }

  @Test func `an unknown session is looked up once a second`() throws {
    let fixture = try shared()
    fixture.open(1, session: elsewhere)
    fixture.send(1, #"{"type":"join"}"#)
    let problem = read(fixture, elsewhere)
    answer(fixture, .absent)
    fixture.open(2, session: elsewhere)

    #expect(fixture.port.closes == [1: 4404, 2: 4404])
    #expect(problem() == .noSuchSession && fixture.log.lookups.isEmpty)
    #expect(fixture.hub.sessionCount == 1)
    fixture.wait(1000)
    fixture.open(3, session: elsewhere)
    #expect(fixture.log.lookups.count == 1)
  }

  @Test func `a session that cannot be looked up is unavailable`() throws {
    let fixture = try shared()
    fixture.open(1, session: elsewhere)
    fixture.send(1, #"{"type":"join"}"#)
    let problem = read(fixture, elsewhere)

    answer(fixture, .unavailable)

    #expect(fixture.port.closes == [1: 4503])
    #expect(problem() == .unavailable)
  }

  /// Not 4500: the database may only have been slow.
  @Test func `a session that is found, but cannot be loaded, is unavailable`() throws {
    let fixture = try shared()
    fixture.open(1, session: elsewhere)
    fixture.send(1, #"{"type":"join"}"#)
    answer(fixture, .found(dormant))

    fixture.hub.loaded(elsewhere, nil, at: fixture.now)

    #expect(fixture.port.closes == [1: 4503])
  }

  /// Regression: it was unavailable.
  @Test func `a session that another node ends while it is loaded does not exist`() throws {
    let fixture = try shared()
    fixture.open(1, session: elsewhere)
    fixture.send(1, #"{"type":"join"}"#)
    let problem = read(fixture, elsewhere)
    answer(fixture, .found(dormant))

    fixture.hub.loaded(elsewhere, .absent, at: fixture.now)

    #expect(fixture.port.closes == [1: 4404] && problem() == .noSuchSession)
    #expect(read(fixture, elsewhere)() == .noSuchSession && fixture.log.lookups.isEmpty)
  }

  /// Regression: for some of them it was unavailable.
  @Test func `for requests that wait when another node ends a session it does not exist`() throws {
    var problems: [HubProblem] = []
    func take<Value>(_ result: Result<Value, HubProblem>) {
      if case .failure(let problem) = result { problems.append(problem) }
    }
    let member = try MemberRequest(Array(#"{"name":"Bo"}"#.utf8))
    let revocation = Revocation(.subject("17"), issuedBefore: noon, madeAt: noon)
    let patch = DefinitionRequest(
      format: .mergePatch, body: Array(#"{"columns":{"0":{"b":{"text":"€ 1"}}}}"#.utf8),
      versions: nil, valuesMax: .max)
    let requests: [(Hub, SessionID, HubTime) -> Void] = [
      { $0.addMember(to: $1, member, token: nil, at: $2, answer: take) },
      { $0.revoke(revocation, in: $1, token: nil, at: $2, answer: take) },
      { $0.changeNotes(of: $1, patch, token: nil, at: $2, answer: take) },
    ]

    for request in requests {
      problems = []
      let fixture = try shared()
      fixture.join(1)
      fixture.log.outcome = .pending
      // The second one waits for the first.
      for _ in 0..<2 { request(fixture.hub, fixture.session, fixture.now) }
      fixture.commit([.foreignEnd])
      #expect(problems == [.noSuchSession, .noSuchSession])
    }
  }

  @Test func `the absences that a hub remembers are bounded`() {
    var lookups = SessionLookups()
    for number in 0...SessionLookups.absentCountMax {
      lookups.noteAbsence(of: SessionID("\(number)"), at: 0)
    }
    #expect(lookups.absentCount == 1)
    #expect(lookups.isAbsent(SessionID("\(SessionLookups.absentCountMax)"), at: 999))
    #expect(!lookups.isAbsent(SessionID("\(SessionLookups.absentCountMax)"), at: 1000))
  }

  @Test func `an ended session does not exist, without asking the log`() throws {
    let fixture = try shared()
    fixture.commit([.foreignEnd])
    fixture.open(1)

    #expect(fixture.port.closes == [1: 4404] && fixture.log.lookups.isEmpty)
    #expect(fixture.log.released == [fixture.session])
  }

  @Test func `an evicted session is forgotten, and another node's end is found`() throws {
    let fixture = try shared()
    fixture.wait(6000)
    #expect(fixture.log.released == [fixture.session] && fixture.hub.sessionCount == 0)

    fixture.open(1)
    answer(fixture, .absent)
    fixture.send(1, #"{"type":"join"}"#)

    #expect(fixture.port.closes == [1: 4404])
  }

  @Test func `sessions of a shared log do not expire by the hub`() throws {
    let fixture = try shared(fields: #","ttlSeconds":60"#)
    fixture.log.canLoad = false
    fixture.wait(7_300_000)
    #expect(fixture.hub.sessionCount == 1)
  }

  @Test func `sessions and idempotency keys of all nodes count against the limits`() throws {
    let fixture = try shared()
    let body = try CreateRequest(Array(#"{"definition":\#(letters)}"#.utf8))
    func create(key: String? = nil) -> HubProblem? {
      var problem: HubProblem?
      let request = CreationRequest(
        body, socketBase: "ws://here", key: key.map { (text: $0, bodyHash: []) })
      fixture.hub.create(request, at: fixture.now) {
        if case .failure(let failure) = $0 { problem = failure }
      }
      return problem
    }

    fixture.log.sharedCount = SharedCount(sessions: fixture.hub.limits.sessions)
    #expect(create() == .full && fixture.hub.sessionCount == 1)
    fixture.log.sharedCount = SharedCount(
      sessions: fixture.hub.limits.sessions - 1, keys: 100_000)
    #expect(create() == nil && fixture.hub.sessionCount == 2)
    #expect(create(key: "k") == .full)
    fixture.log.sharedCount?.keys = 99_999
    #expect(create(key: "k") == nil)
  }

  @Test func `a name that another node has given is found in the log`() throws {
    let fixture = try shared()
    let body = try CreateRequest(Array(#"{"definition":\#(letters),"external":"o-1"}"#.utf8))
    func create() -> HubProblem? {
      var problem: HubProblem?
      fixture.hub.create(body, socketBase: "ws://here", at: fixture.now) {
        if case .failure(let failure) = $0 { problem = failure }
      }
      return problem
    }

    fixture.log.nameOwner = .found(.session(elsewhere))
    #expect(create() == .externalTaken(elsewhere))
    fixture.log.nameOwner = .unavailable
    #expect(create() == .unavailable)
    fixture.log.nameOwner = .absent
    #expect(create() == nil && fixture.hub.sessionCount == 2)
    fixture.log.nameOwner = .found(.session(elsewhere))
    #expect(create() == .externalTaken(elsewhere))
  }

  @Test func `a creation that was repeated through another node is not done twice`() throws {
    let fixture = try shared()
    let body = try CreateRequest(Array(#"{"definition":\#(letters)}"#.utf8))
    fixture.log.nameOwner = .found(
      .key(
        CreationKey(
          keyHash: [1], bodyHash: [2], session: elsewhere, epoch: "e", salt: "s", at: noon)))
    var created: CreatedSession?
    let request = CreationRequest(body, socketBase: "ws://here", key: ("k", [2]))
    fixture.hub.create(request, at: fixture.now) { created = try? $0.get() }

    #expect(created?.id == elsewhere && created?.isNew == false)
  }

  @Test func `a client that resumes from another node waits for what that has sent`() throws {
    let fixture = try shared()
    let bo = MemberID("m_bo")
    let secret = Array("s".utf8)
    fixture.log.catchUp = {
      fixture.commit([
        .foreign(
          LogEntry(
            at: noon,
            body: .joined(.init(member: bo, secret: SecretHash(secret), name: "Bo", role: nil)))),
        .foreign(LogEntry(at: noon, body: .command(bo, ref: 1, .confirm))),
      ])
    }
    let epoch = fixture.fold.origin.epoch
    fixture.join(
      1, #","resume":{"member":"m_bo","secret":"s","epoch":"\#(epoch)","revision":1}"#)

    let welcome = fixture.received(1).first
    #expect(welcome?["member"]?["id"] == .string("m_bo"))
    #expect(welcome?["resumed"] == .bool(true))
    #expect(fixture.fold.members.count == 1)
  }

  @Test func `a member that has just joined at another node may post a command`() throws {
    let fixture = try shared()
    let joining = LogEntry.Joining(
      member: MemberID("m_bo"), secret: SecretHash(Array("s".utf8)), name: "Bo", role: nil)
    fixture.log.catchUp = {
      fixture.commit([.foreign(LogEntry(at: noon, body: .joined(joining)))])
    }
    let body = #"{"member":"m_bo","secret":"s","type":"confirm","ref":1}"#
    var answer: Result<[UInt8], HubProblem>?

    fixture.hub.post(
      try CommandRequest(Array(body.utf8)), to: fixture.session, token: nil, locale: nil,
      at: fixture.now
    ) { answer = $0 }

    #expect(throws: Never.self) { try answer?.get() }
    #expect(fixture.fold.status == .confirmed)
  }

  @Test func `a session of a node that has stopped is loaded, unless it is in memory`() throws {
    let fixture = try shared()
    let known = DormantSession(
      id: fixture.session, ttlSeconds: 60, idleMilliseconds: 0, nextTick: nil, hasMembers: true)

    fixture.hub.restore([dormant, known], at: fixture.now)

    #expect(fixture.log.loads == [0])
    fixture.hub.loaded(elsewhere, try loaded(elsewhere, of: fixture), at: fixture.now)
    fixture.wait(6000)
    #expect(fixture.log.released.contains(elsewhere))
  }

  /// Regression: each node that had ever loaded a session kept it while it had members.
  @Test func `a session with members leaves memory when another node appends to it`() throws {
    let fixture = try shared()
    fixture.join(1)
    fixture.disconnect(1)
    fixture.wait(60_000)
    #expect(fixture.log.released.isEmpty)

    let members = fixture.fold.membersInOrder
    fixture.commit([.foreign(LogEntry(at: noon, body: .command(members[0].id, ref: 1, .clear)))])
    fixture.wait(4000)
    #expect(fixture.log.released.isEmpty)
    fixture.wait(2000)

    #expect(fixture.log.released == [fixture.session] && fixture.log.snapshots.isEmpty)
  }

  @Test func `a session that was only read leaves memory, unless it is adopted`() throws {
    let fixture = try shared()
    let origin = SessionOrigin(
      id: elsewhere, epoch: "e", definition: fixture.fold.definition, createdAt: noon)
    for isAdopted in [false, true] {
      _ = read(fixture, elsewhere)
      answer(fixture, .found(dormant))
      var fold = try SessionFold(origin)
      let joining = LogEntry.Joining(
        member: MemberID("m_9"), secret: SecretHash([]), name: "Ana", role: nil)
      _ = fold.apply(LogEntry(at: noon, body: .joined(joining)))
      let session = LoadedSession(fold: fold, entryCount: 1, idleMilliseconds: 0)
      fixture.hub.loaded(elsewhere, session, at: fixture.now)
      if isAdopted { fixture.hub.restore([dormant], at: fixture.now) }
      fixture.wait(6000)

      #expect(fixture.log.released.contains(elsewhere) != isAdopted)
      fixture.log.released = []
    }
  }

  @Test func `members of nodes that have released the session meanwhile are absent`() throws {
    let fixture = try shared()
    fixture.join(1)
    let (bo, node) = (MemberID("m_bo"), NodeIncarnation("other"))
    fixture.commit([
      .foreign(
        LogEntry(
          at: noon,
          body: .joined(.init(member: bo, secret: SecretHash([]), name: "Bo", role: nil))))
    ])
    let announced: [PresenceAnnouncement] = [.connected(bo), .present([bo])]
    for (count, announcement) in announced.enumerated() {
      fixture.hub.announced(announcement, by: node, of: fixture.session, at: fixture.now)
      fixture.hub.announcementsLost(at: fixture.now)
      if count == 0 {
        fixture.hub.announced(.present([bo]), by: node, of: fixture.session, at: fixture.now)
      }
      fixture.wait(10_000)
      #expect(fixture.hub.session(fixture.session)?.isOnline(bo) == (count == 0))
    }
  }

  /// Regression: the node that ticks the session may stop; another one would not load it.
  @Test func `a session that owes an event gets no idle snapshot at a node that only reads it`()
    throws
  {
    let fixture = try shared()
    fixture.join(1)
    let origin = SessionOrigin(
      id: elsewhere, epoch: "e", definition: fixture.fold.definition, createdAt: noon,
      host: HostFields(decideSeconds: 60))
    var fold = try SessionFold(origin)
    let ana = MemberID("m_1")
    for body: LogEntry.Body in [
      .joined(.init(member: ana, secret: SecretHash([]), name: "Ana", role: nil)),
      .command(ana, ref: 1, .confirm), .left(ana),
    ] { _ = fold.apply(LogEntry(at: noon, body: body)) }
    #expect(fold.owesEvent && fold.members.isEmpty)

    _ = read(fixture, elsewhere)
    answer(fixture, .found(dormant))
    fixture.hub.loaded(
      elsewhere, LoadedSession(fold: fold, entryCount: 3, idleMilliseconds: 0), at: fixture.now)
    fixture.wait(6000)

    #expect(fixture.log.released.contains(elsewhere) && fixture.log.snapshots.isEmpty)
  }

  @Test func `a lost session with members is loaded again`() throws {
    let fixture = try shared()
    fixture.join(1)
    fixture.hub.lost([fixture.session], at: fixture.now)
    #expect(fixture.log.released == [fixture.session] && fixture.log.loads.isEmpty)

    fixture.wait(5000)

    #expect(fixture.log.loads == [0])
  }

  @Test func `a lost session without members is loaded again, for events that may be lost`() throws
  {
    let fixture = try shared()
    fixture.hub.lost([fixture.session], at: fixture.now)
    fixture.wait(5000)
    #expect(fixture.log.loads == [0])
  }

  @Test func `an evicted session whose events are lost is looked up until it is loaded`() throws {
    let fixture = try shared()
    let fold = fixture.fold
    let stored = DormantSession(
      id: fixture.session, ttlSeconds: 60, idleMilliseconds: 0, nextTick: nil, hasMembers: true)
    fixture.wait(6000)
    #expect(fixture.hub.sessionCount == 0)

    fixture.hub.lost([fixture.session], at: fixture.now)
    fixture.wait(5000)
    try #require(fixture.log.lookups.map(\.session) == [fixture.session])
    answer(fixture, .unavailable)
    fixture.wait(60_000)
    try #require(fixture.log.lookups.count == 1)
    answer(fixture, .found(stored))
    try #require(fixture.log.loads == [0])
    fixture.hub.loaded(fixture.session, nil, at: fixture.now)
    fixture.wait(60_000)
    try #require(fixture.log.lookups.count == 1)
    answer(fixture, .found(stored))
    fixture.hub.loaded(
      fixture.session, LoadedSession(fold: fold, entryCount: 0, idleMilliseconds: 0),
      at: fixture.now)

    #expect(fixture.hub.session(fixture.session) != nil)
    fixture.wait(120_000)
    #expect(fixture.log.lookups.isEmpty && fixture.log.loads == [0, 0])
  }

  @Test func `an ended session whose loss is reported is looked up once`() throws {
    let fixture = try shared()
    fixture.commit([.foreignEnd])
    fixture.wait(2000)
    fixture.hub.lost([fixture.session], at: fixture.now)
    fixture.wait(5000)
    try #require(fixture.log.lookups.count == 1)
    answer(fixture, .absent)

    fixture.wait(120_000)
    #expect(fixture.log.lookups.isEmpty && fixture.log.loads.isEmpty)
  }

  @Test func `at most 16 lost sessions are looked up at a time`() throws {
    let fixture = try shared()
    fixture.hub.lost((0..<20).map { SessionID("\($0)") }, at: fixture.now)
    fixture.wait(5000)
    try #require(fixture.log.lookups.count == 16)

    for _ in 0..<4 { answer(fixture, .absent) }
    #expect(fixture.log.lookups.count == 16)
    answer(fixture, .absent)
    #expect(fixture.log.lookups.count == 15)
  }

  @Test func `a request of the host is about what it did through another node`() throws {
    let fixture = try shared()
    fixture.log.catchUp = { fixture.commit([.foreignEnd]) }
    var problem: HubProblem?
    fixture.hub.delete(fixture.session, token: nil, at: fixture.now) {
      if case .failure(let failure) = $0 { problem = failure }
    }
    #expect(problem == .noSuchSession)
  }
}
