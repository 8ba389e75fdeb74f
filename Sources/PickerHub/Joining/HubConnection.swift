import PickerModel
package import PickerSession
import PickerWire

/// The hub's state of a connection: its phase, its outbox and its message rate.
package final class HubConnection {
  package let id: ConnectionID
  let session: SessionID
  /// The cached session; valid while it is ``HostedSession/isInMemory``.
  var hosted: HostedSession?
  /// The token of the `Authorization` header, for clients that can set one; cleared by the join.
  var bearer: String?
  /// The verified member token, with `--auth keys`.
  var token: MemberToken?
  /// The ticket that admitted an event stream.
  var ticket: Ticket?
  /// When the connection is closed because of its token, as ``HubTime/machine``.
  var tokenEndsAt: Int64?
  /// When the first queued timer checks that.
  var queuedTokenEnd: Int64?
  var phase: Phase
  /// Whether the port does not read from it; see ``HubPort/pause(_:)``.
  var isPaused = false
  var outbox = Outbox()
  var rate = MessageRate()
  /// The texts in the language of this client.
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
    /// A WebSocket that has sent its join; its commands are its member's. It is a listener of the
    /// session as soon as the join has been applied.
    case joined(MemberID)
    /// An event stream: it receives everything and sends nothing.
    case watching
    /// Closed by the hub or by the peer. It is no longer part of its session.
    case closing
  }

  /// The member, from the join message on.
  var member: MemberID? { if case .joined(let member) = phase { member } else { nil } }
  var isClosing: Bool { if case .closing = phase { true } else { false } }

  init(id: ConnectionID, session: SessionID, bearer: String?, phase: Phase = .silent) {
    self.id = id
    self.session = session
    self.bearer = bearer
    self.phase = phase
  }
}

/// The buffered messages of a connection whose session is being loaded.
final class Inbox {
  private(set) var messages: [[UInt8]] = []
  /// The bytes of the messages, plus 64 for the overhead of each.
  private(set) var byteCount = 0

  func append(_ text: Span<UInt8>) {
    messages.append(text.withUnsafeBufferPointer { Array($0) })
    byteCount += text.count + 64
  }
}

/// A message rate limit over windows of one second. A window begins with a message.
struct MessageRate {
  private var windowStart: Int64 = -1000
  private var count = 0

  enum Verdict {
    case within, over, farOver
  }

  /// Counts one message.
  ///
  /// - Parameters:
  ///   - now: The monotonic clock in milliseconds.
  ///   - countMax: The limit of messages a second. More than ten times as many are `farOver`.
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
