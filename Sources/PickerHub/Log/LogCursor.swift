import PickerModel
package import PickerSession

/// The position of a reader in a session's log.
package struct LogCursor: Sendable {
  fileprivate let origin: SessionOrigin
  /// Whether the reader may change the session.
  fileprivate let seesAll: Bool
  /// What it sees of the parts of members.
  fileprivate let sight: Sight
  /// The language of the lines.
  fileprivate let locale: String
  /// Deltas that were read from the log, but not encoded yet.
  fileprivate var deltas: ArraySlice<Delta>
  /// The position in the log after ``deltas``; `nil` if they are the last ones.
  fileprivate var position: HistoryPosition?
  /// The number of lines still to be returned.
  fileprivate var remainingCount: Int

  fileprivate var isDone: Bool { remainingCount == 0 || (deltas.isEmpty && position == nil) }
}
