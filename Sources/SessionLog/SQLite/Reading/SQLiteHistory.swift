import Foundation
import GRDB
import JSONText
package import PickerHub
import PickerModel
import PickerSession

/// Reading the history of a session in pages.
extension SQLiteSessionLog {
  package func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void
  ) {
    historyQueue.async {
      let page = try? self.pool.read { database in
        try SQLiteHistory.page(from: position, database, make: self.definitions.make(_:))
      }
      self.notify(.run(position.origin.id) { completion(page ?? nil) })
    }
  }
}

enum SQLiteHistory {
  /// Reads a page by applying entries from the position on.
  ///
  /// - Returns: `nil` if the session has ended, if the log ends before the last wanted revision, or
  ///   if applying the entries up to the newest snapshot does not give the snapshot's revision.
  static func page(
    from start: HistoryPosition, _ database: Database, make: (JSONTree) -> Definition?
  ) throws -> HistoryPage? {
    let id = start.origin.id
    guard let number: Int64 = try SQLiteReading.session(id, database)?["number"] else {
      return nil
    }
    var position = start
    if position.sequence == 0 { try begin(&position, number, database, make) }
    let newest = try StoredSnapshot.newestSequence(of: number, database)
    let rows = try Row.fetchCursor(
      database,
      sql: "SELECT place, body FROM entry WHERE session = ? AND place > ? ORDER BY place LIMIT ?",
      arguments: [number, position.sequence, HistoryPosition.entryCountMax])
    var deltas: [Delta] = []
    var count = 0
    while !position.isDone, deltas.count < HistoryPosition.deltaCountMax,
      let row = try rows.next()
    {
      count += 1
      let sequence: Int = row[0]
      if let newest, position.sequence <= newest, sequence > newest {
        // Continue from the snapshot. It contains the refs of earlier commands, which are needed to
        // recognize repeated commands in later entries. Compaction may have deleted the entries
        // with these refs.
        guard let newest = try StoredSnapshot.newest(of: number, database),
          position.fold.revision == newest.revision
        else { return nil }
        position.adopt(try newest.state(of: start.origin, make: make), sequence: newest.sequence)
      }
      let entry = try SQLiteReading.entry(
        row[1], of: id, after: position.fold.definition, database, make: make)
      position.apply(entry, sequence: sequence, &deltas)
    }
    if count == 0 && !position.isDone { return nil }
    return HistoryPage(deltas: deltas, next: position.isDone ? nil : position)
  }

  /// Begins at the last snapshot before the wanted deltas. If a later snapshot started a new epoch,
  /// begins there: with the current rules or zone database, the entries before it may give another
  /// state.
  private static func begin(
    _ position: inout HistoryPosition, _ number: Int64, _ database: Database,
    _ make: (JSONTree) -> Definition?
  ) throws {
    let row = try Row.fetchOne(
      database,
      sql: StoredSnapshot.selectSQL
        + " WHERE snapshot.session = ? AND (revision <= ? OR replaces IS NOT NULL)"
        + " ORDER BY place DESC LIMIT 1", arguments: [number, position.after])
    guard let snapshot = row.map(StoredSnapshot.init) else { return }
    position.adopt(try snapshot.state(of: position.origin, make: make), sequence: snapshot.sequence)
  }
}
