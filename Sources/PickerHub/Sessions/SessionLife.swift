/// The state of a session. A session without a state in the ``SessionDirectory`` does not exist or,
/// with a cluster's log is not this node's: see ``Hub/mayExist(_:)``.
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
