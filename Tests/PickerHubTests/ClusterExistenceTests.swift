import JSONText
import PickerModel
import PickerSession
import PickerWire
import Testing

import PickerHost
@testable import PickerHub

/// Sessions of a database with several nodes, each of which has at most one owner.
@Suite struct ClusterExistenceTests {
  private let elsewhere = SessionID("elsewhere")

  private func shared(fields: String = "") throws -> HubFixture {
    try HubFixture(letters, fields: fields, canLoad: true, isClustered: true)
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
    fixture.hub.begin { host throws(HubProblem) in
      try await host.read(id, token: nil, locale: nil, isFull: false, at: fixture.now)
    } answer: {
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

  @Test(arguments: [true, false])
  func `what another node may have changed by now is read when it is known that none has`(
    isTaken: Bool
  ) throws {
    let fixture = try shared()
    fixture.log.isCertain = false
    let problem = read(fixture, fixture.session)
    fixture.open(1)
    fixture.send(1, #"{"type":"join"}"#)
    #expect(fixture.log.confirmations.count == 2 && fixture.types(1).isEmpty)

    if isTaken { fixture.hub.taken([fixture.session], at: fixture.now) }
    fixture.log.isCertain = true
    for confirm in fixture.log.confirmations { confirm(true) }

    #expect(fixture.log.lookups.count == (isTaken ? 1 : 0))
    if isTaken { fixture.log.lookups.removeFirst().completion(.elsewhere) }
    #expect(problem() == (isTaken ? .unavailable : nil))
    #expect(fixture.types(1).first == (isTaken ? "error" : "welcome"))
  }

  /// Regression: the newer connection joined first, and was closed with 4409 for the older one.
  @Test func `connections of a member join in their order, though the first has to wait`() throws {
    let fixture = try shared()
    fixture.join(1)
    let ana = try #require(fixture.received(1).first)
    fixture.log.isCertain = false
    fixture.join(2, fixture.resume(ana, revision: 0))
    fixture.log.isCertain = true
    fixture.join(3, fixture.resume(ana, revision: 0))
    #expect(fixture.types(3).isEmpty)

    for confirm in fixture.log.confirmations { confirm(true) }

    #expect(fixture.types(3).first == "welcome")
    #expect(fixture.port.closes == [1: 4409, 2: 4409])
  }

  @Test func `a join that has waited replaces no later connection of the member`() throws {
    let fixture = try shared()
    fixture.join(1)
    let ana = try #require(fixture.received(1).first)
    fixture.log.isCertain = false
    fixture.join(2, fixture.resume(ana, revision: 0))
    fixture.join(3, fixture.resume(ana, revision: 0))
    fixture.log.isCertain = true

    for confirm in fixture.log.confirmations.reversed() { confirm(true) }

    #expect(fixture.types(3).first == "welcome")
    #expect(fixture.port.closes == [1: 4409, 2: 4409])
  }

  /// Regression: the transport holds messages of an address, and the member had another address by
  /// then.
  @Test func `a join that arrives late replaces no connection that was opened later`() throws {
    let fixture = try shared()
    fixture.join(1)
    let ana = try #require(fixture.received(1).first)
    fixture.open(2)
    fixture.join(3, fixture.resume(ana, revision: 0))

    fixture.send(2, #"{"type":"join"\#(fixture.resume(ana, revision: 0))}"#)

    #expect(fixture.types(3).first == "welcome")
    #expect(fixture.port.closes == [1: 4409, 2: 4409])
  }

  @Test func `what another node may have changed by now is unavailable if nobody knows`() throws {
    let fixture = try shared()
    fixture.log.isCertain = false
    let problem = read(fixture, fixture.session)

    for confirm in fixture.log.confirmations { confirm(false) }

    #expect(problem() == .unavailable)
  }

  @Test func `a session of another node that is created again is described from the log`() throws {
    let fixture = try shared()
    let origin = SessionOrigin(
      id: elsewhere, epoch: "e", definition: fixture.fold.definition, createdAt: noon)
    fixture.log.described = try SessionFold(origin)
    var created: Result<CreatedSession, HubProblem>?
    fixture.hub.begin { host throws(HubProblem) in
      try await host.describe(elsewhere, socketBase: "", at: fixture.now)
    } answer: {
      created = $0
    }
    answer(fixture, .found(dormant))
    fixture.hub.loaded(elsewhere, .elsewhere, at: fixture.now)

    let body = try #require(try created?.get().body)
    #expect(String(decoding: body, as: UTF8.self).contains(#""epoch":"e","revision":0"#))
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

    fixture.hub.loaded(elsewhere, .unavailable, at: fixture.now)

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

  @Test func `the absences that a hub remembers are bounded`() {
    var lookups = SessionLookups()
    for number in 0...SessionLookups.absentCountMax {
      lookups.noteMissing(SessionID("\(number)"), at: 0)
    }
    #expect(lookups.absentCount == 1)
    #expect(lookups.isAbsent(SessionID("\(SessionLookups.absentCountMax)"), at: 999))
    #expect(!lookups.isAbsent(SessionID("\(SessionLookups.absentCountMax)"), at: 1000))
  }

  @Test(arguments: [AppendOutcome.stored, .pending])
  func `a created session belongs to no node until somebody asks for it`(
    outcome: AppendOutcome
  ) throws {
    let fixture = try shared()
    fixture.log.outcome = outcome
    var created: SessionID?
    let body = try CreateRequest(Array(#"{"definition":\#(slot)}"#.utf8))
    fixture.hub.begin { host throws(HubProblem) in
      try await host.create(body, socketBase: "ws://here", at: fixture.now)
    } answer: {
      created = try? $0.get().id
    }
    let id = try #require(fixture.log.lastCreated)
    if outcome == .pending { fixture.hub.committed(1, of: id, at: fixture.now) }

    #expect(created == id && fixture.hub.session(id) == nil && fixture.hub.sessionCount == 1)
    guard case .created(let origin, let event, let nextTick)? = fixture.log.records.last else {
      _ = Issue.record("the session is not created")
      return
    }
    let fold = try SessionFold(origin)
    #expect(event?.type == .created && nextTick != nil && nextTick == fold.nextTick)
    fixture.wait(700_000)
    #expect(fixture.log.records.count == 2 && !fixture.log.released.contains(id))
    fixture.open(1, session: id)
    fixture.send(1, #"{"type":"join"}"#)
    #expect(fixture.log.lookups.map(\.session) == [id])
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

  @Test func `a session that another node has taken closes its connections, and is forgotten`()
    throws
  {
    let fixture = try shared()
    fixture.join(1)
    fixture.log.outcome = .pending
    fixture.send(1, select(1, 0, 1))
    fixture.join(2)
    var problem: HubProblem?
    fixture.hub.begin { host throws(HubProblem) in
      try await host.delete(fixture.session, token: nil, at: fixture.now)
    } answer: {
      if case .failure(let failure) = $0 { problem = failure }
    }
    fixture.forgetAll()

    fixture.hub.taken([fixture.session, elsewhere], at: fixture.now)
    fixture.wait(120_000)

    #expect(fixture.port.closes == [1: 4503, 2: 4503] && problem == .unavailable)
    #expect(!fixture.types(1).contains("delta"))
    #expect(fixture.hub.sessionCount == 0 && fixture.log.loads.isEmpty)
    #expect(fixture.log.lookups.isEmpty && fixture.log.released.isEmpty)
  }

  @Test func `a session that another node owns is not loaded again and again`() throws {
    let fixture = try shared()
    fixture.hub.lost([fixture.session], at: fixture.now)
    fixture.wait(5000)
    fixture.open(1)
    fixture.send(1, #"{"type":"join"}"#)
    let problem = read(fixture, fixture.session)

    fixture.hub.loaded(fixture.session, .elsewhere, at: fixture.now)
    fixture.wait(120_000)

    #expect(fixture.port.closes == [1: 4503] && problem() == .unavailable)
    #expect(fixture.received(1).last?["detail"]?.string?.contains("another node") == true)
    #expect(fixture.log.loads == [0] && fixture.log.lookups.isEmpty)
    #expect(fixture.hub.sessionCount == 0)
  }

  @Test func `a session that this node owns and cannot read stays its own, and ends in time`()
    throws
  {
    let fixture = try shared()
    fixture.hub.restore([dormant], at: fixture.now)
    fixture.open(1, session: elsewhere)
    fixture.send(1, #"{"type":"join"}"#)

    fixture.hub.loaded(elsewhere, .unreadable, at: fixture.now)
    #expect(fixture.port.closes == [1: 4500] && fixture.log.released.isEmpty)
    fixture.wait(60_000)
    fixture.hub.loaded(elsewhere, .unreadable, at: fixture.now)
    fixture.wait(60_000)
    if fixture.log.loads.count > 2 {
      fixture.hub.loaded(elsewhere, .unreadable, at: fixture.now)
    }

    guard case .ended(nil, _)? = fixture.log.records.last else {
      _ = Issue.record("the session has not ended")
      return
    }
  }

  @Test func `a session whose former owner's clock was ahead does not go back in time`() throws {
    let fixture = try shared()
    let origin = SessionOrigin(
      id: elsewhere, epoch: "e", definition: fixture.fold.definition,
      createdAt: noon.adding(milliseconds: 5000), host: HostFields(watched: [.members]))
    fixture.open(1, session: elsewhere)
    fixture.send(1, #"{"type":"join"}"#)
    answer(fixture, .found(dormant))
    fixture.hub.loaded(
      elsewhere,
      LoadedSession(fold: try SessionFold(origin), entryCount: 0, idleMilliseconds: 0),
      at: fixture.now)
    #expect(fixture.received(1)[0]["now"] == .string(origin.createdAt.rfc3339))
    fixture.send(1, select(1, 0, 1))
    fixture.machine = -3000
    fixture.hub.timer(at: fixture.now)

    let fold = try #require(fixture.hub.session(elsewhere)).fold
    #expect(fold.revision == 1 && fold.reached == origin.createdAt)
    fixture.hub.begin { host throws(HubProblem) in
      try await host.delete(elsewhere, token: nil, at: fixture.now)
    } answer: { _ in
    }
    guard case .ended(let event?, _)? = fixture.log.records.last else {
      _ = Issue.record("the session has not ended")
      return
    }
    #expect(event.timestamp == origin.createdAt)
    let fed = fixture.log.fed.flatMap(\.events).filter { $0.session == elsewhere }
    #expect(fed.map(\.type) == [.memberJoined])
    #expect(fed.allSatisfy { $0.timestamp == origin.createdAt })
  }

  @Test func `a creation whose external id another node has taken is asked again`() throws {
    let fixture = try shared()
    fixture.log.outcome = .pending
    let body = try CreateRequest(Array(#"{"definition":\#(letters),"external":"o-1"}"#.utf8))
    nonisolated(unsafe) var answerCount = 0
    let request = CreationRequest(body, socketBase: "ws://here")

    fixture.hub.begin { host throws(HubProblem) in
      try await host.create(request, at: fixture.now)
    } answer: { _ in
      answerCount += 1
    }
    let first = try #require(fixture.log.lastCreated)
    fixture.hub.refused(first, at: fixture.now)

    #expect(answerCount == 0 && fixture.log.lastCreated != first)
  }

  /// Regression: it was tried without end, with a commit each time.
  @Test func `a creation that the log refuses again and again is given up`() throws {
    let fixture = try HubFixture(letters)
    fixture.log.outcome = .pending
    let body = try CreateRequest(Array(#"{"definition":\#(letters),"external":"o-1"}"#.utf8))
    let request = CreationRequest(body, socketBase: "ws://here")
    var problem: HubProblem?
    fixture.hub.begin { host throws(HubProblem) in
      try await host.create(request, at: fixture.now)
    } answer: {
      if case .failure(let failure) = $0 { problem = failure }
    }
    for _ in 1...8 {
      #expect(problem == nil)
      fixture.hub.refused(try #require(fixture.log.lastCreated), at: fixture.now)
    }
    #expect(problem == .unavailable)
  }

  @Test func `sessions and idempotency keys of all nodes count against the limits`() throws {
    let fixture = try shared()
    let body = try CreateRequest(Array(#"{"definition":\#(letters)}"#.utf8))
    func create(key: String? = nil) -> HubProblem? {
      var problem: HubProblem?
      let request = CreationRequest(
        body, socketBase: "ws://here", key: key.map { (text: $0, bodyHash: []) })
      fixture.hub.begin { host throws(HubProblem) in
        try await host.create(request, at: fixture.now)
      } answer: {
        if case .failure(let failure) = $0 { problem = failure }
      }
      return problem
    }

    fixture.log.clusterCount = ClusterCount(sessions: fixture.hub.limits.sessions)
    #expect(create() == .full(.sessions) && fixture.hub.sessionCount == 1)
    fixture.log.clusterCount = ClusterCount(
      sessions: fixture.hub.limits.sessions - 1, keys: 100_000)
    #expect(create() == nil && fixture.log.records.count == 2)
    #expect(create(key: "k") == .full(.keys))
    fixture.log.clusterCount?.keys = 99_999
    #expect(create(key: "k") == nil)
  }

  @Test func `a name that another node has given is found in the log`() throws {
    let fixture = try shared()
    let body = try CreateRequest(Array(#"{"definition":\#(letters),"external":"o-1"}"#.utf8))
    func create() -> HubProblem? {
      var problem: HubProblem?
      fixture.hub.begin { host throws(HubProblem) in
        try await host.create(body, socketBase: "ws://here", at: fixture.now)
      } answer: {
        if case .failure(let failure) = $0 { problem = failure }
      }
      return problem
    }

    fixture.log.nameOwner = .found(.session(elsewhere))
    #expect(create() == .externalTaken(elsewhere))
    fixture.log.nameOwner = .unavailable
    #expect(create() == .unavailable)
    fixture.log.nameOwner = .absent
    #expect(create() == nil && fixture.log.records.count == 2)
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
    fixture.hub.begin { host throws(HubProblem) in
      try await host.create(request, at: fixture.now)
    } answer: {
      created = try? $0.get()
    }

    #expect(created?.id == elsewhere && created?.isNew == false)
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

  @Test(arguments: [false, true])
  func `a lost session is loaded again, because its events may be lost`(hasMember: Bool) throws {
    let fixture = try shared()
    if hasMember { fixture.join(1) }
    fixture.hub.lost([fixture.session], at: fixture.now)
    #expect(fixture.log.released.isEmpty && fixture.log.loads.isEmpty)

    fixture.wait(5000)

    #expect(fixture.log.loads == [0])
  }
}
