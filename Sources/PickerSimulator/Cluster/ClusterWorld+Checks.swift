import PickerHub
import PickerSession
import PickerWire

/// The comparisons after the quiet phase.
extension ClusterWorld {
  /// The revisions of all sessions.
  var revisionCount: Int {
    sessions.compactMap { log.sessions[$0].flatMap(Truth.init)?.fold.revision }.reduce(0, +)
  }

  func compare() {
    if let sentence = breach { return fail(sentence) }
    for id in sessions {
      guard let stored = log.sessions[id], let truth = Truth(stored) else {
        return fail("a created session can be replayed")
      }
      if let sentence = truth.breach { return fail(sentence) }
      if stored.events != truth.events {
        fail(
          "the feed has each event of a session once, in order: \(stored.events.map(\.type)), not "
            + "\(truth.events.map(\.type))")
      }
      if id == columnsSession { checkRows(of: truth.fold) }
      for client in clients where client.session == id { compare(client, truth) }
      for node in nodes { compare(node, truth, id) }
    }
  }

  private func compare(_ client: ClusterClient, _ truth: Truth) {
    guard let member = client.member, client.isLive, client.connection != nil else {
      return fail("every client is back: client \(client.number)")
    }
    let id = MemberID(member.id)
    if truth.fold.members[id] == nil { fail("a connected client is a member: \(id)") }
    let nodeCount = nodes.count { $0.hub.session(client.session)?.listener(of: id) != nil }
    if nodeCount != 1 { fail("a member is connected to one node: \(id) to \(nodeCount)") }
    if !client.pending.isEmpty { fail("every command is answered: \(client.pending.map(\.ref))") }
    if client.revision != truth.fold.revision {
      fail("all clients are at revision \(truth.fold.revision): \(client.revision)")
    }
    for (ref, revision) in client.executed.sorted(by: { $0.key < $1.key })
    where truth.authors[Truth.Author(member: id, ref: ref)] != revision {
      fail("no answered command is lost: ref \(ref) of client \(client.number) at \(revision)")
    }
  }

  private func compare(_ node: ClusterNode, _ truth: Truth, _ id: SessionID) {
    guard let session = node.hub.session(id) else { return }
    if session.fold.state != truth.fold.state {
      fail(
        "all nodes have the state of the log: node \(node.number) is at revision "
          + "\(session.fold.revision), the log at \(truth.fold.revision)")
    }
    let live = Set(
      clients.filter { $0.session == id && $0.isLive }.compactMap { $0.member?.id })
    for member in session.fold.members.keys.sorted(by: { $0.text < $1.text })
    where session.isOnline(member) != live.contains(member.text) {
      fail("a member is online while it is connected to any node: \(member), at \(node.number)")
    }
  }
}

/// A session as its log alone says.
private struct Truth {
  struct Author: Hashable {
    let member: MemberID
    let ref: Int
  }

  private(set) var fold: SessionFold
  /// The revisions that commands made.
  private(set) var authors: [Author: Int] = [:]
  /// The events of all entries.
  private(set) var events: [FeedEvent]
  private(set) var breach: String?

  init?(_ stored: SharedLog.Stored) {
    guard let fold = try? SessionFold(stored.origin, limits: ServerLimits().session) else {
      return nil
    }
    self.fold = fold
    events = [fold.creationEvent]
    for entry in stored.entries {
      let outcomes = self.fold.apply(entry.entry)
      for outcome in outcomes {
        if let event = self.fold.event(of: outcome, at: entry.entry.at) { events.append(event) }
      }
      for case .delta(let delta) in outcomes {
        guard let by = delta.by else { continue }
        let author = Author(member: by, ref: delta.ref)
        if authors.updateValue(delta.revision, forKey: author) != nil {
          breach = "no command is done twice: ref \(delta.ref) of \(by)"
        }
      }
      if self.fold.members.count > ClusterNode.memberCountMax {
        breach = "a session has at most \(ClusterNode.memberCountMax) members"
      }
    }
  }
}
