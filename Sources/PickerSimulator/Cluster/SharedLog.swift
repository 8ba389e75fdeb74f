import PickerHub
import PickerSession

/// One log for several simulated nodes, as a database would be: it gives each entry its number.
///
/// Its faults are those that a node sees: records are committed late, the outcome of a commit is
/// unknown, and notifications are late, reordered or lost.
final class SharedLog {
  /// Identifies a load of a session by a node: only its records are the hub's own.
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
    var entries: [Entry] = []
    var hasEnded = false
  }

  /// A fault of the log that the checkers must find.
  enum Defect {
    /// Two entries of different nodes get the same number: each node sees its own.
    case numberGivenTwice
    /// A node does not get an entry of another one.
    case entryLeftOut
  }

  let time: ClusterTime
  var random: RandomSource
  private(set) var sessions: [SessionID: Stored] = [:]
  private(set) var nodes: [NodeLog] = []
  let defect: Defect?
  /// Whether commits have an unknown outcome and notifications are lost, at the moment.
  var isTroubled = true

  init(_ time: ClusterTime, _ random: RandomSource, defect: Defect?) {
    self.time = time
    self.random = random
    self.defect = defect
  }

  func join(_ node: NodeLog) { nodes.append(node) }

  func leave(_ node: NodeLog) { nodes.removeAll { $0 === node } }

  /// The living session with an external id.
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

  /// Appends a record in the one order of the session, and notifies the other nodes.
  func commit(_ record: LogRecord, of session: SessionID, by writer: Writer) -> Outcome {
    switch record {
    case .created(let origin):
      if let external = origin.host.external, owner(of: external) != nil { return .refused }
      sessions[session] = Stored(origin: origin)
    case .entry(let entry):
      guard sessions[session]?.hasEnded == false else { return .dropped }
      sessions[session]?.entries.append(Entry(writer: writer, entry: entry))
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

  /// Sends an announcement to all nodes in one order. Each receives it after a delay of its own.
  func announce(
    _ announcement: PresenceAnnouncement, of session: SessionID, by sender: NodeIncarnation
  ) {
    for node in nodes { node.receive(announcement, of: session, by: sender) }
  }
}
