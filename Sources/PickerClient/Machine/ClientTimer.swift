/// What a machine waits for. At most one of each.
enum ClientTimer: Int, CaseIterable, Sendable {
  case redial
  /// A welcome that does not come.
  case join
  /// An answer that does not come.
  case answer
  /// The snapshot that must follow a reply that is ahead of us.
  case catchUp
  /// A connection that lived this long starts the back-off anew.
  case steady
  /// Until the next touch may be told.
  case touch
  /// Asks again for what was refused for being too much at once.
  case look

  /// - Returns: `nil` for the one whose wait is decided each time.
  var milliseconds: Int64? {
    switch self {
    case .redial: nil
    case .join: 12_000
    case .answer: 10_000
    case .catchUp: 2_000
    case .steady: 5_000
    case .touch: 100
    case .look: 1_000
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

  /// Takes out one timer that is due, the earliest first.
  mutating func takeDue(at now: Int64) -> ClientTimer? {
    let first = due.filter { $0.value <= now }
      .min { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }
    if let first { due[first.key] = nil }
    return first?.key
  }
}
