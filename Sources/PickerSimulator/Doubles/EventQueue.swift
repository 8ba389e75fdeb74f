import HeapModule
import PickerSession

/// What happens next in the world.
enum Event {
  /// A client does something.
  case act(client: Int)
  /// A machine's timer; only the one that was set last counts.
  case clientTimer(client: Int, setting: Int)
  case reachHub(ConnectionID, Upward)
  case reachClient(ConnectionID, Downward)
  /// The socket has room again.
  case writable(ConnectionID)
  /// The hub's one timer; only the one that was set last counts.
  case hubTimer(setting: Int)
  /// The log has some of what was appended.
  case logStores(SessionID)
  /// The log has folded a session again.
  case logLoads(SessionID)
  /// The log has read a page of a history.
  case logReads
  /// Somebody puts the sessions' clock.
  case clockJump
  /// The log cannot store, or can again.
  case logFails(Bool)
  /// Somebody asks, creates or deletes by HTTP.
  case request
  /// The process ends, and another begins.
  case crash
}

/// What a client sends.
enum Upward {
  case opened(bearer: String?)
  case text([UInt8])
  case closed
}

/// What the hub sends.
enum Downward {
  case opened
  case frame([UInt8])
  case closed(code: UInt16)
}

/// The events to come, by the machine's time; those of one instant in the order in which they were
/// added.
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

  /// When the next event happens.
  var nextTime: Int64? { heap.min?.time }

  mutating func next() -> (time: Int64, event: Event)? {
    heap.popMin().map { ($0.time, $0.event) }
  }
}
