import HeapModule
import PickerModel
import PickerSession

/// The hub's timers by the monotonic clock, in one heap: no session and no connection has a timer
/// of its own.
///
/// A timer is not cancelled. When it is due, the hub checks whether its condition still holds;
/// ``compact(where:)`` removes the timers of ended sessions and connections in bulk.
struct TimerQueue {
  enum Timer {
    /// Close the connection if it has not joined.
    case join(ConnectionID)
    /// Close the connection if its token has expired.
    case token(ConnectionID)
    /// Close the connection if it has not read since its updates were dropped.
    case stalled(ConnectionID)
    /// Search for rows, which had to wait.
    case find(ConnectionID)
    /// Make the member leave if it has not reconnected.
    case absence(SessionID, MemberID)
    /// End the session if its time to live has expired.
    case expiry(SessionID)
    /// Evict the session if it has no members.
    case idle(SessionID)
    /// Load the session.
    case load(SessionID)
    /// Tick the session again, after the log has refused a tick.
    case tick(SessionID)
    /// Let the session follow its shared definition again.
    case follow(SessionID)
    /// Broadcast the pending presence updates.
    case presence(SessionID)
  }

  struct Entry: Comparable {
    let due: Int64
    /// Orders entries of the same time.
    let number: Int
    let timer: Timer

    static func < (left: Entry, right: Entry) -> Bool {
      (left.due, left.number) < (right.due, right.number)
    }

    static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
  }

  private var heap = Heap<Entry>()
  private var count = 0

  /// When the first timer is due, in machine milliseconds.
  var nextDue: Int64? { heap.min?.due }

  /// The number of queued timers.
  var entryCount: Int { heap.count }

  mutating func add(_ timer: Timer, due: Int64) {
    count += 1
    heap.insert(Entry(due: due, number: count, timer: timer))
  }

  /// Removes the entries that are obsolete.
  mutating func compact(where isLive: (_ timer: Timer, _ due: Int64) -> Bool) {
    heap = Heap(heap.unordered.filter { isLive($0.timer, $0.due) })
  }

  /// Removes the first timer that is due at `now`.
  mutating func next(at now: Int64) -> Timer? {
    guard let first = heap.min, first.due <= now else { return nil }
    return heap.removeMin().timer
  }
}
