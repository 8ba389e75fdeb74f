import PickerModel
package import PickerSession

/// A connection: its phase, its credentials, and its pending messages.
///
/// The joining code changes ``phase``, ``Connections`` changes ``sending``, and the access code
/// changes ``token``. One thread uses a connection.
package final class HubConnection {
  package let id: ConnectionID
  let session: SessionID
  /// The cached session; valid while it is ``HostedSession/isInMemory``.
  var hosted: HostedSession?
  /// The token of the `Authorization` header, for clients that can set one; cleared by the join.
  var bearer: String?
  /// The verified member token, with `--auth keys`.
  var token = TokenExpiry()
  /// The ticket that admitted an event stream.
  var ticket: Ticket?
  var phase: Phase
  /// Its number among all that the hub has opened.
  var number = 0
  var sending = SendState()
  var rate = MessageRate()
  /// The texts in the language of this client.
  var texts: any RowTexts = EnglishTexts()
  /// Whether its join has been applied: it is a listener of its session.
  var isListening = false
  /// Whether it has sent `leave`. Later messages are ignored.
  var isLeaving = false
  /// Its `find`; `nil` before the first one.
  var finding: RowFinding?
  /// Whether it gets a snapshot with the next presence, because its member may see more or less.
  var needsSight = false

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
    /// A WebSocket that has sent its join; its commands are those of this member.
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
