import JSONText
import PickerClient
import PickerHost
import PickerHub
import PickerModel
import PickerSession

/// What clients of an availability may see, by the roles and the `results` of each revision.
extension World {
  /// - Parameter role: That of the client; `nil` for the one that the log gives it now. They differ
  ///   while the change is on its way to the client.
  private func audience(
    of client: SimulatedClient, at revision: Int, role: String?
  ) -> Sight.Audience? {
    guard let replica = replica(of: client), let truth = replica.truths[revision] else {
      return nil
    }
    let own = client.state.me.flatMap { replica.fold.members[MemberID($0.id)]?.role.rawValue }
    return Sight.Audience(
      truth.definition.results, role ?? own ?? client.state.me?.role.rawValue)
  }

  /// Whether a client may not know who has made a delta; `nil` if its role is being changed.
  func isHidden(_ delta: Delta, from client: SimulatedClient) -> Bool? {
    guard client.session.isAvailability, let author = delta.author,
      author.member.text != client.state.me?.id
    else { return false }
    switch author.command {
    case .act: break
    default: return false
    }
    let known = audience(
      of: client, at: delta.revision, role: client.state.me?.role.rawValue)
    guard let known, known == audience(of: client, at: delta.revision, role: nil) else {
      return nil
    }
    return known != .everything
  }

  /// Checks that a message has nothing that the client may not see.
  func checkHidden(
    _ message: JSONTree, type: String, _ client: SimulatedClient
  ) throws(ProtocolBreach) {
    guard let revision = message["revision"]?.integer,
      let ids = replica(of: client)?.memberIDs
    else { return }
    let me = message["member"]?["id"]?.string ?? client.state.me?.id
    let others = ids.filter { $0 != me }
    let mine = (message["members"]?.array ?? []).first { $0["id"]?.string == me }
    switch type {
    case "welcome", "snapshot":
      guard let snapshot = message["snapshot"], let role = mine?["role"]?.string,
        let audience = audience(of: client, at: revision, role: role)
      else { return }
      try MessageRules.check(snapshot, hides: audience, others: others)
    case "delta":
      let role = client.state.me?.role.rawValue
      guard let known = audience(of: client, at: revision, role: role),
        known == audience(of: client, at: revision, role: nil)
      else { return }
      let changes = JSONTree.object([.init("changes", message["changes"] ?? .null)])
      try MessageRules.check(changes, hides: known, others: others)
    default: break
    }
  }

  /// Records what the client's state was made for.
  func noteAudience(_ message: JSONTree, type: String, _ client: SimulatedClient) {
    let revision = client.state.revision
    guard
      let known = audience(of: client, at: revision, role: client.state.me?.role.rawValue)
    else { return }
    if message["snapshot"] != nil { return client.audience = known }
    let newest = audience(of: client, at: revision, role: nil)
    if client.audience == known, known == newest { return }
    // Everything, as before: it has become an owner before the results were hidden.
    if client.audience == newest { return }
    client.audience = nil
  }

  /// Checks that the log has a mark that was answered with a delta.
  func checkStored(_ ref: Int, _ client: SimulatedClient) throws(ProtocolBreach) {
    guard let bytes = client.sent[ref]?.bytes, let me = client.state.me?.id,
      let sent = try? JSONTree.parse(bytes), sent["type"] == .string("mark")
    else { return }
    guard replica(of: client)?.hasDone(sent, by: me) == true else {
      throw ProtocolBreach("an answered mark is in the log as it was sent: \(sent.shown)")
    }
  }
}

/// Calendars that hosts know.
extension World {
  func importMarks(into record: SessionRecord) {
    guard let replica = replicas[record.id] else { return }
    let known = replica.memberIDs.sorted()
    let member = known.isEmpty || random.once(in: 12) ? "m_nobody" : random.pick(known)
    let areDates = replica.fold.definition.document(full: true)["stepMinutes"] == nil
    let body = JSONTree.object(
      ["free", "tentative", "busy"].filter { _ in random.coin() }.map { name in
        .init(name, .array((0..<random.within(0...3)).map { _ in interval(areDates) }))
      })
    ask(record) { [self] time in
      hub.begin { host throws(HubProblem) in
        try await host.importMarks(
          body, of: MemberID(member), in: record.id, token: record.credential("owner"), at: time
        )
      } answer: { [unowned self] result in
        requestsUnanswered -= 1
        guard case .failure(let problem) = result else { return }
        switch problem {
        case .noSuchMember, .badBody: break
        case .refused(let refusal):
          let codes: [Rejection] = [.closed, .notOpen, .confirming, .full, .tooManyRuns]
          if !codes.contains(refusal.code) {
            breach("an import is refused for a reason: \(refusal)")
          }
        default: checkRefusal(problem, of: record)
        }
      }
    }
  }

  private func interval(_ areDates: Bool) -> JSONTree {
    let first = today.adding(days: random.within(-2...4)) ?? today
    let last = first.adding(days: random.below(3)) ?? first
    if areDates {
      return .object([.init("from", .string(first.iso)), .init("through", .string(last.iso))])
    }
    let hours = random.within(10...19)
    return .object([
      .init("from", .string("\(first.iso)T\(hours):\(random.pick(["00", "15", "30"]))")),
      .init("until", .string("\(last.iso)T\(hours + random.within(1...4)):00:00Z")),
    ])
  }
}
