import HeapModule
import PickerSession

/// What the hub has to do at some time by the machine's clock. All of it in one heap: no session
/// and no connection has a timer of its own.
///
/// An entry is not removed by what makes it meaningless. When it is due the hub checks whether it
/// still means something; before that, ``compact(where:)`` removes those of ended things together.
struct TimerQueue {
  enum Timer {
    /// The connection must have joined.
    case join(ConnectionID)
    /// The connection must have read something since its outbox was dropped.
    case stalled(ConnectionID)
    /// The member must have come back.
    case absence(SessionID, MemberID)
    /// The session must have been touched.
    case expiry(SessionID)
    /// The session may leave memory if nobody is in it.
    case idle(SessionID)
    /// The session must be loaded.
    case load(SessionID)
    /// Presence may be broadcast.
    case presence(SessionID)
  }

  struct Entry: Comparable {
    let due: Int64
    /// Keeps entries of one instant in order.
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

  /// How many timers wait.
  var entryCount: Int { heap.count }

  mutating func add(_ timer: Timer, due: Int64) {
    count += 1
    heap.insert(Entry(due: due, number: count, timer: timer))
  }

  /// Removes the entries that mean nothing any more.
  mutating func compact(where isLive: (_ timer: Timer, _ due: Int64) -> Bool) {
    heap = Heap(heap.unordered.filter { isLive($0.timer, $0.due) })
  }

  /// Takes the first timer that is due at `now`.
  mutating func next(at now: Int64) -> Timer? {
    guard let first = heap.min, first.due <= now else { return nil }
    return heap.removeMin().timer
  }
}
