package import PickerSession

/// The position of a reader in a session's history.
///
/// It contains all that the log needs to continue: no transaction or file stays open between two
/// pages, and the log may be compacted meanwhile.
package struct HistoryPosition: Sendable {
  package let origin: SessionOrigin
  /// Deltas after this revision are read.
  package let after: Int
  /// The last revision to read.
  package let through: Int
  /// The state with all entries up to ``sequence`` applied.
  package var fold: SessionFold
  /// The sequence number of the last entry applied to ``fold``; 0 before the first page.
  package var sequence = 0

  /// The number of deltas after which a page ends. An entry has up to three deltas, so that a page
  /// can have two more.
  package static let deltaCountMax = 256
  /// The maximum of entries that are applied for a page.
  package static let entryCountMax = 2000

  /// Makes the position before the first entry.
  ///
  /// - Returns: `nil` if the session's definition cannot make a picker.
  package init?(
    of origin: SessionOrigin, after: Int, through: Int, limits: SessionLimits
  ) {
    var limits = limits
    limits.history = 0
    guard let fold = try? SessionFold(origin, limits: limits) else { return nil }
    self.origin = origin
    self.after = after
    self.through = through
    self.fold = fold
  }

  package var isDone: Bool { fold.revision >= through }
}
