import PickerHub
import PickerSession

/// A source of entries from whose snapshots the history of a session can be read.
protocol HistorySource: EntrySource {
  func newestSnapshot() throws -> Int?
  /// The newest snapshot of a revision up to `revision`. If the session continued from a later one
  /// under a new epoch, that one: with the current rules or zone database, the entries before it
  /// may give another state.
  func snapshot(upTo revision: Int) throws -> Int?
  func state(at snapshot: Int, of origin: SessionOrigin) throws -> SessionFold.StoredState
}

/// Reading the history of a session in pages.
extension HistoryPage {
  /// Reads a page by applying entries from the position on.
  ///
  /// - Throws: ``StoredProblem`` if the log ends before the last wanted revision, or if applying
  ///   the entries up to the newest snapshot does not give its revision.
  static func read(
    from start: HistoryPosition, _ source: some HistorySource,
    deltaCountMax: Int = HistoryPosition.deltaCountMax
  ) throws -> HistoryPage {
    var (fold, sequence) = (start.fold, start.sequence)
    if sequence == 0, let base = try source.snapshot(upTo: start.after) {
      let state = try source.state(at: base, of: start.origin)
      fold = SessionFold(start.origin, limits: fold.limits, state: state)
      sequence = base
    }
    let newest = try source.newestSnapshot()
    var cursor = EntryCursor(
      fold, after: sequence, of: source, snapshots: newest.map { [$0] } ?? [])
    var deltas: [Delta] = []
    var count = 0
    while cursor.fold.revision < start.through, deltas.count < deltaCountMax,
      count < HistoryPosition.entryCountMax,
      let next = try cursor.next(crossing: { snapshot, fold in
        let state = try source.state(at: snapshot, of: start.origin)
        guard fold.revision == state.facts.revision else {
          throw StoredProblem("the entries up to snapshot \(snapshot) give another revision")
        }
        return state
      })
    {
      count += 1
      for case .delta(let delta) in cursor.apply(next)
      where delta.revision > start.after && delta.revision <= start.through {
        deltas.append(delta)
      }
    }
    let isDone = cursor.fold.revision >= start.through
    guard isDone || count > 0 else { throw StoredProblem("the log ends before its last revision") }
    var next = start
    (next.fold, next.sequence) = (cursor.fold, cursor.sequence)
    return HistoryPage(deltas: deltas, next: isDone ? nil : next)
  }
}
