import PickerModel
import PickerSession

/// The position of a reader in a session's log.
package struct LogCursor: Sendable {
  let origin: SessionOrigin
  /// Whether the reader may change the session.
  let seesAll: Bool
  /// What it sees of the parts of members.
  let sight: Sight
  /// The language of the lines.
  let locale: String
  /// Deltas that were read from the log, but not encoded yet.
  var deltas: ArraySlice<Delta>
  /// The position in the log after ``deltas``; `nil` if they are the last ones.
  var position: HistoryPosition?
  /// The number of lines still to be returned.
  var remainingCount: Int

  var isDone: Bool { remainingCount == 0 || (deltas.isEmpty && position == nil) }
}
