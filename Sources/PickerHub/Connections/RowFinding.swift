import PickerModel
import PickerWire

/// The last `find` of a connection that is not answered yet, and how many were begun.
final class RowFinding {
  /// Replaced by the member's next one, and then never answered.
  var request: FindRequest?
  /// How far the search has come, and of which generation of the column; `nil` before it begins.
  var progress: (search: RowSearch, generation: Int)?
  /// Whether it waits for its turn or for a timer.
  var isQueued = false
  private var windowStart: Int64 = -1000
  private var count = 0

  /// The maximum of searches that begin in a second.
  private static let countMax = 10

  /// Counts a search that begins.
  ///
  /// - Returns: When it may begin, if that is later, in machine milliseconds.
  func begin(at now: Int64) -> Int64? {
    if now - windowStart >= 1000 { (windowStart, count) = (now, 0) }
    if count == RowFinding.countMax { return windowStart + 1000 }
    count += 1
    return nil
  }
}
