import DequeModule

/// Divides the time of an event loop between addresses: what one address sends, TLS handshakes,
/// HTTP requests and WebSocket messages, has a maximum time in an iteration, over all its
/// connections and sessions. The rest is held until the next iteration, in order, and its sender is
/// not read meanwhile. While a large session's frames are sent in parts, an iteration here ends
/// when all are written.
///
/// What waits for the log counts in each iteration until it is done: it may all be done in one. The
/// last item may exceed the maximum, so that each is handled at some time.
final class AddressShares<Item> {
  /// What one address uses.
  final class Share {
    fileprivate let address: PeerNetwork
    /// The time of what was handled in `iteration`.
    fileprivate var spent: Int64 = 0
    fileprivate var iteration = 0
    /// The time that what waits for the log will need, an estimate.
    fileprivate var waiting: Int64 = 0
    fileprivate var held: Deque<Item> = []

    fileprivate init(_ address: PeerNetwork) { self.address = address }

    fileprivate var isUsedUp: Bool { spent + waiting >= AddressShares.nanosecondsMax }
    /// Whether what the address sends now must be held.
    var mustHold: Bool { isUsedUp || !held.isEmpty }

    /// Counts what was done in `nanoseconds`, beside `deliveryCount` deliveries of together
    /// `byteCount` bytes.
    func add(_ nanoseconds: Int64, deliveryCount: Int = 0, byteCount: Int = 0) {
      spent +=
        nanoseconds + Int64(deliveryCount) * AddressShares.nanosecondsPerDelivery
        + Int64(byteCount) / AddressShares.bytesPerNanosecond
    }
  }

  /// The maximum time of an address in an iteration.
  static var nanosecondsMax: Int64 { 250_000 }
  /// What receiving a message, or a request of another loop, and answering it take beside handling
  /// it.
  static var nanosecondsEach: Int64 { 30_000 }
  /// What sending to one listener takes at the end of the iteration.
  static var nanosecondsPerDelivery: Int64 { 5_000 }
  /// How many bytes are sent in a nanosecond, rounded from measurements.
  static var bytesPerNanosecond: Int64 { 1 }

  private var shares: [PeerNetwork: Share] = [:]
  /// The shares that were used last, by the last byte of their addresses: a hash would take as long
  /// as a hundredth of a tap.
  private var recent = [Share?](repeating: nil, count: 256)
  /// The number of shares at which those that are not in use are removed.
  private var countMax = 64
  /// Those with held items, in the order in which they continue.
  private var holding: [Share] = []
  private var iteration = 0
  private let heldMax: Int

  /// - Parameter heldMax: The maximum of held items of an address. Each connection has one; but
  ///   those of connections that have ended stay, too.
  init(heldMax: Int) { self.heldMax = heldMax }

  /// The shares in memory, those included that are no longer in use.
  var count: Int { shares.count }

  subscript(address: PeerNetwork) -> Share {
    let place = Int(UInt8(truncatingIfNeeded: address.raw))
    if let share = recent[place], share.address == address {
      begin(share)
      return share
    }
    let share = shares[address] ?? insert(address)
    recent[place] = share
    begin(share)
    return share
  }

  private func insert(_ address: PeerNetwork) -> Share {
    if shares.count >= countMax {
      shares = shares.filter { share in
        share.value.iteration == iteration || share.value.waiting > 0 || !share.value.held.isEmpty
      }
      recent = [Share?](repeating: nil, count: recent.count)
      countMax = max(64, 2 * shares.count)
    }
    let share = Share(address)
    shares[address] = share
    return share
  }

  private func begin(_ share: Share) {
    if share.iteration == iteration { return }
    share.iteration = iteration
    share.spent = 0
  }

  /// Counts a message that waits for the log, and will then be delivered to `listenerCount`
  /// listeners.
  ///
  /// - Returns: To be called when that is done.
  func wait(_ share: Share, listenerCount: Int) -> () -> Void {
    let nanoseconds =
      AddressShares.nanosecondsEach + Int64(listenerCount) * AddressShares.nanosecondsPerDelivery
    share.waiting += nanoseconds
    return { [self] in
      share.waiting -= nanoseconds
      begin(share)
      share.spent += nanoseconds
    }
  }

  /// Holds an item.
  ///
  /// - Returns: `false` if too many of the address are held.
  func hold(_ item: Item, of share: Share) -> Bool {
    guard share.held.count < heldMax else { return false }
    if share.held.isEmpty { holding.append(share) }
    share.held.append(item)
    return true
  }

  /// Begins an iteration with what is held, as much as the shares permit.
  ///
  /// - Parameters:
  ///   - all: Whether everything is handled, whatever the shares are.
  ///   - body: Handles an item, and adds its time to the share.
  /// - Returns: Whether anything was handled.
  func beginIteration(all: Bool = false, _ body: (Item, Share) -> Void) -> Bool {
    iteration &+= 1
    if holding.isEmpty { return false }
    var hasHandled = false
    for share in holding {
      begin(share)
      while all || !share.isUsedUp, let item = share.held.popFirst() {
        hasHandled = true
        body(item, share)
      }
    }
    holding.removeAll { $0.held.isEmpty }
    return hasHandled
  }
}
