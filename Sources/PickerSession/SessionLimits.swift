/// The maxima of one session, named as in `limits` of a welcome.
/// - Source: protocol.md, "When it goes wrong".
package struct SessionLimits: Hashable, Sendable {
  /// Months that one member may look at; default 24.
  package var months = 24
  /// Rows that one `rows` message brings; default 500.
  package var rows = 500
  /// Rows of a column that are sent unasked; default 200.
  package var windowRows = 200
  /// Refs remembered of each member; default 256.
  package var refs = 256
  /// Values that undo goes back; default 100.
  package var undo = 100
  /// Deltas kept for resuming; default 1,000.
  package var history = 1000
  /// Members, those away included; default 1,000.
  package var members = 1000
  /// Members remembered after they have left; default 1,000.
  package var rememberedMembers = 1000
  /// Bytes that the refs of those members may take; default 1 MiB.
  package var rememberedRefBytes = 1_048_576
  /// Bytes of the stored log, snapshots included; default 256 MiB.
  package var logBytes = 268_435_456
  /// How long an open range belongs to who opened it, by the session's clock; default 15 s.
  package var openTapMilliseconds: Int64 = 15_000
  /// Least time between two presence messages; default 50 ms, which makes 20 a second.
  package var presenceMilliseconds: Int64 = 50

  package init() {}
}
