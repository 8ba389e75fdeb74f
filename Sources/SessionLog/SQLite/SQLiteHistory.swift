import Foundation
import GRDB
import JSONText
package import PickerHub
import PickerModel
import PickerSession

/// Reads whole logs, a page at a time.
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
  /// - Returns: `nil` if the session has ended, or its log does not give what was stored.
  static func page(
    from start: HistoryPosition, _ database: Database, make: (JSONTree) -> Definition?
  ) throws -> HistoryPage? {
    let id = start.origin.id
    guard let number: Int64 = try SQLiteReading.session(id, database)?["number"] else {
      return nil
    }
    var position = start
    if position.place == 0 { try begin(&position, number, database, make) }
    let newest = try StoredSnapshot.newest(of: number, database)
    let rows = try Row.fetchCursor(
      database,
      sql: "SELECT place, body FROM entry WHERE session = ? AND place > ? ORDER BY place LIMIT ?",
      arguments: [number, position.place, HistoryPosition.entryCountMax])
    var deltas: [Delta] = []
    var count = 0
    while !position.isDone, deltas.count < HistoryPosition.deltaCountMax,
      let row = try rows.next()
    {
      count += 1
      let place: Int = row[0]
      if let newest, position.place <= newest.place, place > newest.place {
        // What follows was refused or accepted by refs that a compacted log does not contain.
        guard position.fold.revision == newest.revision else { return nil }
        position.adopt(try newest.kept(of: start.origin, make: make), place: newest.place)
      }
      let entry = try SQLiteReading.entry(
        row[1], of: id, after: position.fold.definition, database, make: make)
      position.apply(entry, place: place, &deltas)
    }
    if count == 0 && !position.isDone { return nil }
    return HistoryPage(deltas: deltas, next: position.isDone ? nil : position)
  }

  /// Begins at the last snapshot before the deltas that are wanted, and not before the snapshot
  /// with which the session began anew.
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
    position.adopt(try snapshot.kept(of: position.origin, make: make), place: snapshot.place)
  }
}
