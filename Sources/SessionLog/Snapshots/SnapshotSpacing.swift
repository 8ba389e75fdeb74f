import PickerSession

/// The rules for retaining snapshots: which ones of a session are stored, and from which one its
/// history is read.
///
/// Pruning and loading use the same numbers, so that a snapshot that loading needs is never pruned.
struct SnapshotSpacing {
  /// The number of deltas that are loaded with a session that has members.
  private let history: Int
  /// The maximum number of entries that are applied to get these deltas. Joins and leaves make no
  /// deltas, so a session with very many of them is loaded with fewer deltas.
  let rowCountMax: Int

  init(_ limits: SessionLimits) {
    history = limits.history
    rowCountMax = max(10_000, 10 * limits.history)
  }

  /// The minimum of entries between two snapshots, apart from the first and the newest.
  var rowCountMin: Int { max(1000, history / 2) }

  /// The revision after which the history begins if `newest` is the last revision.
  func revision(before newest: Int) -> Int { newest - history }

  /// The number of entries up to which only one snapshot is retained.
  func rowCount(before newest: Int) -> Int { newest - rowCountMax }
}
