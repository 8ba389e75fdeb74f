import HeapModule
import PickerSession

/// A scheduled event of a simulated world.
enum Event {
  /// A client acts at random.
  case act(client: Int)
  /// A client's timer fires. Ignored unless `setting` is the last one.
  case clientTimer(client: Int, setting: Int)
  case reachHub(ConnectionID, Upward)
  case reachClient(ConnectionID, Downward)
  /// A socket is writable again.
  case writable(ConnectionID)
  /// The hub's timer fires. Ignored unless `setting` is the last one.
  case hubTimer(setting: Int)
  /// The log confirms some of the pending records.
  case logStores(SessionID)
  /// The log has loaded a session.
  case logLoads(SessionID)
  /// The log has read a page of a history.
  case logReads
  /// Work on another thread has finished.
  case background(Int)
  /// The sessions' clock is set.
  case clockJump
  /// The log starts failing (`true`) or recovers.
  case logFails(Bool)
  /// An HTTP request to read or delete a session.
  case request
  /// The host decides on confirmations.
  case host
  /// The server process is killed and restarted.
  case crash
}

/// Something that reaches the hub from a client.
enum Upward {
  case opened(bearer: String?)
  case text([UInt8])
  case closed
}

/// Something that reaches a client from the hub.
enum Downward {
  case opened
  case frame([UInt8])
  case closed(code: UInt16)
}

/// The scheduled events in the order of the machine's time. Events of the same time keep the order
/// in which they were added.
struct EventQueue {
  private struct Entry: Comparable {
    let time: Int64
    let number: Int
    let event: Event

    static func < (left: Entry, right: Entry) -> Bool {
      (left.time, left.number) < (right.time, right.number)
    }

    static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
  }

  private var heap = Heap<Entry>()
  private var count = 0

  mutating func add(_ event: Event, at time: Int64) {
    count += 1
    heap.insert(Entry(time: time, number: count, event: event))
  }

  /// The time of the next event; `nil` if there is none.
  var nextTime: Int64? { heap.min?.time }

  mutating func next() -> (time: Int64, event: Event)? {
    heap.popMin().map { ($0.time, $0.event) }
  }
}
