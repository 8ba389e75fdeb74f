import PickerSession
import SessionLog

/// The backend of a host that sells elsewhere, too.
///
/// It sends a booking again with the same id as long as it has no answer, and sometimes later.
struct SimulatedSeller {
  struct Booking {
    let booking: HostBooking
    var state = State.unknown
    /// The request that has no answer yet.
    var request: Request?
  }

  enum State { case unknown, booked, gone }

  struct Request: Hashable {
    let node: Int
    let number: Int
  }

  var random: RandomSource
  /// By id.
  var bookings: [String: Booking] = [:]
  /// Counts the failovers, after which nothing is known.
  private(set) var timeline = 0
  private var requestCount = 0

  init(seed: UInt64) { random = RandomSource(seed: seed ^ 0x7365_6c6c) }

  /// What was answered may be lost.
  mutating func forget() {
    timeline += 1
    for id in bookings.keys { bookings[id]?.state = .unknown }
  }

  /// A node was killed: what it was asked may be done or not.
  mutating func lose(requestsTo node: Node) {
    for (id, booking) in bookings where booking.request?.node == node.number {
      bookings[id] = Booking(booking: booking.booking)
    }
  }

  /// Asks a node about a booking.
  mutating func ask(_ node: Node, about id: String) -> Request {
    requestCount += 1
    let request = Request(node: node.number, number: requestCount)
    bookings[id]?.request = request
    return request
  }

  /// - Returns: The booking that was asked for; `nil` if the node was killed before its answer.
  mutating func answered(_ request: Request, about id: String) -> Booking? {
    guard let known = bookings[id], known.request == request else { return nil }
    bookings[id]?.request = nil
    return known
  }
}
