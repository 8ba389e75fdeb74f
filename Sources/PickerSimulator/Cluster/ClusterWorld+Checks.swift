import CivilTime
import JSONText
import PickerHub
import PickerSession
import SessionLog

/// The comparisons after the quiet phase.
extension ClusterWorld {
  /// The revisions of all sessions.
  var revisionCount: Int {
    sessions.compactMap { try? replay($0).fold.revision }.reduce(0, +)
  }

  /// The epochs of all sessions and of the feed.
  var storedEpochs: [String] {
    let sql =
      "SELECT epoch FROM (SELECT epoch FROM session ORDER BY external) UNION ALL "
      + "SELECT epoch FROM feed"
    return (try? database.store.rows(sql) { row in try row[0] as String }) ?? []
  }

  func compare() {
    do {
      if !hasFailedOver, storedEpochs != epochs { fail("epochs stay while nothing can be lost") }
      let compacted = try sessions.map { try replay($0).fold }
      try restoreEntries()
      let events = try storedEvents()
      for (id, fold) in zip(sessions, compacted) {
        let truth = try Truth(id, replay)
        if let sentence = truth.breach { return fail(sentence) }
        if fold.state != truth.fold.state { fail("a compacted log gives the same state") }
        let types = events.filter { $0.session == id }.map(\.type)
        if types != truth.eventTypes {
          fail(
            "the feed has each event of a session once, in order: \(types), not "
              + "\(truth.eventTypes)")
        }
        if id == columnsSession { checkRows(of: truth.fold) }
        for client in clients where client.session == id { compare(client, truth) }
        for node in nodes { compare(node, truth, id) }
      }
    } catch {
      fail("the stored log can be replayed: \(error)")
    }
  }

  /// Replays the stored log, and compares its snapshots.
  private func replay(
    _ session: SessionID, each: @escaping (ReplayedEntry) -> Void = { _ in }
  ) throws -> ReplayReport {
    let settings = SQLReplay.Settings(
      revision: nil, limits: SessionLimits(), versions: FoldVersions(tzdata: nil),
      zone: { SimulatedZones().rules(named: $0) }, each: each)
    return try SQLReplay.replay("simulated", session, settings) { database.store }
  }

  /// Adds the entries that compaction has deleted.
  private func restoreEntries() throws {
    try database.store.run(
      script: """
        DROP TRIGGER entry_added;
        DELETE FROM entry;
        INSERT INTO entry SELECT * FROM journal WHERE session IN (SELECT number FROM session);
        UPDATE snapshot SET row_count = sequence;
        """)
  }

  private func storedEvents() throws -> [(session: SessionID, type: String)] {
    let rows = try database.store.rows(
      "SELECT position, type, id, '{' || CAST(body AS text) FROM event ORDER BY position"
    ) { row in
      (
        position: try row[0] as Int, type: try row[1] as String, id: try row[2] as String,
        body: try row[3] as String
      )
    }
    if rows.map(\.position) != Array(1..<rows.count + 1) { fail("feed positions have no gaps") }
    if Set(rows.map(\.id)).count != rows.count { fail("the feed has each event once") }
    return rows.map { row in
      let session = (try? JSONTree.parse(Array(row.body.utf8)))?["data"]?["session"]?.string
      return (SessionID(session ?? ""), row.type)
    }
  }

  /// Checks that every change of the host that was answered is in the definition, and none twice.
  private func checkRows(of fold: SessionFold) {
    let rows = fold.definition.document(full: true)["columns"]?.array?.last?.array ?? []
    let texts = rows.compactMap { $0.string ?? $0["text"]?.string }
    for (row, epoch) in addedRows where epoch == fold.origin.epoch && !texts.contains(row) {
      fail("no answered change of the host is lost: \(row)")
    }
    if Set(texts).count != texts.count { fail("no change of the host is done twice: \(texts)") }
  }

  private func compare(_ client: ClusterClient, _ truth: Truth) {
    guard let member = client.member, client.isLive, client.connection != nil else {
      return fail("every client is back: client \(client.number)")
    }
    let id = MemberID(member.id)
    if truth.fold.members[id] == nil { fail("a connected client is a member: \(id)") }
    let nodeCount = nodes.count { $0.hub?.session(client.session)?.listener(of: id) != nil }
    if nodeCount != 1 { fail("a member is connected to one node: \(id) to \(nodeCount)") }
    if !client.pending.isEmpty { fail("every command is answered: \(client.pending.map(\.ref))") }
    if member.epoch != truth.fold.origin.epoch { fail("all clients have the epoch of the log") }
    if client.revision != truth.fold.revision {
      fail("all clients are at revision \(truth.fold.revision): \(client.revision)")
    }
    for (ref, revision) in client.executed.sorted(by: { $0.key < $1.key })
    where truth.authors[Truth.Author(member: id, ref: ref)] != revision {
      fail("no answered command is lost: ref \(ref) of client \(client.number) at \(revision)")
    }
  }

  private func compare(_ node: ClusterNode, _ truth: Truth, _ id: SessionID) {
    guard let session = node.hub?.session(id) else { return }
    if session.fold.state != truth.fold.state {
      fail(
        "all nodes have the state of the log: node \(node.number) is at revision "
          + "\(session.fold.revision), the log at \(truth.fold.revision)")
    }
    let live = Set(
      clients.filter { $0.session == id && $0.isLive }.compactMap { $0.member?.id })
    for member in session.fold.members.keys.sorted(by: { $0.text < $1.text })
    where session.isOnline(member) != live.contains(member.text) {
      fail("a member is online while it is connected: \(member), at \(node.number)")
    }
  }
}

/// A session as its log alone says.
private struct Truth {
  struct Author: Hashable {
    let member: MemberID
    let ref: Int
  }

  let fold: SessionFold
  /// The revisions that commands made.
  private(set) var authors: [Author: Int] = [:]
  private(set) var eventTypes = [FeedEventType.created.rawValue]
  private(set) var breach: String?
  private var lastAt = Instant(milliseconds: 0)

  /// - Parameter replay: Replays all entries.
  init(
    _ id: SessionID,
    _ replay: (SessionID, @escaping (ReplayedEntry) -> Void) throws -> ReplayReport
  ) throws {
    var entries: [ReplayedEntry] = []
    let report = try replay(id) { entries.append($0) }
    fold = report.fold
    if let difference = report.difference { breach = "a snapshot is right: \(difference.detail)" }
    for replayed in entries { note(replayed) }
  }

  private mutating func note(_ replayed: ReplayedEntry) {
    for outcome in replayed.outcomes {
      if let event = replayed.fold.event(of: outcome, at: replayed.entry.at) {
        eventTypes.append(event.type.rawValue)
      }
      guard case .delta(let delta) = outcome else { continue }
      if delta.at < lastAt { breach = "the times of a session do not go back: \(delta.at)" }
      lastAt = delta.at
      guard let by = delta.by else { continue }
      let author = Author(member: by, ref: delta.ref)
      if authors.updateValue(delta.revision, forKey: author) != nil {
        breach = "no command is done twice: ref \(delta.ref) of \(by)"
      }
    }
    if replayed.fold.members.count > ClusterNode.memberCountMax {
      breach = "a session has at most \(ClusterNode.memberCountMax) members"
    }
  }
}
