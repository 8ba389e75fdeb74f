import CivilTime
import PickerSession

/// The state of one session in its life. A session that the ``SessionDirectory`` has no state for
/// does not exist.
///
///     create ──▶ creating ── stored ──▶ resident ── evict ──▶ dormant ── load ──▶ loading
///                  │ lost                │ ▲ │ lost             ▲ ▲ │             │ │
///                  ▼                     │ │ └──────────────────┘ │ │     failed  │ │
///                (none)                  │ │                      └─┼─────────────┘ │
///                                        │ └────── loaded ──────────┼───────────────┘
///                                    end ▼                          ▼ end
///       dormant ◀── lost ───────────── ending                 endingDormant ── lost ──▶ dormant
///                                        │ stored                   │ stored
///                                        ▼                          ▼
///                                      (none)                     (none)
enum SessionLife {
  /// In memory; its creation waits for the log.
  case creating(HostedSession)
  /// In memory, and open to everything.
  case resident(HostedSession)
  /// In memory; its end is accepted and waits for the log. Nothing is done or answered any more.
  case ending(HostedSession)
  /// In the log only.
  case dormant(DormantState)
  /// In the log only; the log is folding it again.
  case loading(DormantState, LoadWaiters)
  /// In the log only; its end waits for the log.
  case endingDormant(DormantState)

  /// The session, if it is in memory.
  var hosted: HostedSession? {
    switch self {
    case .creating(let hosted), .resident(let hosted), .ending(let hosted): hosted
    case .dormant, .loading, .endingDormant: nil
    }
  }

  /// What is known of the session while it is in the log only and has not been ended.
  var dormant: DormantState? {
    switch self {
    case .dormant(let state), .loading(let state, _): state
    case .creating, .resident, .ending, .endingDormant: nil
    }
  }

  var isLoading: Bool { if case .loading = self { true } else { false } }

  /// Whether requests and connections find the session.
  var isOpen: Bool {
    switch self {
    case .creating, .resident, .dormant, .loading: true
    case .ending, .endingDormant: false
    }
  }
}

/// What the hub stores of a session that is in the log only.
struct DormantState {
  /// When its last revision or join was; machine milliseconds.
  let lastActivity: Int64
  let ttlSeconds: Int
  /// The instant for which a tick stands in the hub's queue.
  let queuedTick: Instant?
}

/// The requests that wait for a session to be loaded, in their order.
final class LoadWaiters {
  /// Each gets `nil` if the log cannot fold the session now.
  var bodies: [(HostedSession?) -> Void]

  init(_ first: @escaping (HostedSession?) -> Void) { bodies = [first] }
}

/// A session to be loaded when there is time for it.
struct BackgroundLoad {
  let session: SessionID
  /// What to do then; `nil`: bring the session to now.
  let body: ((HostedSession?) -> Void)?

  init(_ session: SessionID, body: ((HostedSession?) -> Void)? = nil) {
    self.session = session
    self.body = body
  }
}
