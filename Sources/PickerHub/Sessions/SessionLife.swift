import CivilTime
import PickerSession

/// The state of a session. A session without a state in the ``SessionDirectory`` does not exist.
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
  /// In memory; its creation is appended, but not stored yet.
  case creating(HostedSession)
  case resident(HostedSession)
  /// In memory; its end is appended, but not stored yet. The hub applies and answers nothing.
  case ending(HostedSession)
  /// In the log only.
  case dormant(DormantState)
  /// In the log only; the log is reloading it.
  case loading(DormantState, LoadWaiters)
  /// In the log only; its end is appended, but not stored yet.
  case endingDormant(DormantState)

  /// The session, if it is in memory.
  var hosted: HostedSession? {
    switch self {
    case .creating(let hosted), .resident(let hosted), .ending(let hosted): hosted
    case .dormant, .loading, .endingDormant: nil
    }
  }

  /// The state of the session, if it is in the log only and not about to end.
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

/// The state that the hub retains of a session that is in the log only.
struct DormantState {
  /// The time of its last revision or join, in machine milliseconds.
  let lastActivity: Int64
  let ttlSeconds: Int
  /// `nil` if it is known only after loading the session.
  let status: SessionStatus?
  /// The instant of the tick in the hub's queue, if any.
  let queuedTick: Instant?
  /// Whether the last load failed.
  var isUnreadable = false
  /// Whether a timer will try to load it again.
  var isRetryQueued = false
}

/// A request that waits for a session to be loaded.
struct LoadWaiter {
  /// Whether the request deletes the session. Then it is loaded even if the memory is full, so that
  /// hosts can make room.
  let isDeletion: Bool
  /// Receives `nil` if the log cannot reload the session, or there is no memory for it.
  let body: (HostedSession?) -> Void
}

/// The requests that wait for a session to be loaded, in order.
final class LoadWaiters {
  var all: [LoadWaiter]

  init(_ first: LoadWaiter) { all = [first] }
}

/// A queued load that no request waits for.
struct BackgroundLoad {
  let session: SessionID
  /// Called when the session is loaded; `nil`: a due tick is applied.
  let body: ((HostedSession?) -> Void)?

  init(_ session: SessionID, body: ((HostedSession?) -> Void)? = nil) {
    self.session = session
    self.body = body
  }
}
