import CivilTime
import DequeModule
package import PickerSession

/// A session in memory, with the hub's state about it.
package final class HostedSession {
  package let session: Session
  let id: SessionID
  /// A serial number: operations on all sessions run in its order, so that they are reproducible.
  let number: Int
  /// A copy of the directory's state of this session, so that a delivery need not look it up. Only
  /// ``SessionDirectory`` sets it.
  var phase = Phase.open
  /// The queue of the session: entries whose append is pending, and all later steps, in order.
  /// Empty while no append is pending; the first step always waits for the log.
  private(set) var steps: Deque<Step> = []
  /// The memory of ``steps`` in bytes, an estimate.
  private(set) var stepByteCount = 0
  /// Whether connections are paused because ``stepByteCount`` is at its limit.
  var hasPausedConnections = false
  /// The number of entries of the log that have been applied.
  var entryCount = 0
  /// The ``entryCount`` at which the log has an idle snapshot, if any.
  var idleSnapshotAt: Int?
  /// The number of entries that the last snapshot covers.
  var snapshotEntryCount = 0
  /// Entries after the last snapshot that the next one makes superfluous.
  var spent = SpentEntries()
  /// The sequence number of the last entry whose events were handed to the log.
  var eventSequence = FeedRecord.nothing
  /// Whether the log refused the last record because it has reached its maximum size.
  var isLogFull = false
  /// Whether the log may have recent deltas that ``SessionFold/history`` does not have.
  var isHistoryPartial = false
  /// The completions of a running read of these deltas.
  var historyWaiters: [(_ isRead: Bool) -> Void] = []
  /// The number of members after all pending joins and returns. The limit of members is checked
  /// against it.
  var memberCountPending = 0
  /// The rates of commands that members post over HTTP.
  var postRates: [MemberID: MessageRate] = [:]
  /// Whether a large change of the host is being evaluated on another thread.
  var isPreparingHostChange = false
  /// Changes of the host that wait for ``isPreparingHostChange`` to end.
  var waitingHostChanges: [() -> Void] = []
  /// The rate of changes of the definition and the notes.
  var hostRate = MessageRate()
  /// For each offline member, the time since it has no connection, in machine milliseconds.
  var absentSince: [MemberID: Int64] = [:]
  /// The current connection of each member, from its join message on.
  var connectionOfMember: [MemberID: ConnectionID] = [:]
  /// With `oneMember`, the joins that are pending, by subject.
  var joiningSubjects: [String: LogEntry.Joining] = [:]
  /// The time of the last revision or join, in machine milliseconds.
  var lastActivity: Int64
  /// The instant of the tick in the hub's queue, if any.
  var queuedTick: Instant?
  /// Whether the append of a tick is pending.
  var isTickPending = false
  /// The time of the last broadcast of presence, in machine milliseconds.
  var lastPresence: Int64 = .min / 2
  var isPresenceQueued = false

  /// Why the session ends.
  var end = SessionEnd.deleted

  /// The detail of the error that members receive when the session ends.
  var endDetail: String {
    switch end {
    case .deleted, .expired: "the session has ended"
    case .full: "the session has ended: its log has reached its maximum size"
    }
  }

  enum Phase {
    /// In memory, or about to be.
    case open
    /// In memory; its end is appended, but not stored yet.
    case ending
    /// The log has stored its end.
    case ended
    /// Evicted or lost. The directory may have another object for the same session.
    case unloaded
  }

  /// Whether its end was appended. From then on the hub applies and answers nothing.
  var isEnding: Bool { phase == .ending || phase == .ended }
  /// Whether it is the directory's object for its session.
  var isInMemory: Bool { phase == .open || phase == .ending }

  /// A step of the session's queue.
  enum Step {
    /// Apply an entry when the log has stored it. The completion receives its effects, or `nil` if
    /// it is lost. `arrival` is the time of the append, a ``HubTime/machineNanoseconds``.
    case apply(LogEntry, arrival: Int64, (([SessionEffect]?) -> Void)?)
    /// Refuse a command that is not appended to the log.
    case refuse(UnstoredCommand, (([SessionEffect]?) -> Void)?)
    /// Make a connection a listener.
    case attach(HubConnection, Attachment)
    /// Read the session; skipped if it has ended or was unloaded.
    case look((HostedSession) -> Void)
    /// Answer a request about the session; `nil` if it has ended or was unloaded.
    case request((HostedSession?) -> Void)
    /// Complete a creation.
    case created((_ isStored: Bool) -> Void)
    /// Close all connections and remove the session.
    case end((_ isStored: Bool) -> Void)

    var isTick: Bool {
      if case .apply(let entry, _, _) = self { entry.body == .tick } else { false }
    }

    /// Whether it waits for a record of its own to be stored. The others wait for the steps before
    /// them only.
    var waitsForLog: Bool {
      switch self {
      case .apply, .created, .end: true
      case .refuse, .attach, .look, .request: false
      }
    }

    /// Its memory in bytes including referenced objects, an estimate.
    var byteCount: Int {
      switch self {
      case .apply(let entry, _, _): 256 + entry.body.textByteCount
      case .refuse(let unstored, _): 256 + unstored.command.textByteCount
      case .attach, .look, .request, .created, .end: 256
      }
    }
  }

  /// A command that is refused in order, but not appended to the log.
  struct UnstoredCommand {
    let member: MemberID
    let ref: Int
    let command: Command
    let limit: ExceededLimit?
  }

  struct Attachment {
    let member: MemberID
    let secret: String
    let language: Int
    let view: MonthView?
    /// The last revision that the client has; `nil` for a new member or another epoch.
    let resumeAfter: Int?
  }

  init(_ session: Session, number: Int, at time: HubTime) {
    self.session = session
    id = session.id
    self.number = number
    lastActivity = time.machine
  }

  func append(_ step: Step) {
    stepByteCount += step.byteCount
    steps.append(step)
  }

  func removeFirstStep() {
    stepByteCount -= steps.removeFirst().byteCount
  }

  /// Removes and returns all steps.
  func takeSteps() -> Deque<Step> {
    defer { (steps, stepByteCount) = ([], 0) }
    return steps
  }

  /// Whether a command is certain to be refused because of its member's role: the role is too low,
  /// and no pending step can change it.
  func isBarred(_ command: Command, of member: MemberID) -> Bool {
    let needed = command.roleNeeded
    // Without tokens nobody is a viewer.
    guard needed > (session.hasTokens ? .viewer : .editor) else { return false }
    if let role = session.role(of: member), role >= needed { return false }
    return !steps.contains { step in
      guard case .apply(let entry, _, _) = step else { return false }
      return session.hasTokens
        ? entry.body.mayGive(needed, to: member) : entry.body.mayChangeOwners
    }
  }

  /// Whether the append of a change of the host is pending. The next change must not be checked
  /// before it is applied.
  var hasPendingHostChange: Bool {
    steps.contains { step in
      guard case .apply(let entry, arrival: _, _) = step else { return false }
      return switch entry.body {
      case .define, .note, .settle: true
      case .joined, .roleChanged, .left, .returned, .command, .tick, .revoked: false
      }
    }
  }

  /// The connections of members and event streams, in the order of their ids.
  var connectionsInOrder: [ConnectionID] {
    let watching = session.listeners.filter { $0.member == nil }.map(\.connection)
    return (connectionOfMember.values + watching).sorted { $0.raw < $1.raw }
  }
}

extension LogEntry.Body {
  /// Whether this entry can give a member at least a role, in a session whose tokens grant roles.
  fileprivate func mayGive(_ needed: Role, to member: MemberID) -> Bool {
    switch self {
    case .joined(let joining): joining.member == member && (joining.role ?? .owner) >= needed
    case .roleChanged(let changed, let role): changed == member && role >= needed
    // Without a role the member gets its former one.
    case .returned(let returned, let role): returned == member && (role ?? .owner) >= needed
    case .left, .command, .define, .note, .settle, .tick, .revoked: false
    }
  }

  /// Whether this entry can make a member the owner, in a session without tokens, where the member
  /// that joined first is the owner.
  fileprivate var mayChangeOwners: Bool {
    switch self {
    case .joined, .roleChanged, .left, .returned: true
    case .command, .define, .note, .settle, .tick, .revoked: false
    }
  }

  /// The size of the texts from a client, in bytes.
  var textByteCount: Int {
    switch self {
    case .joined(let joining):
      [joining.name, joining.subject, joining.info, joining.meta].reduce(0) {
        $0 + ($1?.utf8.count ?? 0)
      }
    case .revoked(let revocation):
      if case .subject(let subject) = revocation.target { subject.utf8.count } else { 64 }
    case .command(_, ref: _, let command): command.textByteCount
    case .define(let change): 64 * change.definition.weight
    case .note(let patch): 64 * patch.valueCount
    case .settle(let settle):
      settle.op.utf8.count + (settle.data?.text.utf8.count ?? 0)
        + (settle.reason?.tree.serialized().count ?? 0)
    case .roleChanged, .left, .returned, .tick: 0
    }
  }
}

extension Command {
  var textByteCount: Int {
    switch self {
    case .select(let selection): selection.key?.utf8.count ?? 0
    case .unknown(let type): type.utf8.count
    case .tap, .clear, .undo, .redo, .confirm, .cancel, .reopen: 0
    }
  }
}
