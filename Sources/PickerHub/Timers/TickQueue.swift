import CivilTime
import HeapModule
import PickerSession

/// The next instants of all sessions by the sessions' clock, in one heap.
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

  /// The earliest instant.
  var next: Instant? { heap.min?.instant }

  /// The number of queued instants.
  var entryCount: Int { heap.count }

  mutating func add(_ session: SessionID, at instant: Instant) {
    count += 1
    heap.insert(Entry(instant: instant, number: count, session: session))
  }

  /// Removes the entries that are obsolete.
  mutating func compact(where isLive: (_ session: SessionID, _ instant: Instant) -> Bool) {
    heap = Heap(heap.unordered.filter { isLive($0.session, $0.instant) })
  }

  /// Removes the earliest entry if its instant has been reached. Equal instants come in the order
  /// in which they were added.
  mutating func next(at now: Instant) -> (session: SessionID, instant: Instant)? {
    guard let first = heap.min, first.instant <= now else { return nil }
    _ = heap.removeMin()
    return (first.session, first.instant)
  }
}
