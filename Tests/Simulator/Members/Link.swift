import PickerSession

/// A WebSocket between a client and the hub.
///
/// Messages of one link and direction arrive in order; those of different links can overtake each
/// other.
final class Link {
  enum Pace {
    case quick
    /// On average one in `fullOneIn` frames makes the socket write-blocked, for at most
    /// `milliseconds`.
    case slow(fullOneIn: Int, milliseconds: Int)
  }

  let id: ConnectionID
  /// The number of the client; `nil`: it is an event stream.
  let client: Int?
  var isStream: Bool { client == nil }
  let session: SessionID
  let pace: Pace
  let openedAt: Int64
  /// The arrival times of the last messages in both directions.
  var upArrival: Int64
  var downArrival: Int64

  /// The node that the client has connected to.
  var entrance: Node?
  /// The node whose hub has the connection; `nil` until that is decided.
  var node: Node?
  /// What has arrived meanwhile.
  var waiting: [Upward] = []

  // The state from the hub's point of view.
  /// Whether the hub knows that the connection is closed.
  var isGoneAtHub = false
  /// The code with which the hub closed the connection.
  var closeCode: UInt16?
  /// Whether the socket is write-blocked.
  var isFull = false
  /// Whether messages to the client are lost without an error.
  var isHalfOpen = false
  /// The session's revision when the welcome was sent.
  var attachRevision: Int?
  /// The deltas that the client had missed then.
  var missed: [Delta] = []

  // Actions of the client, which justify that the hub closes the connection.
  var hasJoined = false
  var resumeRevision: Int?
  var didLeave = false
  var didMisbehave = false
  var didFlood = false
  var hasBadCredentials = false
  /// A message in flight that must make the hub close the connection.
  var fatal: [UInt8]?
  var mustClose: Bool { fatal != nil }

  // The expectations of the client.
  var hasWelcome = false
  /// The token in the client's join.
  var joinToken: String?
  /// The revision of the last delta or snapshot on this connection.
  var revision = 0
  /// The months of the last `months` message, for which the server sends bands.
  var shownMonths: Set<String> = []
  /// Whether a definition has moved the cells of these months, so that they must be sent again.
  var awaitsMonths = false
  /// Whether a snapshot has come after the last presence: the next one may repeat its members.
  var hasNewMembers = false
  /// Whether the join had a wrong epoch.
  var hasWrongEpoch = false
  /// The unanswered refs in the order in which they must be answered.
  var expected: [Int] = []
  /// The number of sent messages without ref, each of which can be refused.
  var looseCount = 0

  init(
    _ id: ConnectionID, client: Int?, session: SessionID, pace: Pace, at now: Int64
  ) {
    self.id = id
    self.client = client
    self.session = session
    self.pace = pace
    openedAt = now
    upArrival = now
    downArrival = now
  }

  /// Whether the join tried to resume.
  var hasResumed: Bool { resumeRevision != nil }

  /// Whether the client reads slowly or not at all.
  var isSlow: Bool { if case .slow = pace { true } else { isHalfOpen } }
}
