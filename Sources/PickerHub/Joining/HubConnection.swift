import PickerModel
package import PickerSession
import PickerWire

/// One connection as the hub sees it: its member, its outbox and its message rate.
package final class HubConnection {
  package let id: ConnectionID
  let session: SessionID
  /// The session as it was found last; valid while it is ``HostedSession/isInMemory``.
  var hosted: HostedSession?
  /// From the `Authorization` header, where a client can set one; until it has joined.
  var bearer: String?
  var phase: Phase
  /// Whether the port has been asked not to read from it.
  var isPaused = false
  var outbox = Outbox()
  var rate = MessageRate()
  /// Texts of the member's own language.
  var texts: any RowTexts = EnglishTexts()

  /// The state of a connection.
  ///
  ///     WebSocket ──▶ silent ── message ──▶ waiting      while the session is being loaded
  ///                     │ ▲                    │
  ///                     │ └───── loaded ───────┘
  ///                     └── join ──▶ joined ──┐
  ///     event stream ──▶ watching ────────────┴──▶ closing      also from silent and waiting
  enum Phase {
    /// A WebSocket that has not joined.
    case silent
    /// A WebSocket whose first messages wait for its session, or its history, to be loaded.
    case waiting(Inbox)
    /// A WebSocket that gives the commands of its member, from its join message on. It is among the
    /// session's listeners as soon as the join has been applied.
    case joined(MemberID)
    /// An event stream: it receives everything and sends nothing.
    case watching
    /// Closed by the hub, or gone. It is no longer part of its session.
    case closing
  }

  /// Its member, from its join message on.
  var member: MemberID? { if case .joined(let member) = phase { member } else { nil } }
  var isClosing: Bool { if case .closing = phase { true } else { false } }

  init(id: ConnectionID, session: SessionID, bearer: String?, phase: Phase = .silent) {
    self.id = id
    self.session = session
    self.bearer = bearer
    self.phase = phase
  }
}

/// The messages of a connection whose session is being loaded.
final class Inbox {
  private(set) var messages: [[UInt8]] = []
  /// With what each message costs beside its bytes.
  private(set) var byteCount = 0

  func append(_ text: Span<UInt8>) {
    messages.append(text.withUnsafeBufferPointer { Array($0) })
    byteCount += text.count + 64
  }
}

/// How many messages came in the second that began with one of them.
struct MessageRate {
  private var windowStart: Int64 = -1000
  private var count = 0

  enum Verdict {
    case within, over, farOver
  }

  /// Counts one message.
  ///
  /// - Parameters:
  ///   - now: The machine's milliseconds.
  ///   - countMax: Messages of a second that are within the rate; ten times as many are far over.
  mutating func count(at now: Int64, countMax: Int) -> Verdict {
    if now - windowStart >= 1000 {
      windowStart = now
      count = 0
    }
    count += 1
    if count > 10 * countMax { return .farOver }
    return count > countMax ? .over : .within
  }
}
