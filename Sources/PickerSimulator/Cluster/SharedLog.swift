import PickerHub
import PickerSession

/// A log that several simulated nodes share, as in a database, which numbers the entries.
///
/// It simulates the faults that a node sees: late commits, commits with an unknown outcome, and
/// notifications that are late, reordered or lost.
final class SharedLog {
  /// A load of a session by a node. Only the records of its current load are a hub's own.
  struct Writer: Hashable {
    let node: NodeIncarnation
    let load: Int
  }

  struct Entry {
    let writer: Writer
    let entry: LogEntry
  }

  struct Stored {
    let origin: SessionOrigin
    /// The node that has created or adopted it, or appended its last entry.
    var servedBy: NodeIncarnation
    var entries: [Entry] = []
    var hasEnded = false
    /// The events of its entries in the feed.
    var events: [FeedEvent] = []
    /// The last entry whose events are in the feed.
    var eventSequence = FeedRecord.nothing
  }

  /// A deliberate bug of the log that the checkers must find.
  enum Defect {
    /// Entries of two nodes get the same number: each node sees its own first.
    case numberGivenTwice
    /// A node misses an entry of another node.
    case entryLeftOut
    /// The feed misses the events of an entry.
    case eventsLeftOut
    /// The feed has the events of an entry that both nodes report twice.
    case eventsTwice
  }

  let time: ClusterTime
  var random: RandomSource
  private(set) var sessions: [SessionID: Stored] = [:]
  private(set) var nodes: [NodeLog] = []
  let defect: Defect?
  /// Whether commits and look-ups can fail and notifications can be lost, for now.
  var isTroubled = true

  init(_ time: ClusterTime, _ random: RandomSource, defect: Defect?) {
    self.time = time
    self.random = random
    self.defect = defect
  }

  func join(_ node: NodeLog) { nodes.append(node) }

  func leave(_ node: NodeLog) { nodes.removeAll { $0 === node } }

  /// Makes a node responsible for the sessions of one that has stopped.
  func adopt(of stopped: NodeIncarnation, by node: NodeIncarnation) -> [DormantSession] {
    let orphans = sessions.filter { !$0.value.hasEnded && $0.value.servedBy == stopped }.keys
      .sorted { $0.text < $1.text }
    return orphans.map { session in
      sessions[session]?.servedBy = node
      return DormantSession(
        id: session, ttlSeconds: sessions[session]?.origin.ttlSeconds ?? 0, idleMilliseconds: 0,
        nextTick: nil, hasMembers: true)
    }
  }

  /// The session with an external id, unless it has ended.
  func owner(of external: String) -> SessionID? {
    sessions.values.first { !$0.hasEnded && $0.origin.host.external == external }?.origin.id
  }

  enum Outcome {
    case committed
    /// Another session has the external id of the new one.
    case refused
    /// The session has ended or was never created.
    case dropped
  }

  /// Appends a record to the log of the session, and notifies the other nodes.
  func commit(_ record: LogRecord, of session: SessionID, by writer: Writer) -> Outcome {
    switch record {
    case .created(let origin):
      if let external = origin.host.external, owner(of: external) != nil { return .refused }
      sessions[session] = Stored(origin: origin, servedBy: writer.node)
    case .entry(let entry):
      guard sessions[session]?.hasEnded == false else { return .dropped }
      sessions[session]?.entries.append(Entry(writer: writer, entry: entry))
      sessions[session]?.servedBy = writer.node
    case .ended:
      guard sessions[session]?.hasEnded == false else { return .dropped }
      sessions[session]?.hasEnded = true
    }
    for node in nodes where node.node != writer.node {
      if isTroubled && random.once(in: 5) { continue }
      time.after(random.within(0...60)) { [weak node] in node?.read(session) }
    }
    return .committed
  }

  /// Adds the events of an entry to the feed, once.
  ///
  /// - Returns: `false` if the events before them are missing.
  func feed(_ record: FeedRecord, of session: SessionID) -> Bool {
    guard let mark = sessions[session]?.eventSequence else { return true }
    guard record.sequence > mark || defect == .eventsTwice else { return true }
    guard record.previous <= mark else { return false }
    let leavesOut = defect == .eventsLeftOut && random.once(in: 4)
    if !leavesOut { sessions[session]?.events += record.events }
    sessions[session]?.eventSequence = max(mark, record.sequence)
    return true
  }

  /// Sends an announcement to all nodes, in the same order but with different delays.
  func announce(
    _ announcement: PresenceAnnouncement, of session: SessionID, by sender: NodeIncarnation
  ) {
    for node in nodes { node.receive(announcement, of: session, by: sender) }
  }
}
