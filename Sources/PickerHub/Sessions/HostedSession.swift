import CivilTime
import DequeModule
package import PickerSession

/// A session with what the hub keeps beside it.
package final class HostedSession {
  package let session: Session
  let id: SessionID
  /// Grows by one with each session of the hub: what is done to all is done in this order.
  let number: Int
  /// Where it is in its life. Only ``SessionDirectory`` sets it: it says what the directory's state
  /// says, so that a delivery does not look the session up.
  var phase = Phase.open
  /// What waits for the log, and what must not overtake it, in order.
  private(set) var steps: Deque<Step> = []
  /// About how much memory ``steps`` take.
  private(set) var stepByteCount = 0
  /// Whether connections are paused because ``stepByteCount`` is at its limit.
  var hasPausedConnections = false
  /// How many entries of the log have been applied.
  var entryCount = 0
  /// The entry count of the idle snapshot that the log has, if any.
  var idleSnapshotAt: Int?
  /// How many of them the last snapshot covers.
  var snapshotEntryCount = 0
  /// Entries since then that the next snapshot makes superfluous.
  var spent = SpentEntries()
  /// Whether the log refused the last record because it has reached its maximum of bytes.
  var isLogFull = false
  /// Whether the log may have recent deltas that ``SessionFold/history`` does not have.
  var isHistoryPartial = false
  /// What waits for them to be read.
  var historyWaiters: [(_ isRead: Bool) -> Void] = []
  /// Members that have joined as far as the log knows or will know.
  var memberCountPending = 0
  /// How many commands each member has given over HTTP in the second.
  var postRates: [MemberID: MessageRate] = [:]
  /// Whether a large change of the host is being made on another thread.
  var isPreparingHostChange = false
  /// Changes of the host that wait for that.
  var waitingHostChanges: [() -> Void] = []
  /// How often the host has changed the definition or the notes in the second.
  var hostRate = MessageRate()
  /// Since when each member without a connection has had none; machine milliseconds.
  var absentSince: [MemberID: Int64] = [:]
  /// The connection that speaks for each member, from its join message on.
  var connectionOfMember: [MemberID: ConnectionID] = [:]
  /// When the last revision or join was; machine milliseconds.
  var lastActivity: Int64
  /// The instant for which a tick stands in the hub's queue.
  var queuedTick: Instant?
  /// Whether a tick waits for the log.
  var isTickPending = false
  /// When presence was told last; machine milliseconds.
  var lastPresence: Int64 = .min / 2
  var isPresenceQueued = false

  /// Why the session ends, for its members.
  var endReason = "the session has ended"

  enum Phase {
    /// In memory, or about to be.
    case open
    /// In memory; its end is accepted and waits for the log.
    case ending
    /// The log has its end.
    case ended
    /// Evicted or lost: the directory may have another object for the same session by now.
    case unloaded
  }

  /// From the moment that its end is accepted nothing is done or answered.
  var isEnding: Bool { phase == .ending || phase == .ended }
  /// Whether it is the directory's object for its session.
  var isInMemory: Bool { phase == .open || phase == .ending }

  /// One thing to do, in the order of a session.
  enum Step {
    /// Apply an entry that the log has, or will have. The completion gets its effects, or `nil` if
    /// it is lost. `arrival` is when it was appended, a ``HubTime/machineNanoseconds``.
    case apply(LogEntry, arrival: Int64, (([SessionEffect]?) -> Void)?)
    /// Refuse a command that is not in the log.
    case refuse(UnstoredCommand, (([SessionEffect]?) -> Void)?)
    /// Connect a member.
    case attach(HubConnection, Attachment)
    /// Look at the session without changing it.
    case look((HostedSession) -> Void)
    /// Answer a request about the session; `nil` if it is not there any more.
    case request((HostedSession?) -> Void)
    /// The session exists.
    case created((_ isStored: Bool) -> Void)
    /// Tell everybody that it is over.
    case end((_ isStored: Bool) -> Void)

    var isTick: Bool {
      if case .apply(let entry, _, _) = self { entry.body == .tick } else { false }
    }

    /// Whether it waits for the log.
    var waitsForLog: Bool {
      switch self {
      case .apply, .created, .end: true
      case .refuse, .attach, .look, .request: false
      }
    }

    /// About how much memory it takes, with what it refers to.
    var byteCount: Int {
      switch self {
      case .apply(let entry, _, _): 256 + entry.body.textByteCount
      case .refuse(let unstored, _): 256 + unstored.command.textByteCount
      case .attach, .look, .request, .created, .end: 256
      }
    }
  }

  /// A command that is refused in its turn, without the log.
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
    /// The revision after which deltas are missing; `nil` for a new member.
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

  /// Takes all steps away.
  func takeSteps() -> Deque<Step> {
    defer { (steps, stepByteCount) = ([], 0) }
    return steps
  }

  /// Whether a command is refused for its member's role, whatever happens before its turn.
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

  /// Whether a change of the host waits for the log. Another one must not be checked before it is
  /// applied.
  var hasPendingHostChange: Bool {
    steps.contains { step in
      guard case .apply(let entry, arrival: _, _) = step else { return false }
      return switch entry.body {
      case .define, .note: true
      case .joined, .roleChanged, .left, .returned, .command, .tick: false
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
  /// Whether a member may have a role by this, where tokens give roles.
  fileprivate func mayGive(_ needed: Role, to member: MemberID) -> Bool {
    switch self {
    case .joined(let joining): joining.member == member && (joining.role ?? .owner) >= needed
    case .roleChanged(let changed, let role): changed == member && role >= needed
    // Without a role it has the one that it had.
    case .returned(let returned, let role): returned == member && (role ?? .owner) >= needed
    case .left, .command, .define, .note, .tick: false
    }
  }

  /// Whether somebody may become an owner by this, where the order of joining gives roles.
  fileprivate var mayChangeOwners: Bool {
    switch self {
    case .joined, .roleChanged, .left, .returned: true
    case .command, .define, .note, .tick: false
    }
  }

  /// Bytes of texts that came from a client.
  var textByteCount: Int {
    switch self {
    case .joined(let joining): joining.name.utf8.count
    case .command(_, ref: _, let command): command.textByteCount
    case .define(let change): 64 * change.definition.weight
    case .note(let patch): 64 * patch.valueCount
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
