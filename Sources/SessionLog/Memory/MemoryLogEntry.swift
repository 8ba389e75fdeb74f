import PickerHub
import PickerModel
import PickerSession

/// An entry of a log in memory.
struct MemoryLogEntry: Sendable {
  /// The sequence number. The numbers of compacted entries are missing.
  let sequence: Int
  var entry: LogEntry

  /// A page of the history; see ``StoredHistory/page(from:_:make:)``.
  ///
  /// - Parameter entries: The entries after the position.
  static func page(
    of entries: [MemoryLogEntry], _ snapshot: (sequence: Int, state: SessionFold.StoredState)?,
    from start: HistoryPosition
  ) -> HistoryPage? {
    var position = start
    var deltas: [Delta] = []
    for entry in entries {
      if position.isDone || deltas.count >= HistoryPosition.deltaCountMax { break }
      if let snapshot, position.sequence <= snapshot.sequence, entry.sequence > snapshot.sequence {
        guard position.fold.revision == snapshot.state.revision else { return nil }
        position.adopt(snapshot.state, sequence: snapshot.sequence)
      }
      position.apply(entry.entry, sequence: entry.sequence, &deltas)
    }
    if position.sequence == start.sequence && !position.isDone { return nil }
    return HistoryPage(deltas: deltas, next: position.isDone ? nil : position)
  }
}

extension [MemoryLogEntry] {
  /// The index of the first entry after a sequence number.
  func index(after sequence: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
