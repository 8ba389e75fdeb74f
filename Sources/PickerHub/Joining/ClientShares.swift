import DequeModule

/// The network of a client: the address, or the /64 of addresses, of which the server limits the
/// connections.
package struct ClientID: Hashable, Sendable {
  package let raw: UInt64

  package init(raw: UInt64) { self.raw = raw }
}

/// What one client may cost in an event-loop iteration, over all its connections and sessions.
final class ClientShare {
  fileprivate var connectionCount = 0
  /// The cost of the messages that were handled in `iteration`, or were pending when it began.
  fileprivate var cost = 0
  /// The cost of the handled messages that wait for the log.
  var pendingCost = 0
  fileprivate var iteration = 0
  /// The connections with held messages, in the order in which they continue.
  fileprivate var waiting: Deque<HubConnection> = []
}

/// Divides the time of the event loop between clients: the messages of one client that are handled
/// in an iteration, together with those that wait for the log, have a maximum cost. Its further
/// messages are held until the next iteration: two of each connection, of which the hub then reads
/// nothing more. A client that has all connections of the loop has no maximum.
///
/// The cost is counted in deliveries to one listener, a few microseconds each. The last message
/// may exceed the maximum, so that every message is handled at some time.
final class ClientShares {
  private var shares: [ClientID: ClientShare] = [:]
  private var connectionCount = 0
  private var iteration = 0
  /// The clients with waiting connections.
  private var waitingClients: [ClientShare] = []

  /// The maximum cost of a client in an iteration.
  static let costMax = 100
  /// The cost of a message without its deliveries.
  static let messageCost = 20

  /// Whether a client has a maximum: some connections are not its own.
  func isLimited(_ share: ClientShare) -> Bool { share.connectionCount < connectionCount }

  /// Adds a new connection, with or without a known client.
  func insert(_ connection: HubConnection) {
    connectionCount += 1
    guard let client = connection.client else { return }
    let share = shares[client] ?? ClientShare()
    shares[client] = share
    share.connectionCount += 1
    connection.share = share
  }

  func remove(_ connection: HubConnection) {
    connectionCount -= 1
    guard let client = connection.client, let share = connection.share else { return }
    share.connectionCount -= 1
    if share.connectionCount == 0 { shares[client] = nil }
  }

  /// Until all posted frames are written, several event-loop iterations count as one.
  func endIteration() { iteration &+= 1 }

  /// Counts the cost of a handled message.
  func add(_ cost: Int, to share: ClientShare) {
    begin(share)
    share.cost += cost
  }

  /// Whether a message of a client must be held.
  ///
  /// - Parameter isNext: Whether it is the turn of its connection among the waiting ones.
  func mustHold(_ share: ClientShare, isNext: Bool) -> Bool {
    guard isLimited(share) else { return false }
    begin(share)
    return share.cost >= ClientShares.costMax || !isNext && !share.waiting.isEmpty
  }

  private func begin(_ share: ClientShare) {
    guard share.iteration != iteration else { return }
    share.iteration = iteration
    share.cost = share.pendingCost
  }
}

/// Waiting connections.
extension ClientShares {
  var areWaiting: Bool { !waitingClients.isEmpty }

  /// Whether a waiting connection can continue in the next iteration.
  var canContinue: Bool {
    waitingClients.contains { !isLimited($0) || $0.pendingCost < ClientShares.costMax }
  }

  func wait(_ connection: HubConnection, for share: ClientShare) {
    if share.waiting.isEmpty { waitingClients.append(share) }
    share.waiting.append(connection)
  }

  /// Removes a waiting connection, in the order of waiting, whose client has not used up its share
  /// of the iteration.
  func next() -> HubConnection? {
    guard let index = waitingClients.firstIndex(where: { !mustHold($0, isNext: true) }) else {
      return nil
    }
    let share = waitingClients[index]
    let connection = share.waiting.removeFirst()
    if share.waiting.isEmpty { waitingClients.remove(at: index) }
    return connection
  }

  /// Removes a waiting connection that was closed.
  func forget(_ connection: HubConnection, of share: ClientShare) {
    share.waiting.removeAll { $0 === connection }
    if share.waiting.isEmpty { waitingClients.removeAll { $0 === share } }
  }
}
