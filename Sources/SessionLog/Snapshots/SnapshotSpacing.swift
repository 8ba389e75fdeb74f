import PickerSession

/// Which snapshots of a session are stored, and from which one its history is folded again.
///
/// Pruning and loading use the same numbers, so a snapshot that loading wants is never pruned.
struct SnapshotSpacing {
  /// Deltas that a session has when it is reloaded with members.
  private let history: Int
  /// Entries that are folded for them at most. Joins and leaves make no deltas: a session with
  /// very many of them is reloaded with fewer deltas.
  let rowCountMax: Int

  init(_ limits: SessionLimits) {
    history = limits.history
    rowCountMax = max(10_000, 10 * limits.history)
  }

  /// Fewer entries are not worth another snapshot between the first and the newest.
  var rowCountMin: Int { max(1000, history / 2) }

  /// The revision from which the deltas up to `newest` can be folded.
  func revision(before newest: Int) -> Int { newest - history }

  /// Of snapshots with at most so many entries, one is enough.
  func rowCount(before newest: Int) -> Int { newest - rowCountMax }

  /// Selects the snapshot where folding the history begins, for a session (1), a revision (2) and a
  /// row count (3): the newest one that is old enough, or before which nothing can be resumed.
  static let baseSQL = """
    SELECT max(place) FROM snapshot WHERE session = ?1
    AND (revision <= ?2 OR rowCount <= ?3 OR replaces IS NOT NULL)
    """
}
