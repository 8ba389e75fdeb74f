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
  var steps: Deque<Step> = []
  /// How many entries of the log have been applied.
  var entryCount = 0
  /// Members that have joined as far as the log knows or will know.
  var memberCountPromised = 0
  /// How many commands each member has given over HTTP in the second.
  var postRates: [MemberID: MessageRate] = [:]
  /// Since when each member without a connection has had none; machine milliseconds.
  var absentSince: [MemberID: Int64] = [:]
  /// The connection that speaks for each member, from its join message on.
  var connectionOfMember: [MemberID: ConnectionID] = [:]
  /// When the last revision or join was; machine milliseconds.
  var lastActivity: Int64
  /// The instant for which a tick stands in the hub's queue.
  var queuedTick: Instant?
  /// Whether a tick waits for the log.
  var isTickPromised = false
  /// When presence was told last; machine milliseconds.
  var lastPresence: Int64 = .min / 2
  var isPresenceQueued = false

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
    /// Apply what the log has, or will have, and say what came of it; `nil` if it is lost.
    case apply(LogEntry, heard: (([SessionEffect]?) -> Void)?)
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
      if case .apply(let entry, _) = self { entry.body == .tick } else { false }
    }

    /// Whether it waits for the log.
    var waitsForLog: Bool {
      switch self {
      case .apply(let entry, _): entry.isKept
      case .created, .end: true
      case .attach, .look, .request: false
      }
    }
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

  /// Those of the members and of who watches, in the order of their ids.
  var connectionsInOrder: [ConnectionID] {
    let watching = session.listeners.filter { $0.member == nil }.map(\.connection)
    return (connectionOfMember.values + watching).sorted { $0.raw < $1.raw }
  }
}
