import CivilTime
import JSONText
import PickerClient
import PickerHost
import PickerHub
import PickerModel
import PickerSession
import PickerWire

/// HTTP requests, and changes of the clock.
extension World {
  /// Creates a session with a random definition. If the definition is invalid, no session is added.
  ///
  /// Two nodes of a cluster get the same creation at the same time.
  func create() {
    let able = nodes.filter { $0.hub != nil }
    let isOpen = if case .open = profile.authentication { true } else { false }
    let isExternal = profile.isClustered && isOpen
    let ttlSeconds = random.pick(profile.isClustered ? [30, 86_400] : [30, 600, 86_400])
    let isMarked = profile.doMembersMark && !random.once(in: 5)
    let definition = RandomDefinition.make(
      &random, today: today, kind: isMarked ? "availability" : profile.saleKind)
    let watched = ["result", "members"].filter { _ in random.coin() }
    var fields: [JSONTree.Member] = [
      .init("definition", definition), .init("title", .string("Cem's \u{1}")),
      .init("ttlSeconds", .integer(ttlSeconds)),
      .init("openTap", .string(random.coin() ? "owner" : "shared")),
      .init("watch", .array(watched.map(JSONTree.string))),
    ]
    if let seconds = host.seconds {
      let decide = JSONTree.object([
        .init("by", .string("host")), .init("seconds", .integer(seconds)),
      ])
      fields.append(.init("decide", decide))
    }
    if let kind = definition["kind"]?.string, let use = randomUse(of: kind) {
      fields = Array(fields.dropFirst()) + use
    }
    if isExternal { fields.append(.init("external", .string("order-\(records.count)"))) }
    let body = JSONTree.object(fields)
    guard let request = try? CreateRequest(body.serialized()) else {
      return breach("a well-formed request is accepted")
    }
    for node in able.prefix(isExternal ? 2 : 1) {
      create(request, definition, ttlSeconds, at: node)
    }
  }

  private func create(
    _ request: CreateRequest, _ definition: JSONTree, _ ttlSeconds: Int, at node: Node
  ) {
    node.enter { hub, time in
      hub.begin { host throws(HubProblem) in
        try await host.create(request, socketBase: "ws://here", at: time)
      } answer: { [unowned self] result in
        switch result {
        case .success(let created): note(created, definition, ttlSeconds)
        case .failure(.badDefinition), .failure(.unavailable): break
        case .failure(.full) where profile.isMemoryShort: break
        case .failure(.externalTaken) where profile.isClustered: break
        case .failure(let problem): breach("a session can be created: \(problem)")
        }
      }
    }
  }

  private func note(_ created: CreatedSession, _ definition: JSONTree, _ ttlSeconds: Int) {
    guard let body = try? JSONTree.parse(created.body) else {
      return breach("the response to a creation is JSON")
    }
    if records.contains(where: { $0.id == created.id }) { return }
    var tokens: [String: String] = [:]
    for token in body["tokens"]?.members ?? [] { tokens[token.key] = token.value.string }
    records.append(
      SessionRecord(
        id: created.id, definition: definition, ttlSeconds: ttlSeconds, tokens: tokens))
  }

  /// Reads a session or its log, or rarely deletes it.
  func request() {
    guard remainingActs > 0, !records.isEmpty else { return }
    clock.add(.request, at: clock.machine + Int64(random.within(1...profile.pauseMax * 3)))
    let record = random.pick(records)
    if random.below(24) < profile.hostChangesIn24 { return actAsHost(of: record) }
    switch random.below(24) {
    case 0: delete(record)
    case 1..<8: readLog(of: record)
    case 8: readNotes(of: record)
    case 9, 10: watch(record)
    case 11: post(to: record)
    default: read(record)
    }
  }

  /// The date in UTC.
  var today: CivilDate { CivilDate(iso: clock.session.rfc3339.utf8.prefix(10))! }

  func delete(_ record: SessionRecord) {
    let releasesBooking = profile.sells && random.coin()
    ask(record) { [self] time in
      hub.begin { host throws(HubProblem) in
        try await host.delete(
          record.id, releasesBooking: releasesBooking, token: record.credential("owner"), at: time)
      } answer: {
        [unowned self] result in
        requestsUnanswered -= 1
        switch result {
        case .success: record.isEnded = true
        case .failure(.noSuchSession): break
        case .failure(.unavailable) where failureCount > 0 || hub.isEnding(record.id): break
        case .failure(let problem): breach("an owner can delete: \(problem)")
        }
      }
    }
  }

  /// Reads a session with `GET`.
  func read(_ record: SessionRecord, at node: Node? = nil) {
    let seen = newestSeen(of: record)
    ask(record, at: node) { [self] time in
      hub.begin { [self] host throws(HubProblem) in
        try await host.read(
          record.id, token: record.credential("viewer"), locale: "zh-Hans",
          isFull: random.coin(),
          at: time
        )
      } answer: { [unowned self] in
        requestsUnanswered -= 1
        check(reading: $0, record, seen)
      }
    }
  }

  /// Compares the response with the session at the time of the response. A response that was
  /// encoded in the background has the state at the time when that began.
  ///
  /// - Parameter seen: See ``newestSeen(of:)``, at the time of the request.
  private func check(
    reading result: Result<[UInt8], HubProblem>, _ record: SessionRecord,
    _ seen: (epoch: String, revision: Int)?
  ) {
    let body = try? result.get()
    guard let body else {
      let isInTrouble =
        profile.isStored
        && (failureCount > 0 || profile.isMemoryShort || profile.isClustered)
      if !record.isEnded, !hub.isEnding(record.id), !isInTrouble { breach("a session can be read") }
      return
    }
    guard let tree = try? JSONTree.parse(body), let epoch = tree["epoch"]?.string else {
      return breach("GET is JSON")
    }
    if let seen, seen.epoch == epoch, let revision = tree["revision"]?.integer,
      revision < seen.revision
    {
      breach("a read has what was seen before it: \(revision), not \(seen.revision)")
    }
    record.note(shown: tree["revision"]?.integer, in: epoch)
    guard let session = hub.session(record.id), session.fold.origin.epoch == epoch,
      let truth = replica(of: record.id, in: epoch)
    else { return }
    do throws(ProtocolBreach) {
      try tree.has(
        ["session", "epoch", "revision", "version", "status", "title", "snapshot", "members"],
        maybe: ["version", "links", "op", "until", "uses", "external"])
      if tree["links"] != nil, tree["status"] != .string("confirmed") {
        throw ProtocolBreach("only a confirmed session has links")
      }
      let state = try ClientState(reading: tree)
      let isCurrent = state.revision == session.fold.revision
      guard let expected = truth.truths[state.revision], isCurrent || isBackgroundDone
      else { throw ProtocolBreach("GET returns the current revision") }
      guard try tree.number("version") == expected.version else {
        throw ProtocolBreach("the version is \(expected.version)")
      }
      let reader = TextReader(
        texts: [SimplifiedChineseTexts()], tags: ["zh-Hans"], fallbacks: truth.locales)
      let audience = Sight.Audience(expected.definition.results, nil)
      try state.check(
        against: expected, reader, audience: audience, seesAll: record.tokens.isEmpty,
        isThorough: true)
      try MessageRules.check(
        try tree.part("snapshot"), hides: audience, others: truth.memberIDs)
      guard isBackgroundDone || state.memberTrees() == members(of: session) else {
        throw ProtocolBreach("GET returns all members")
      }
    } catch {
      breach("\(error.sentence): \(String(decoding: body.prefix(600), as: UTF8.self))")
    }
  }

  /// The newest revision that any member or any response has shown.
  private func newestSeen(of record: SessionRecord) -> (epoch: String, revision: Int)? {
    guard let epoch = replicas[record.id]?.fold.origin.epoch else { return nil }
    var revisions = clients.compactMap { client in
      client.session === record && client.epoch == epoch ? client.state.revision : nil
    }
    if let shown = record.shown, shown.epoch == epoch { revisions.append(shown.revision) }
    return revisions.max().map { (epoch, $0) }
  }

  /// The members that all clients must have, by id.
  func members(of session: Session) -> [String: JSONTree] {
    var members: [String: JSONTree] = [:]
    for member in session.fold.members.values {
      members[member.id.text] = .object([
        .init("id", .string(member.id.text)), .init("name", .string(member.name)),
        .init("role", .string(member.role.rawValue)), .init("color", .string(member.color)),
        .init("online", .bool(session.isOnline(member.id))),
      ])
    }
    return members
  }

  /// Reads a session's log, which must have a line for each revision.
  func readLog(of record: SessionRecord) {
    let after = random.pick([0, 0, 1, 7, -1])
    ask(record) { [self] time in
      let revision =
        hub.session(record.id)?.fold.revision ?? replicas[record.id]?.fold.revision ?? 0
      let version = replicas[record.id]?.fold.version
      hub.logLines(
        record.id, token: record.credential("viewer"), after: after, at: time
      ) { [unowned self] result in
        switch result {
        case .success(let page):
          readOn(page, after: after, through: revision, version: version, record)
        case .failure: requestsUnanswered -= 1
        }
      }
    }
  }

  /// Reads the rest of a log page by page. A loop instead of recursion, because a page in memory is
  /// returned within the call, and a log can have thousands of pages.
  ///
  /// - Parameters:
  ///   - revision: The session's revision at the time of the request.
  ///   - version: That of its definition.
  private func readOn(
    _ first: LogPage, lines before: [UInt8] = [], after: Int, through revision: Int,
    version: Int?, _ record: SessionRecord
  ) {
    var lines = before + first.lines
    var next = first.next
    while let position = next {
      var immediate: LogPage??
      var isPending = false
      hub.moreLogLines(position) { [unowned self] page in
        guard isPending else { return immediate = .some(page) }
        guard let page else { return requestsUnanswered -= 1 }
        readOn(
          page, lines: lines, after: after, through: revision, version: version, record)
      }
      guard let answer = immediate else { return isPending = true }
      guard let page = answer else { return requestsUnanswered -= 1 }
      lines += page.lines
      next = page.next
    }
    requestsUnanswered -= 1
    if let replica = replicas[record.id], replica.fold.version == version {
      checkHidden(log: lines, replica)
    }
    check(log: lines, after: after, through: revision, record)
  }

  /// Checks that the log has no marks that a viewer may not see, and nobody who has marked.
  private func checkHidden(log: [UInt8], _ replica: Replica) {
    let audience = Sight.Audience(replica.fold.definition.results, nil)
    guard audience != .everything else { return }
    for line in log.split(separator: UInt8(ascii: "\n")) {
      guard let tree = try? JSONTree.parse(Array(line)) else { continue }
      do throws(ProtocolBreach) {
        try MessageRules.check(
          .object([.init("changes", tree["changes"] ?? .null)]), hides: audience,
          others: replica.memberIDs)
      } catch {
        breach(error.sentence)
      }
      guard ["mark", "clear"].contains(tree["command"]?["type"]?.string) else { continue }
      if tree["by"] != nil || tree["ref"] != nil || tree["command"]?.members?.count != 1 {
        breach("the log does not say who has marked what: \(tree.shown)")
      }
    }
  }

  /// Checks that the lines end with a revision between that at the time of the request and the
  /// current one. They differ only if the session had to be loaded or its log was read in pages.
  private func check(
    log body: [UInt8], after: Int, through revision: Int, _ record: SessionRecord
  ) {
    var expected = max(after, 0)
    var version = 0
    for line in body.split(separator: UInt8(ascii: "\n")) {
      expected += 1
      guard let tree = try? JSONTree.parse(Array(line)), tree["revision"] == .integer(expected)
      else {
        return breach("the log has a line per revision: \(String(decoding: line, as: UTF8.self))")
      }
      let hasAuthor = tree["by"] != nil && tree["ref"] != nil
      let type = tree["command"]?["type"]?.string ?? ""
      if record.isAvailability, ["mark", "clear"].contains(type) { continue }
      let isOfHost = tree["host"] == .bool(true)
      guard
        hasAuthor
          != (isOfHost
            || ["tick", "define", "note", "settle", "import", "inventory"].contains(type))
      else {
        return breach("ticks and changes by the host have no author: \(tree.shown)")
      }
      guard type == "define" else { continue }
      // A reopened session logs the definition that it applies a second time.
      let next = tree["command"]?["version"]?.integer ?? 0
      guard version == 0 || next == version || next == version + 1 else {
        return breach("versions of definitions have no gaps: \(version), then \(next)")
      }
      version = next
    }
    let last = replicas[record.id]?.fold.revision ?? revision
    if hasFailedOver { return }
    if expected < revision || (!body.isEmpty && expected > last) {
      breach("the log ends with the last revision: \(revision)...\(last), not \(expected)")
    }
  }

  /// Sets the sessions' clock: forwards or backwards by minutes to years, or to just before
  /// midnight. Sometimes again before a member acts, so that a tick follows a tick.
  func jump() {
    guard remainingActs > 0 else { return }
    let pauseMax = random.once(in: 3) ? 30 : profile.pauseMax * 12
    clock.add(.clockJump, at: clock.machine + Int64(random.within(1...pauseMax)))
    let day: Int64 = 86_400_000
    let now = clock.session.milliseconds
    let wanted: Int64 =
      switch random.below(8) {
      case 0, 1: now + Int64(random.within(1...120_000))
      case 2: now + day * Int64(random.within(1...random.pick([3, 40])))
      case 3: now - Int64(random.within(1...7_200_000))
      case 4: now - day * Int64(random.within(1...random.pick([3, 40])))
      case 5: now + day * Int64(random.within(300...800))
      default: (now / day + 1) * day - Int64(random.pick([0, 1, 28_800_000, 50_400_000])) - 500
      }
    setClock(to: Instant(milliseconds: wanted))
  }

  func setClock(to instant: Instant) {
    clock.set(instant)
    lastClockSet = clock.machine
    guard !clock.runs else { return }
    if profile.sells { node.setInventoryTime(to: instant.milliseconds) }
    clockSetsUnanswered += 1
    enter { time in
      hub.clockSet(at: time) { [unowned self] in clockSetsUnanswered -= 1 }
    }
  }
}

extension ClientState {
  /// The state of a client that receives the response to `GET` as a welcome.
  fileprivate init(reading tree: JSONTree) throws(ProtocolBreach) {
    let snapshot = try tree.part("snapshot")
    try MessageRules.check(snapshot: snapshot)
    let member = JSONTree.object(
      ["id", "secret", "name", "color"].map { .init($0, .string("")) }
        + [.init("role", .string("viewer"))])
    let welcome = JSONTree.object([
      .init("type", .string("welcome")), .init("member", member), .init("epoch", tree["epoch"]!),
      .init("revision", tree["revision"]!), .init("snapshot", snapshot),
      .init("members", tree["members"]!), .init("locale", .string("zh-Hans")),
    ])
    var machine = ClientMachine()
    for event in [.start, .opened, .received(welcome.serialized())] as [ClientEvent] {
      _ = machine.handle(event, at: 0)
    }
    self = machine.state
    guard connection == .live, status.rawValue == (try tree.text("status")) else {
      throw ProtocolBreach("GET has all parts of a welcome")
    }
  }
}
