import JSONText
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// Sessions that use a shared definition, and follow its versions.
@Suite struct SharedDefinitionTests {
  private let fixture: HubFixture

  init() throws { fixture = try HubFixture(calendar) }

  /// A version of the calendar `room` with more options, and notes.
  private func room(
    _ version: Int, _ options: String = "", notes: String = "{}"
  ) throws -> SharedDefinition {
    let tree = try JSONTree.parse(
      Array((calendar.dropLast() + options + "}").utf8))
    let definition = try Definition.make(from: tree) { _ in nil }
    return SharedDefinition(
      name: "room", version: version, document: definition.document(full: true),
      notes: try #require(Notes(tree: try JSONTree.parse(Array(notes.utf8)))))
  }

  /// Creates a session that uses `room`; `fields` begin with a comma.
  @discardableResult
  private func use(_ fields: String = "") throws -> SessionID {
    let request = try CreateRequest(Array(#"{"uses":"room"\#(fields)}"#.utf8))
    var created: SessionID?
    fixture.hub.begin { host throws(HubProblem) in
      try await host.create(request, socketBase: "", at: fixture.now)
    } answer: {
      created = try? $0.get().id
    }
    return try #require(created)
  }

  private func fold(_ id: SessionID) -> SessionFold { fixture.hub.session(id)!.fold }

  private func days(_ id: SessionID) -> Int? {
    fold(id).definition.document(full: true)["maxDays"]?.integer
  }

  /// The changes by which sessions followed the shared definition.
  private func followed() -> [DocumentChange] {
    fixture.log.records.compactMap { record in
      guard case .entry(let entry) = record, case .revised(let change) = entry.body,
        change.follows != nil
      else { return nil }
      return change
    }
  }

  private func change(_ shared: SharedDefinition) {
    fixture.hub.changed(shared, at: fixture.now)
    fixture.wait(100)
  }

  private func patch(_ id: SessionID, _ body: String) throws {
    let request = DocumentRequest(
      format: .mergePatch, body: Array(body.utf8), versions: nil, valuesMax: .max)
    var answer: Result<DocumentAnswer, HubProblem>?
    fixture.hub.begin { host throws(HubProblem) in
      try await host.change(.definition, of: id, request, token: nil, at: fixture.now)
    } answer: {
      answer = $0
    }
    _ = try #require(answer).get()
  }

  @Test func `a session gets the shared definition with its own part merged over it`() throws {
    fixture.log.shared["room"] = try room(
      3, #","maxDays":9"#, notes: #"{"days":{"2026-12-24":{"text":"€ 1","amount":1}}}"#)
    let (plain, own) = (try use(), try use(#","definition":{"maxDays":4}"#))
    #expect(days(plain) == 9 && days(own) == 4 && fold(own).notes.days.count == 1)
    #expect(fold(plain).definition === fold(try use()).definition, "one object for all")
    #expect(fold(own).shared?.version == 3 && fold(own).origin.uses?.name == "room")
    var problems: [HubProblem] = []
    for body in [
      #"{"uses":"other"}"#, #"{"uses":"room","definition":{"kind":"date"}}"#,
      #"{"uses":"room","definition":{"minDays":0}}"#,
    ] {
      let request = try CreateRequest(Array(body.utf8))
      fixture.hub.begin { host throws(HubProblem) in
        try await host.create(request, socketBase: "", at: fixture.now)
      } answer: {
        if case .failure(let problem) = $0 { problems.append(problem) }
      }
    }
    #expect(problems.count == 3 && problems[0] == .noSuchDefinition)
    let pointers = problems.compactMap { problem -> String? in
      if case .badDefinition(let problem) = problem { problem.pointer } else { nil }
    }
    #expect(pointers == ["/kind", "/minDays"])
    for body in [#"{"uses":"a b"}"#, #"{"uses":7}"#, #"{"uses":"room","definition":[]}"#, "{}"] {
      #expect(throws: BadMessage.self) { try CreateRequest(Array(body.utf8)) }
    }
  }

  @Test func `few sessions follow in one call, and all get a change once`() throws {
    fixture.log.shared["room"] = try room(1, #","maxDays":1"#)
    let sessions = try (0..<20).map { try use($0 < 5 ? #","watch":["definition"]"# : "") }
    fixture.hub.changed(try room(2, #","maxDays":2"#), at: fixture.now)
    #expect(followed().isEmpty)
    fixture.hub.timer(at: fixture.now)
    #expect(followed().count == 8)
    fixture.hub.changed(try room(3, #","maxDays":3"#), at: fixture.now)
    fixture.hub.changed(try room(2, #","maxDays":2"#), at: fixture.now)
    fixture.wait(100)
    // Eight have got both versions, and the others have skipped one.
    #expect(followed().count == 28 && sessions.allSatisfy { days($0) == 3 })
    change(try room(3, #","maxDays":3"#))
    #expect(followed().count == 28)
    let events = fixture.log.fed.flatMap(\.events).filter { $0.type == .definitionChanged }
    let watched = sessions.prefix(5).reduce(0) { $0 + fold($1).revision }
    #expect(events.count == watched && Set(events.map(\.identity)).count == watched)
  }

  @Test func `a version counts once, however many sessions and deltas have it`() throws {
    func blocked(_ version: Int) -> String {
      let days = (10...28).map { "{\"from\":\"2026-1\($0 % 3)-\($0)\"}" }
      return #","maxDays":\#(version),"blocked":[\#(days.joined(separator: ","))]"#
    }
    fixture.log.shared["room"] = try room(1, blocked(1))
    let sessions = try (0..<20).map { _ in try use() }
    let before = fixture.sessionsBytes
    let size = fold(sessions[0]).definition.byteCount

    for version in 2...9 { change(try room(version, blocked(version))) }

    let added = fixture.sessionsBytes - before
    #expect(sessions.allSatisfy { fold($0).history.count == 8 })
    #expect(added >= 20 * 8 * 512 + 8 * size && added < 20 * 8 * 512 + 10 * size)
  }

  @Test func `few entries wait for the log at a time`() throws {
    fixture.log.shared["room"] = try room(1)
    let sessions = try (0..<70).map { _ in try use() }
    fixture.log.outcome = .pending
    change(try room(2, #","maxDays":2"#))
    #expect(followed().count == 50)
    for session in sessions { fixture.hub.committed(1, of: session, at: fixture.now) }
    fixture.wait(100)
    #expect(followed().count == 70)
    for session in sessions { fixture.hub.committed(1, of: session, at: fixture.now) }
    #expect(sessions.allSatisfy { days($0) == 2 })
  }

  /// Regression: it stayed as it was until the next version, with a store that had room again.
  @Test(arguments: [(AppendOutcome.storeFull, 2), (.full, 9)])
  func `a session follows when a store that was full has room again`(
    outcome: AppendOutcome, days: Int
  ) throws {
    fixture.log.shared["room"] = try room(1, #","maxDays":9"#)
    let session = try use()
    fixture.log.outcome = outcome
    change(try room(2, #","maxDays":2"#))
    #expect(self.days(session) == 9)

    fixture.log.outcome = .stored
    fixture.wait(2000)

    #expect(self.days(session) == days)
  }

  /// Regression: the hub tried without end.
  @Test func `a change of the host is refused while its session cannot follow in a full store`()
    throws
  {
    fixture.log.shared["room"] = try room(1, #","maxDays":9"#)
    let session = try use()
    fixture.log.outcome = .storeFull
    fixture.log.shared["room"] = try room(2, #","maxDays":2"#)
    fixture.hub.changed(try room(2, #","maxDays":2"#), at: fixture.now)
    #expect(throws: HubProblem.storeFull) { try patch(session, #"{"locale":"de"}"#) }

    fixture.log.outcome = .stored
    try patch(session, #"{"locale":"de"}"#)
    #expect(days(session) == 2 && fold(session).definition.locale == "de")
  }

  @Test func `a definition and its notes change in one revision`() throws {
    fixture.log.shared["room"] = try room(1, notes: #"{"days":{"2026-12-24":{"text":"old"}}}"#)
    let session = try use()
    fixture.open(9, session: session)
    fixture.send(9, #"{"type":"join","months":{"from":"2026-12","count":1}}"#)
    fixture.forgetAll()
    change(
      try room(
        2, #","blocked":[{"from":"2026-12-25"}]"#,
        notes: #"{"days":{"2026-12-24":{"text":"new"},"2026-12-26":{"text":"x"}}}"#))
    let delta = try #require(fixture.received(9).first { $0["type"]?.string == "delta" })
    let kinds = delta["changes"]?.array?.compactMap { $0["change"]?.string }
    #expect(kinds == ["definition", "notes"] && fold(session).revision == 1)
    change(try room(3, #","blocked":[{"from":"2026-12-25"}]"#))
    let notes = try #require(fixture.received(9).first { $0["type"]?.string == "delta" })
    #expect(notes["changes"]?.array?.compactMap { $0["change"]?.string } == ["notes"])
    #expect(fold(session).version == 2 && fold(session).notes.isEmpty)
  }

  @Test func `what a session has changed itself stays`() throws {
    fixture.log.shared["room"] = try room(1, #","maxDays":1"#)
    let session = try use()
    try patch(session, #"{"maxDays":7}"#)
    change(try room(2, #","maxDays":2"#))
    #expect(followed().isEmpty && days(session) == 7 && fold(session).version == 2)
    change(try room(3, #","maxDays":2,"locale":"de""#))
    #expect(days(session) == 7 && fold(session).definition.locale == "de")
    let request = DocumentRequest(
      format: .mergePatch, body: Array(#"{"days":{"2026-12-24":null}}"#.utf8), versions: nil,
      valuesMax: .max)
    fixture.hub.begin { host throws(HubProblem) in
      try await host.change(.notes, of: session, request, token: nil, at: fixture.now)
    } answer: { _ in
    }
    change(try room(4, notes: #"{"days":{"2026-12-24":{"text":"a"},"2026-12-25":{"text":"b"}}}"#))
    // Nothing was there to remove, so the note is not the session's own.
    #expect(fold(session).notes.days.count == 2)
    fixture.hub.begin { host throws(HubProblem) in
      try await host.change(.notes, of: session, request, token: nil, at: fixture.now)
    } answer: { _ in
    }
    change(try room(5, notes: #"{"days":{"2026-12-24":{"text":"c"},"2026-12-25":{"text":"d"}}}"#))
    #expect(fold(session).notes.days.count == 1)
  }

  @Test func `a version that is not valid for a session leaves it as it is, and is one event`()
    throws
  {
    fixture.log.shared["room"] = try room(1, #","maxDays":9"#)
    let session = try use(#","definition":{"minDays":5}"#)
    change(try room(2, #","maxDays":3"#))
    change(try room(2, #","maxDays":3"#))
    #expect(days(session) == 9 && fold(session).revision == 0 && followed().count == 1)
    let events = fixture.log.fed.flatMap(\.events).filter { $0.type == .definitionRejected }
    let data = try JSONTree.parse(try #require(events.first).data)
    #expect(events.count == 1 && data["uses"]?["version"]?.integer == 2)
    #expect(data["pointer"]?.string?.hasPrefix("/m") == true && data["detail"]?.string != nil)
    change(try room(3, #","maxDays":6"#))
    #expect(days(session) == 6 && fold(session).shared?.accepted == 3)
  }

  /// A session that uses `room` and whose confirmation waits for the host.
  private func confirming() throws -> SessionID {
    fixture.log.shared["room"] = try room(1)
    let session = try use(#","decide":{"by":"host","seconds":60}"#)
    fixture.open(9, session: session)
    fixture.send(9, #"{"type":"join"}"#)
    fixture.send(9, #"{"type":"tap","ref":1,"date":"2026-11-23"}"#)
    fixture.send(9, #"{"type":"tap","ref":2,"date":"2026-11-25"}"#)
    fixture.send(9, #"{"type":"confirm","ref":3}"#)
    #expect(fold(session).status == .confirming)
    return session
  }

  @Test func `a session follows when the host has decided`() throws {
    let session = try confirming()
    change(try room(2, #","maxDays":2"#))
    #expect(followed().isEmpty)
    let op = try #require(fold(session).decision.confirmation?.op)
    fixture.hub.begin { host throws(HubProblem) in
      try await host.settle(session, Settle(op: op, isGranted: false), token: nil, at: fixture.now)
    } answer: {
      _ in
    }
    fixture.wait(100)
    #expect(days(session) == 2 && followed().count == 1)

    // The confirmation was pending when the entry was appended.
    fixture.send(9, #"{"type":"tap","ref":4,"date":"2026-11-23"}"#)
    fixture.send(9, #"{"type":"tap","ref":5,"date":"2026-11-24"}"#)
    fixture.log.outcome = .pending
    fixture.send(9, #"{"type":"confirm","ref":6}"#)
    change(try room(3, #","maxDays":3"#))
    fixture.log.outcome = .stored
    fixture.hub.committed(2, of: session, at: fixture.now)
    #expect(fold(session).status == .confirming && days(session) == 2)
    fixture.send(9, #"{"type":"cancel","ref":7}"#)
    fixture.wait(100)
    #expect(fold(session).status == .open && days(session) == 3)
  }

  /// A command of the host; its answer or problem, `nil` until there is one.
  private func post(_ id: SessionID, _ body: String) throws -> () -> String? {
    var answer: Result<[UInt8], HubProblem>?
    fixture.hub.post(
      try CommandRequest(Array(body.utf8)), to: id, token: .key, locale: nil, at: fixture.now
    ) { answer = $0 }
    return {
      switch answer {
      case .success(let body): String(decoding: body, as: UTF8.self)
      case .failure(let problem): "\(problem)"
      case nil: nil
      }
    }
  }

  /// A session whose host has confirmed the days from November 23 to 25.
  private func confirmed() throws -> SessionID {
    let session = try use(#","reopen":"host""#)
    for date in ["2026-11-23", "2026-11-25"] {
      _ = try post(session, #"{"type":"tap","date":"\#(date)"}"#)
    }
    _ = try post(session, #"{"type":"confirm"}"#)
    #expect(fold(session).status == .confirmed)
    return session
  }

  private static let sold = #","taken":{"n":{"from":"2026-11-23","through":"2026-11-25"}}"#

  /// Regression: a stay was cleared although its room was free: its session had not followed.
  @Test func `a command of the host counts after every version that came before it`() throws {
    fixture.log.shared["room"] = try room(1)
    let sessions = try (0..<20).map { _ in try confirmed() }
    change(try room(2, Self.sold))
    fixture.hub.changed(try room(3), at: fixture.now)
    for session in sessions.dropLast() {
      #expect(try post(session, #"{"type":"reopen"}"#)() != nil)
      #expect(fold(session).shared?.version == 3 && fold(session).picker.range != nil)
    }

    // The entry of the version is pending when the command is appended.
    let last = try #require(sessions.last)
    fixture.log.outcome = .pending
    let reopened = try post(last, #"{"type":"reopen"}"#)
    #expect(reopened() == nil)
    fixture.log.outcome = .stored
    fixture.hub.committed(2, of: last, at: fixture.now)
    #expect(reopened() != nil && fold(last).picker.range != nil)

    // A change of the session's own definition is evaluated against the version, too.
    let newest = try room(4, #","maxDays":9"#)
    fixture.log.shared["room"] = newest
    fixture.hub.changed(newest, at: fixture.now)
    try patch(last, #"{"minDays":2}"#)
    #expect(fold(last).shared?.version == 4 && days(last) == 9)
    fixture.wait(1000)
    #expect(sessions.allSatisfy { fold($0).shared?.version == 4 })
  }

  /// More values than the hub's thread processes.
  private static let large: String = {
    let dates = (0..<324).map { number in
      let date = "20\(31 + number / 162)-0\(1 + number / 18 % 9)-\(10 + number % 18)"
      return #"{"from":"\#(date)"}"#
    }
    return #","blocked":[\#(dates.joined(separator: ","))]"#
  }()

  @Test func `commands of the host wait for a version that another thread makes, in their order`()
    throws
  {
    fixture.log.shared["room"] = try room(1)
    let (session, ended) = (try confirmed(), try confirmed())
    change(try room(2, Self.sold))
    fixture.port.backgroundWork = []
    fixture.hub.changed(try room(3, Self.large), at: fixture.now)
    let reopened = try post(session, #"{"type":"reopen"}"#)
    let cleared = try post(session, #"{"type":"clear"}"#)
    let lost = try post(ended, #"{"type":"reopen"}"#)
    fixture.wait(1000)
    #expect(fixture.port.backgroundWork?.count == 1 && reopened() == nil)
    // A newer version comes meanwhile, and one of the sessions ends.
    fixture.hub.changed(try room(4, #","maxDays":9"# + Self.large), at: fixture.now)
    fixture.hub.begin { host throws(HubProblem) in
      try await host.delete(ended, token: nil, at: fixture.now)
    } answer: { _ in
    }
    fixture.port.finishBackgroundWork()
    fixture.wait(1000)
    #expect(reopened()?.contains(#""status":"open""#) == true && lost() == "noSuchSession")
    #expect(cleared()?.contains(#""change":"range""#) == true && days(session) == 9)
    let commands = fixture.log.records.compactMap { record -> String? in
      guard case .entry(let entry) = record, case .command(_, _, let command, _) = entry.body
      else { return nil }
      return command.type
    }
    #expect(Array(commands.suffix(2)) == ["reopen", "clear"])
  }

  @Test func `the version of a session that a version does not change is that version`() throws {
    fixture.log.shared["room"] = try room(1)
    let session = try use(#","definition":{"maxDays":4}"#)
    var version: Int? {
      var answer: JSONTree?
      fixture.hub.begin { host throws(HubProblem) in
        try await host.read(session, token: nil, locale: nil, isFull: false, at: fixture.now)
      } answer: {
        answer = try? JSONTree.parse($0.get())
      }
      return answer?["uses"]?["version"]?.integer
    }
    change(try room(2, #","maxDays":9"#))
    #expect(version == 2 && followed().isEmpty)
  }

  /// A hub that is loading a session, for a member who joins.
  private func hub(loading id: SessionID) throws -> HubFixture {
    let loading = try HubFixture(calendar, canLoad: true, isClustered: true)
    loading.open(1, session: id)
    loading.send(1, #"{"type":"join"}"#)
    loading.log.lookups.removeFirst().completion(
      .found(
        DormantSession(
          id: id, ttlSeconds: 60, idleMilliseconds: 0, nextTick: nil, hasMembers: true)))
    return loading
  }

  /// What the log gives for a session that has not followed a version yet.
  private func loaded(
    _ fold: SessionFold, following new: SharedDefinition
  ) throws -> LoadedSession {
    var loaded = LoadedSession(fold: fold, entryCount: 0, idleMilliseconds: 0)
    loaded.step = SharedStep(
      to: new, from: fold.definition, Notes(), try #require(fold.shared)
    ) { tree throws(DefinitionProblem) in try Definition.make(from: tree) { _ in nil } }
    return loaded
  }

  @Test func `a session that is loaded follows before anything else`() throws {
    let id = SessionID("stored")
    let loading = try hub(loading: id)
    let old = try room(1, #","maxDays":1"#)
    var origin = SessionOrigin(
      id: id, epoch: "e",
      definition: try Definition.make(from: old.document) { _ in nil }, createdAt: noon)
    origin.uses = SharedUse(name: "room", version: 1, own: .object([]))
    let fold = try SessionFold(origin)
    let loaded = try loaded(fold, following: try room(2, #","maxDays":2"#))
    // This change is known only here: it came while the session was being loaded.
    loading.hub.changed(try room(3, #","maxDays":3"#), at: loading.now)
    loading.hub.loaded(id, loaded, at: loading.now)
    let welcome = try #require(loading.received(1).first)
    #expect(welcome["snapshot"]?["definition"]?["maxDays"]?.integer == 2)
    loading.wait(100)
    #expect(loading.hub.session(id)?.fold.definition.document(full: true)["maxDays"]?.integer == 3)
  }

  /// Regression: it stayed as it was until the next version.
  @Test func `a session that is loaded while the host decides follows when it has`() throws {
    let session = try confirming()
    let fold = fold(session)
    let op = try #require(fold.decision.confirmation?.op)

    let loading = try hub(loading: session)
    let loaded = try loaded(fold, following: try room(2, #","maxDays":2"#))
    loading.hub.loaded(session, loaded, at: loading.now)
    #expect(loading.hub.session(session)?.fold.status == .confirming)
    loading.hub.begin { host throws(HubProblem) in
      try await host.settle(session, Settle(op: op, isGranted: false), token: nil, at: loading.now)
    } answer: { _ in
    }
    loading.wait(100)
    let definition = loading.hub.session(session)?.fold.definition
    #expect(definition?.document(full: true)["maxDays"]?.integer == 2)
  }

  @Test func `a large version is made once on another thread`() throws {
    fixture.log.shared["room"] = try room(1)
    let sessions = try (0..<4).map { _ in try use() }
    let dates = (0..<600).map { #""b\#($0)":{"from":"2026-12-01","through":"2026-12-01"}"# }
    fixture.port.backgroundWork = []
    change(try room(2, #","taken":{\#(dates.joined(separator: ","))}"#))
    #expect(fixture.port.backgroundWork?.count == 1 && followed().isEmpty)
    fixture.port.finishBackgroundWork()
    fixture.wait(100)
    #expect(sessions.allSatisfy { fold($0).version == 2 } && followed().count == 4)
    #expect(Set(sessions.map { ObjectIdentifier(fold($0).definition) }).count == 1)
  }
}

/// Requests that change a shared definition.
@Suite struct SharedDraftTests {
  private let maker = DefinitionMaker(
    limits: DefinitionLimits(), zones: TestZones(), digest: { $0 })

  private func draft(
    _ format: DocumentRequest.Format, _ body: String, of current: SharedDefinition? = nil,
    versions: VersionMatch? = nil
  ) throws(HubProblem) -> SharedDraft? {
    let request = DocumentRequest(
      format: format, body: Array(body.utf8), versions: versions, valuesMax: 1000)
    return try DocumentRevision(request, maker: maker, at: noon).draft("room", replacing: current)
  }

  @Test func `a patch applies to the definition and the notes together`() throws {
    let notes = #"{"days":{"2026-12-24":{"text":"a"}}}"#
    let made = try #require(
      try draft(.whole, #"{"definition":\#(calendar),"notes":\#(notes)}"#))
    let current = SharedDefinition(
      name: "room", version: 5, document: made.document, notes: made.notes)
    let merged = try #require(
      try draft(
        .mergePatch, #"{"definition":{"maxDays":3},"notes":{"days":{"2026-12-24":null}}}"#,
        of: current, versions: .oneOf([#""5""#])))
    #expect(merged.document["maxDays"]?.integer == 3 && merged.notes.isEmpty)
    #expect(try draft(.mergePatch, #"{"definition":{"maxDays":null}}"#, of: current) == nil)
    let added = try #require(
      try draft(.jsonPatch, #"[{"op":"add","path":"/definition/maxDays","value":3}]"#, of: current))
    #expect(added.document["maxDays"]?.integer == 3 && added.notes == current.notes)
    #expect(throws: HubProblem.versionMismatch(5)) {
      try draft(.mergePatch, "{}", of: current, versions: .oneOf([#""4""#]))
    }
    for (body, pointer) in [
      (#"{"definition":{"kind":"date"}}"#, "/kind"), (#"{"definition":{"minDays":0}}"#, "/minDays"),
      (#"{"definition":{"max":"2020-01-01"}}"#, "/max"),
    ] {
      let problem = #expect(throws: HubProblem.self) { try draft(.mergePatch, body, of: current) }
      guard case .badDefinition(let found)? = problem else {
        Issue.record("\(body): \(String(describing: problem))")
        continue
      }
      #expect(found.pointer == pointer)
    }
  }

  @Test func `a body with too many values, or what is no definition, is refused`() {
    let many = (0..<1000).map { "\"2026-12-\($0)\"" }.joined(separator: ",")
    for body in [#"{"definition":{"kind":"calendar","blocked":[\#(many)]}}"#, "[]", "{", "{}"] {
      #expect(throws: HubProblem.self) { try draft(.whole, body) }
    }
    #expect(throws: HubProblem.noSuchDefinition) { try draft(.mergePatch, "{}") }
    #expect(SharedDefinition.isName("room-12._X") && !SharedDefinition.isName(""))
    #expect(!SharedDefinition.isName(String(repeating: "a", count: 65)))
  }
}
