import DequeModule

/// Divides the time of an event loop between the clients that send HTTP requests: those of one
/// client that are answered in an iteration have a maximum time. Its further ones are held until
/// the next iteration, in order.
///
/// A client sends the next request of a connection after the response, so that holding requests
/// slows it down. The last request may exceed the maximum, so that each is answered at some time.
struct RequestShares<Request> {
  private struct Share {
    /// What the requests answered in this iteration have taken.
    var nanoseconds: Int64 = 0
    var held: Deque<Request> = []
  }

  /// The clients of this iteration, and those with held requests.
  private var shares: [PeerNetwork: Share] = [:]
  /// The clients with held requests, in the order in which they continue.
  private var waiting: [PeerNetwork] = []

  /// About as long as a client's messages over WebSockets may take, see `ClientShares`.
  static var nanosecondsMax: Int64 { 500_000 }
  /// What receiving a request and sending its response take at least, beside answering it.
  static var nanosecondsEach: Int64 { 30_000 }
  private let heldMax: Int

  /// - Parameter heldMax: The maximum of held requests of a client. Each connection has one; but
  ///   those of connections that have ended stay, too.
  init(heldMax: Int) { self.heldMax = heldMax }

  var areHeld: Bool { !waiting.isEmpty }

  /// Whether a request of a client must wait for the next iteration.
  func mustHold(_ client: PeerNetwork) -> Bool {
    guard let share = shares[client] else { return false }
    return share.nanoseconds >= RequestShares.nanosecondsMax || !share.held.isEmpty
  }

  /// Counts a request that took `nanoseconds` to answer.
  mutating func add(_ nanoseconds: Int64, to client: PeerNetwork) {
    shares[client, default: Share()].nanoseconds += nanoseconds + RequestShares.nanosecondsEach
  }

  /// Holds a request.
  ///
  /// - Returns: `false` if too many of the client's are held.
  mutating func hold(_ request: Request, of client: PeerNetwork) -> Bool {
    let count = shares[client]?.held.count ?? 0
    guard count < heldMax else { return false }
    if count == 0 { waiting.append(client) }
    shares[client, default: Share()].held.append(request)
    return true
  }

  /// An iteration has ended.
  mutating func endIteration() {
    // Mostly there are none, and `filter` and `mapValues` would copy the empty dictionary.
    if shares.isEmpty { return }
    shares = shares.filter { !$0.value.held.isEmpty }.mapValues { Share(held: $0.held) }
  }

  /// Removes a held request of a client that has not used up its share of the iteration.
  mutating func next() -> (client: PeerNetwork, request: Request)? {
    let maximum = RequestShares.nanosecondsMax
    guard let index = waiting.firstIndex(where: { shares[$0]!.nanoseconds < maximum }) else {
      return nil
    }
    let client = waiting[index]
    let request = shares[client]!.held.removeFirst()
    if shares[client]!.held.isEmpty { waiting.remove(at: index) }
    return (client, request)
  }
}
