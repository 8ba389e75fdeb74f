import CivilTime
import HeapModule
import PickerSession

/// When a hold or an offer ends.
struct ClaimEnd: Comparable {
  let until: Instant
  let id: ClaimID

  init(_ until: Instant, _ id: ClaimID) { (self.until, self.id) = (until, id) }

  static func < (left: ClaimEnd, right: ClaimEnd) -> Bool { left.until < right.until }
}

/// Ends of holds and offers, the earliest first. Those of claims that have another end by now are
/// dropped when they are first, or too many.
struct ClaimEnds {
  private var heap = Heap<ClaimEnd>()
  private var countMax = 64

  var isEmpty: Bool { heap.isEmpty }

  mutating func insert(_ end: ClaimEnd, _ isCurrent: (ClaimEnd) -> Bool) {
    heap.insert(end)
    guard heap.count > countMax else { return }
    // An end that was extended and set back may be there twice.
    var known: Set<ClaimID> = []
    heap = Heap(heap.unordered.filter { isCurrent($0) && known.insert($0.id).inserted })
    countMax = 2 * heap.count + 64
  }

  /// The earliest current end.
  mutating func first(_ isCurrent: (ClaimEnd) -> Bool) -> ClaimEnd? {
    while let first = heap.min {
      if isCurrent(first) { return first }
      heap.removeMin()
    }
    return nil
  }

  mutating func removeFirst() { heap.removeMin() }
}
