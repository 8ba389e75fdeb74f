/// The timers of a machine. Each can be set at most once.
enum ClientTimer: Int, CaseIterable, Sendable {
  /// The next attempt to connect.
  case redial
  /// Time limit for opening the socket, and then for the welcome.
  case join
  /// Time limit for the next answer while commands are pending.
  case answer
  /// Time limit for the snapshot that must follow a reply ahead of this client's revision.
  case catchUp
  /// The age at which a connection counts as stable, so that the back-off starts again from the
  /// beginning.
  case steady
  /// The minimum time between two touches.
  case touch
  /// The delay before what was refused with `tooMany` is sent again.
  case look
  /// The time without a message after which the connection is checked: not every transport shows
  /// the server's pings.
  case quiet
  /// Time limit for a message after a check.
  case probe
  /// The time of the next request for a token.
  case renew

  /// The duration of the timer; `nil` for ``redial`` and ``renew``, whose delays vary.
  var milliseconds: Int64? {
    switch self {
    case .redial, .renew: nil
    case .join: 12_000
    case .answer: 10_000
    case .catchUp: 2_000
    case .steady: 5_000
    case .touch: 100
    case .look: 1_000
    case .quiet: 15_000
    case .probe: 4_500
    }
  }
}

/// The instants at which timers fire.
struct ClientTimers: Sendable {
  private var due: [ClientTimer: Int64] = [:]

  var next: Int64? { due.values.min() }

  mutating func set(_ timer: ClientTimer, at instant: Int64) { due[timer] = instant }
  mutating func clear(_ timer: ClientTimer) { due[timer] = nil }
  mutating func clearAll() { due = [:] }
  func isSet(_ timer: ClientTimer) -> Bool { due[timer] != nil }

  /// Removes and returns the earliest timer that is due; `nil` if none is.
  mutating func takeDue(at now: Int64) -> ClientTimer? {
    let first = due.filter { $0.value <= now }
      .min { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }
    if let first { due[first.key] = nil }
    return first?.key
  }
}
