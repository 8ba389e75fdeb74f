import Foundation
import JSONText
import PickerHub
import PickerModel
import PickerSession

/// Reading the history of a session in pages, from the rows of any store.
enum StoredHistory {
  /// Reads a page by applying entries from the position on.
  ///
  /// - Returns: `nil` if the log ends before the last wanted revision, or if applying the entries
  ///   up to the newest snapshot does not give its revision.
  static func page(
    from start: HistoryPosition, _ rows: some SessionRows, make: (JSONTree) -> Definition?
  ) throws -> HistoryPage? {
    var position = start
    if position.sequence == 0 { try begin(&position, rows, make) }
    let newest = try rows.newestSnapshotSequence()
    var deltas: [Delta] = []
    var count = 0
    var isBroken = false
    if !position.isDone {
      try rows.entries(after: position.sequence, through: .max) { sequence, body in
        count += 1
        if let newest, position.sequence <= newest, sequence > newest {
          // Continue from the snapshot. It contains the refs of earlier commands, which are needed
          // to recognize repeated commands in later entries. Compaction may have deleted the
          // entries with these refs.
          guard let newest = try rows.newestSnapshot(), position.fold.revision == newest.revision
          else {
            isBroken = true
            return false
          }
          position.adopt(
            try newest.state(of: start.origin, make: make), sequence: newest.sequence)
        }
        let entry = try rows.entry(body, after: position.fold.definition, make: make)
        position.apply(entry, sequence: sequence, &deltas)
        return !position.isDone && deltas.count < HistoryPosition.deltaCountMax
          && count < HistoryPosition.entryCountMax
      }
    }
    if isBroken || (count == 0 && !position.isDone) { return nil }
    return HistoryPage(deltas: deltas, next: position.isDone ? nil : position)
  }

  /// Begins at the last snapshot before the wanted deltas. If a later snapshot started a new epoch,
  /// begins there: with the current rules or zone database, the entries before it may give another
  /// state.
  private static func begin(
    _ position: inout HistoryPosition, _ rows: some SessionRows, _ make: (JSONTree) -> Definition?
  ) throws {
    guard let snapshot = try rows.snapshot(upTo: position.after) else { return }
    position.adopt(try snapshot.state(of: position.origin, make: make), sequence: snapshot.sequence)
  }
}
