import HeapModule

/// What is due at some time, in one heap: no session and no connection has a timer of its own.
///
/// Nothing is cancelled. When an entry is due, the hub checks whether its condition still holds;
/// ``compact(where:)`` removes those of ended sessions and connections in bulk.
struct DueQueue<Time: Comparable, Content> {
  private struct Entry: Comparable {
    let due: Time
    /// Orders entries of the same time.
    let number: Int
    let content: Content

    static func < (left: Entry, right: Entry) -> Bool {
      (left.due, left.number) < (right.due, right.number)
    }

    static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
  }

  private var heap = Heap<Entry>()
  private var count = 0

  /// When the first entry is due.
  var next: Time? { heap.min?.due }

  /// The number of queued entries.
  var entryCount: Int { heap.count }

  mutating func add(_ content: Content, due: Time) {
    count += 1
    heap.insert(Entry(due: due, number: count, content: content))
  }

  /// Removes the entries that are obsolete.
  mutating func compact(where isLive: (_ content: Content, _ due: Time) -> Bool) {
    heap = Heap(heap.unordered.filter { isLive($0.content, $0.due) })
  }

  /// Removes the first entry if it is due at `now`. Those of the same time come in the order in
  /// which they were added.
  mutating func next(at now: Time) -> (content: Content, due: Time)? {
    guard let first = heap.min, first.due <= now else { return nil }
    heap.removeMin()
    return (first.content, first.due)
  }
}
