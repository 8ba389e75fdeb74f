import CivilTime
import HeapModule
import PickerHub

/// The clock and the scheduled work of a simulated cluster. Work of the same time runs in the order
/// in which it was added.
final class ClusterTime {
  private struct Entry: Comparable {
    let time: Int64
    let number: Int
    let work: () -> Void

    static func < (left: Entry, right: Entry) -> Bool {
      (left.time, left.number) < (right.time, right.number)
    }

    static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
  }

  private var heap = Heap<Entry>()
  private(set) var eventCount = 0
  private var addedCount = 0
  private(set) var machine: Int64 = 0

  /// Friday, 2026-11-20, 12:00:50 in UTC, and the machine's time since then: the first tick of a
  /// slot is 10 s later.
  var now: HubTime {
    HubTime(session: Instant(milliseconds: 1_795_176_050_000 + machine), machine: machine)
  }

  func after(_ milliseconds: Int, _ work: @escaping () -> Void) {
    addedCount += 1
    heap.insert(
      Entry(time: machine + Int64(max(0, milliseconds)), number: addedCount, work: work))
  }

  /// Runs the work until a time, in machine milliseconds, while a condition holds.
  func run(until end: Int64, while condition: () -> Bool = { true }) {
    while condition(), let next = heap.min, next.time <= end {
      heap.removeMin()
      machine = max(machine, next.time)
      eventCount += 1
      next.work()
    }
    if condition() { machine = max(machine, end) }
  }
}
