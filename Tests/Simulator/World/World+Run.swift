import CivilTime
import JSONText
import PickerClient
import PickerHub
import PickerModel
import PickerSession

extension World {
  /// Runs the world: twice random actions, then a quiet phase with a comparison; finally the end of
  /// all sessions.
  ///
  /// - Throws: The first violation.
  package func run() throws(Violation) {
    defer {
      for node in nodes { node.kill() }
      clock.end()
    }
    begin()
    for round in 0..<2 {
      live(acts: profile.actCount / 2)
      settle()
      compareAll()
      if round == 0 { clients.forEach { $0.isRetired = $0.session.isEnded } }
    }
    disperse()
    if let violation { throw violation }
  }

  private func begin() {
    while nodes.count < profile.nodeCount {
      run(for: 500)
      startNode()
    }
    if profile.isClustered { run(for: 1000) }
    if profile.sharesDefinitions {
      for kind in profile.saleKind.map({ [$0] }) ?? RandomDefinition.kinds { changeShared(kind) }
      run(for: 200)
      for _ in 0..<9 where profile.sells && newestShared.isEmpty {
        changeSale()
        run(for: 500)
      }
    }
    for _ in 0..<20 where records.count < profile.sessionCount {
      create()
      let end = clock.machine + (profile.isClustered ? 500 : 100)
      while records.count < profile.sessionCount, step(until: end) {}
      clock.advance(to: end)
    }
    guard !records.isEmpty else { return }
    for number in 0..<profile.clientCount {
      clients.append(
        SimulatedClient(
          number: number, session: random.pick(records),
          name: random.coin() ? nil : random.pick(["Ana", "Bo", "", "Cem"]),
          locale: random.once(in: 3) ? nil : random.pick(SimulatedTexts.tags),
          timeZone: profile.doMembersMark && random.coin()
            ? random.pick(SimulatedZones.names + ["Mars/Olympus"]) : nil,
          random: random.split()))
    }
  }

  /// Runs the phase of random actions, faults and crashes.
  private func live(acts: Int) {
    remainingActs = acts
    isCalm = false
    for client in clients {
      clock.add(.act(client: client.number), at: clock.machine + Int64(random.within(0...300)))
    }
    clock.add(.request, at: clock.machine + 500)
    if host.seconds != nil { clock.add(.host, at: clock.machine + 300) }
    if profile.doesClockJump { clock.add(.clockJump, at: clock.machine + 700) }
    if profile.doesStoreFail {
      var start = clock.machine
      for _ in 0..<random.within(1...6) {
        start += Int64(random.within(100...4000))
        clock.add(.storeFails(true), at: start)
        start += Int64(random.within(10...random.pick([20, 3000])))
        clock.add(.storeFails(false), at: start)
      }
    }
    database?.isTroubled = profile.isClustered
    if profile.isClustered { planHarm() }
    for _ in 0..<profile.crashCount {
      clock.add(.crash, at: clock.machine + Int64(random.within(100...profile.pauseMax * 20 + 200)))
    }
    let end = clock.machine + (profile.isClustered ? 60_000 : 600_000)
    while remainingActs > 0, !random.isExhausted, step(until: end) {}
    remainingActs = 0
  }

  /// Runs the quiet phase: no actions; all clients reconnect, and all messages arrive.
  private func settle() {
    for link in openLinks where link.isStream { drop(link, isHalfOpen: false) }
    database?.isTroubled = false
    if database?.isFailing == true {
      database?.isFailing = false
      lastTrouble = clock.machine
    }
    // Slow connections are closed after 10 s, half-open ones after 30 s.
    run(for: 45_000)
    isCalm = true
    for _ in 0..<3 {
      for client in clients where client.link == nil && !client.isRetired { dial(client) }
      run(for: 2000)
    }
    complete()
    // A client repeats a request for months that was refused with `tooMany` after a second.
    run(for: 1100)
    complete()
    if !isStill { breach("all work is completed: \(unfinished)") }
  }

  /// Runs until no work is in progress, for a minute at most.
  private func complete() {
    let end = clock.machine + 60_000
    while !isStill, step(until: end) {}
  }

  private func run(for milliseconds: Int64) {
    let end = clock.machine + milliseconds
    while step(until: end) {}
    clock.advance(to: end)
    enterAll { hub.timer(at: $0) }
  }

  /// Whether no work is in progress.
  private var isStill: Bool { inFlightCount == 0 && unfinished.isEmpty }

  /// The work that is still in progress.
  private var unfinished: [String] {
    var unfinished: [String] = []
    if nodes.count < profile.nodeCount { unfinished.append("a node to start") }
    for node in nodes where !node.isStill { unfinished.append("work of store \(node.number)") }
    if inFlightCount > 0 { unfinished.append("\(inFlightCount) in flight") }
    // If memory is short, a session may not be loaded while others have members.
    if !host.open.isEmpty, !profile.isMemoryShort {
      unfinished.append("\(host.open.count) decisions")
    }
    for node in nodes where node.requestCount > 0 {
      unfinished.append("\(node.requestCount) requests at \(node.number)")
    }
    if !background.isEmpty { unfinished.append("\(background.count) in the background") }
    if clockSetsUnanswered > 0 { unfinished.append("\(clockSetsUnanswered) settings of the clock") }
    for record in records {
      if resident(record.id)?.session.updates.isEmpty == false {
        unfinished.append("updates in \(record.id)")
      }
    }
    for link in openLinks where link.node?.hub?.isIdle(link.id) == false {
      unfinished.append("outbox of \(link.id.raw)")
    }
    return unfinished
  }

  /// The links that the hub considers open, in the order of opening.
  var openLinks: [Link] {
    links.values.filter { !$0.isGoneAtHub }.sorted { $0.id.raw < $1.id.raw }
  }

  /// Compares all sessions with their logs and all clients with their sessions.
  private func compareAll() {
    for hub in nodes.compactMap(\.hub) {
      for record in records {
        guard let session = hub.session(record.id), let replica = replicas[record.id] else {
          continue
        }
        compareWholly(session.fold, replica.fold)
        if let sentence = session.fold.picker._checkInvariants() { breach(sentence) }
        checkDescribed(session, record, hub)
        for listener in session.listeners
        where links[listener.connection.raw]?.isGoneAtHub != false {
          breach("every listener is connected: \(listener.connection.raw)")
        }
      }
    }
    for client in clients { compare(client) }
    checkStored()
    checkDecisions()
    if profile.sells { checkSale() }
  }

  private func compare(_ client: SimulatedClient) {
    guard let link = client.link, link.hasWelcome, link.closeCode == nil, !link.isHalfOpen,
      let hub = link.node?.hub, let session = hub.session(client.session.id)
    else { return }
    comparisonCount += 1
    do throws(ProtocolBreach) {
      try compare(client, link, session)
    } catch {
      breach(
        "client \(client.number): \(error.sentence); "
          + "\(hub.contents(of: client.session.id).map { "\($0)" } ?? "")")
    }
  }

  private func compare(
    _ client: SimulatedClient, _ link: Link, _ session: Session
  ) throws(ProtocolBreach) {
    let state = client.state
    guard state.connection == .live, let me = state.me?.id else {
      throw ProtocolBreach("a client with a welcome is live: \(state.connection)")
    }
    let count = nodes.count {
      $0.hub?.session(client.session.id)?.listener(of: MemberID(me)) != nil
    }
    guard count == 1 else {
      throw ProtocolBreach("a member is connected to one node, not \(count)")
    }
    guard state.revision == session.fold.revision else {
      throw ProtocolBreach("all clients are at revision \(session.fold.revision)")
    }
    guard link.expected.isEmpty, client.unsettled.isEmpty, state.pendingCount == 0 else {
      throw ProtocolBreach("every command is answered: \(link.expected), \(client.unsettled)")
    }
    let results = session.fold.definition.results
    guard results == nil || client.audience == Sight.Audience(results, state.me?.role.rawValue)
    else {
      throw ProtocolBreach("a member that may see more or less gets a snapshot")
    }
    guard !link.awaitsMonths else { throw ProtocolBreach("months whose cells moved come again") }
    try check(client, isThorough: true)
    let expected = members(of: session)
    guard state.memberTrees() == expected else {
      throw ProtocolBreach(
        "members are \(expected.values.map(\.shown).sorted()), not "
          + "\(state.memberTrees().values.map(\.shown).sorted())")
    }
    let touches = session.touches.filter { $0.key.text != me }.map(\.key.text).sorted()
    guard state.touching.keys.sorted() == touches else {
      throw ProtocolBreach(
        "touches are the session's: \(touches), \(state.touching.keys.sorted())")
    }
    let listener = session.listener(of: MemberID(me))
    guard listener?.connection == link.id else { throw ProtocolBreach("a live client listens") }
    if client.session.isCalendar, !client.isViewUnknown {
      try state.checkMonths(
        of: session.fold.picker, language(of: client), in: listener?.view)
    }
  }

  /// Checks that the hub has exactly the resources that a session's listeners need.
  private func checkDescribed(_ session: Session, _ record: SessionRecord, _ hub: Hub) {
    guard let contents = hub.contents(of: record.id) else { return }
    let members = session.fold.members.count
    if contents.steps != 0 { breach("no entry is pending for the log") }
    if contents.pending != members { breach("the count of members is correct: \(contents)") }
    if contents.connections != contents.listeners {
      breach("every connection is a listener's: \(contents)")
    }
    if contents.listeners + contents.absent != members {
      breach("every member is listening or absent: \(contents), \(members) members")
    }
  }
}
