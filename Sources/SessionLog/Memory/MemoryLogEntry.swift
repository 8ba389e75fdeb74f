import PickerHub
import PickerModel
import PickerSession

/// An entry of a log in memory.
struct MemoryLogEntry: Sendable {
  /// Its sequence number; those of compacted entries are missing.
  let place: Int
  var entry: LogEntry

  /// As ``SQLiteHistory/page(from:_:)``.
  ///
  /// - Parameter entries: Those after the position.
  static func page(
    of entries: [MemoryLogEntry], _ snapshot: (place: Int, kept: SessionFold.StoredState)?,
    from start: HistoryPosition
  ) -> HistoryPage? {
    var position = start
    var deltas: [Delta] = []
    for entry in entries {
      if position.isDone || deltas.count >= HistoryPosition.deltaCountMax { break }
      if let snapshot, position.place <= snapshot.place, entry.place > snapshot.place {
        guard position.fold.revision == snapshot.kept.revision else { return nil }
        position.adopt(snapshot.kept, place: snapshot.place)
      }
      position.apply(entry.entry, place: entry.place, &deltas)
    }
    if position.place == start.place && !position.isDone { return nil }
    return HistoryPage(deltas: deltas, next: position.isDone ? nil : position)
  }
}

extension [MemoryLogEntry] {
  /// The index of the first entry after a sequence number.
  func index(after place: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].place <= place { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
