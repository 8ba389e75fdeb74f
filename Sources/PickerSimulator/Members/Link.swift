import PickerSession

/// One WebSocket of a client, with its way there and its way back.
///
/// Each way keeps the order; different links overtake each other.
final class Link {
  enum Pace {
    case quick
    /// The socket is full after one of so many frames, for at most so many milliseconds.
    case slow(fullOneIn: Int, milliseconds: Int)
  }

  let id: ConnectionID
  /// The client's number.
  let client: Int
  let session: SessionID
  let pace: Pace
  let openedAt: Int64
  /// When the last message of each way arrives.
  var upArrival: Int64
  var downArrival: Int64

  // As the hub has been told.
  /// Whether the hub has heard that it is gone.
  var isGoneAtHub = false
  /// What the hub closed it with.
  var closeCode: UInt16?
  /// Whether the socket holds a frame that is not out.
  var isFull = false
  /// Nothing that is sent arrives any more, and nobody says so.
  var isHalfOpen = false
  /// The session's revision when the welcome was sent.
  var attachRevision: Int?
  /// The missed deltas that were there then.
  var missed: [Delta] = []

  // What its client did, which is why it may be closed.
  var hasJoined = false
  var resumeRevision: Int?
  var didLeave = false
  var didMisbehave = false
  var didFlood = false
  var hasBadCredentials = false
  /// The message on its way that must close it.
  var fatal: [UInt8]?
  var mustClose: Bool { fatal != nil }

  // What its client expects.
  var hasWelcome = false
  /// The token that its join shows.
  var joinToken: String?
  /// The revision of the last delta or snapshot over it.
  var revision = 0
  /// The months of the last `months` message, whose bands it is sent.
  var shownMonths: Set<String> = []
  /// It asked for another epoch than the session's.
  var hasWrongEpoch = false
  /// Refs in the order in which they will be answered.
  var expected: [Int] = []
  /// Months, rows and touches that may have been refused.
  var looseCount = 0

  init(
    _ id: ConnectionID, client: Int, session: SessionID, pace: Pace, at now: Int64
  ) {
    self.id = id
    self.client = client
    self.session = session
    self.pace = pace
    openedAt = now
    upArrival = now
    downArrival = now
  }

  /// Whether it said that it is a member that there was before.
  var hasResumed: Bool { resumeRevision != nil }

  /// Whether it reads later than it could.
  var isSlow: Bool { if case .slow = pace { true } else { isHalfOpen } }
}
