import JSONText
import PickerHub
import PickerModel
import PickerSession

/// The entries of one session: the rows of a database, those in memory, or the lines of a file.
protocol EntrySource {
  /// An entry that is not decoded yet.
  associatedtype Item
  /// The first entry after a sequence number; `nil` if there is none.
  ///
  /// - Parameter fold: The state with all entries up to `sequence`.
  mutating func item(
    after sequence: Int, _ fold: borrowing SessionFold
  ) throws -> (sequence: Int, item: Item)?
  /// Decodes an entry.
  ///
  /// - Parameter fold: The state before the entry: a patch of a definition is applied to it.
  func entry(_ item: Item, after fold: borrowing SessionFold) throws -> LogEntry
}

/// Applies the entries of a session, one after the other, from any position on.
///
/// It stops at each snapshot that it crosses, so that its user can continue from the state there.
/// Compaction deletes entries before a snapshot that make no deltas. Without the refs that they
/// added, which the snapshot has, later commands that repeat them would be executed twice.
struct EntryCursor<Source: EntrySource> {
  private(set) var fold: SessionFold
  /// The sequence number of the last entry that was applied, or of the last snapshot if that is
  /// later.
  private(set) var sequence: Int
  private(set) var source: Source
  /// The sequence numbers of the snapshots ahead, ascending.
  private var snapshots: ArraySlice<Int>

  typealias Next = (sequence: Int, entry: LogEntry)
  /// Returns the state from which to continue at a snapshot; `nil`: from the one of the entries.
  typealias Crossing = (
    _ snapshot: Int, _ fold: borrowing SessionFold
  ) throws -> SessionFold.StoredState?

  /// - Parameters:
  ///   - sequence: The sequence number of the last entry in `fold`.
  ///   - snapshots: The snapshots to stop at, ascending. Those before `sequence` are ignored.
  init(
    _ fold: SessionFold, after sequence: Int = 0, of source: Source, snapshots: [Int] = []
  ) {
    self.fold = fold
    self.sequence = sequence
    self.source = source
    self.snapshots = snapshots.drop { $0 < sequence }
  }

  /// The next entry, for ``apply(_:)``; `nil` at the end.
  ///
  /// - Parameter crossing: Called at each snapshot before the entry, or before the end.
  /// - Throws: ``StoredProblem`` if an entry after the last snapshot is missing, or the source's
  ///   error.
  mutating func next(crossing: Crossing = { _, _ in nil }) throws -> Next? {
    let next = try source.item(after: sequence, fold)
    while let snapshot = snapshots.first, next.map({ $0.sequence > snapshot }) ?? true {
      snapshots.removeFirst()
      if let state = try crossing(snapshot, fold) {
        fold = SessionFold(fold.origin, limits: fold.limits, state: state, history: fold.history)
      }
      sequence = max(sequence, snapshot)
    }
    guard let next else { return nil }
    guard next.sequence == sequence + 1 || !snapshots.isEmpty else {
      throw StoredProblem("entry \(sequence + 1) of session \(fold.origin.id.shortened) is missing")
    }
    return (next.sequence, try source.entry(next.item, after: fold))
  }

  mutating func apply(_ next: Next) -> [Effect] {
    sequence = next.sequence
    return fold.apply(next.entry)
  }
}
