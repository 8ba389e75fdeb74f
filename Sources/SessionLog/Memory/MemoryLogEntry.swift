import CivilTime
import PickerHub
import PickerModel
import PickerSession

/// An entry of a log in memory.
struct MemoryLogEntry: Sendable {
  /// The sequence number. The numbers of compacted entries are missing.
  let sequence: Int
  var entry: LogEntry
}

/// Some entries of a log in memory, and its snapshot.
struct MemoryRows: HistorySource, Sendable {
  /// The entries after a position.
  let entries: [MemoryLogEntry]
  let stored: (sequence: Int, state: SessionFold.StoredState)?

  func item(
    after sequence: Int, _ fold: borrowing SessionFold
  ) -> (sequence: Int, item: LogEntry)? {
    let index = entries.index(after: sequence)
    return index < entries.count ? (entries[index].sequence, entries[index].entry) : nil
  }

  func entry(_ item: LogEntry, after fold: borrowing SessionFold) -> LogEntry { item }

  func newestSnapshot() -> Int? { stored?.sequence }

  /// None: the entries before the snapshot are there, too.
  func snapshot(upTo revision: Int) -> Int? { nil }

  func state(at snapshot: Int, of origin: SessionOrigin) throws -> SessionFold.StoredState {
    guard let stored else { throw StoredProblem("there is no snapshot") }
    return stored.state
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
    partitionPoint { $0.sequence > sequence }
  }
}
