import CivilTime
import HeapModule
import PickerSession

/// The next instants of all sessions, by the sessions' clock: a hundred thousand open pickers cost
/// one heap.
struct TickQueue {
  private struct Entry: Comparable {
    let instant: Instant
    let number: Int
    let session: SessionID

    static func < (left: Entry, right: Entry) -> Bool {
      (left.instant, left.number) < (right.instant, right.number)
    }

    static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
  }

  private var heap = Heap<Entry>()
  private var count = 0

  /// The first instant.
  var next: Instant? { heap.min?.instant }

  /// How many instants wait.
  var entryCount: Int { heap.count }

  mutating func add(_ session: SessionID, at instant: Instant) {
    count += 1
    heap.insert(Entry(instant: instant, number: count, session: session))
  }

  /// Removes the instants that are not their session's next any more.
  mutating func compact(where isLive: (_ session: SessionID, _ instant: Instant) -> Bool) {
    heap = Heap(heap.unordered.filter { isLive($0.session, $0.instant) })
  }

  /// Takes the first session whose instant has come.
  mutating func next(at now: Instant) -> (session: SessionID, instant: Instant)? {
    guard let first = heap.min, first.instant <= now else { return nil }
    _ = heap.removeMin()
    return (first.session, first.instant)
  }
}
