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

/// The entries of a log in memory, oldest first. They are in parts of which only the last one
/// grows, so that an append never moves a long log.
struct MemoryLogEntries {
  private var parts: [[MemoryLogEntry]] = []
  private var last: [MemoryLogEntry] = []
  private static let partCount = 256

  mutating func append(_ entry: consuming MemoryLogEntry) {
    if last.count >= MemoryLogEntries.partCount {
      parts.append(last)
      last = []
      last.reserveCapacity(MemoryLogEntries.partCount)
    }
    last.append(entry)
  }

  var all: [LogEntry] { (parts.joined() + last).map(\.entry) }

  /// The entries after a sequence number, at most `countMax`.
  func after(_ sequence: Int, countMax: Int = .max) -> [MemoryLogEntry] {
    var found: [MemoryLogEntry] = []
    for part in parts + [last] where part.last.map({ $0.sequence > sequence }) == true {
      found += part[part.index(after: sequence)...].prefix(countMax - found.count)
      if found.count >= countMax { break }
    }
    return found
  }

  /// Removes the entries after a sequence number.
  mutating func remove(after sequence: Int) -> [MemoryLogEntry] {
    let removed = after(sequence)
    last = last.isEmpty ? parts.popLast() ?? [] : last
    while let first = last.first, first.sequence > sequence { last = parts.popLast() ?? [] }
    last.removeSubrange(last.index(after: sequence)...)
    return removed
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
