/// The maxima of one session. The names are those in `limits` of a welcome.
///
/// - Source: web/guide/README.md, "Closing, errors and time-outs".
package struct SessionLimits: Hashable, Sendable {
  /// Months that one client may display; default 24.
  package var months = 24
  /// Rows in one `rows` message; default 500.
  package var rows = 500
  /// Rows of a column in a welcome or a reload; clients request the others. Default 200.
  package var windowRows = 200
  /// Refs stored for each member; default 256.
  package var refs = 256
  /// Values that undo can restore; default 100.
  package var undo = 100
  /// Runs of cells in the part of one member; default 400.
  package var runs = 400
  /// Deltas in memory from which a connection can resume; default 1,000.
  package var history = 1000
  /// Members, including those offline; default 1,000.
  package var members = 1000
  /// Members that have left and can rejoin; default 1,000.
  package var rememberedMembers = 1000
  /// Bytes of the refs of those members; default 1 MiB.
  package var rememberedRefBytes = 1_048_576
  /// Bytes of the stored log, including snapshots; default 256 MiB.
  package var logBytes = 268_435_456
  /// How long only the member that opened a range may close it with `openTap: "opener"`, in
  /// milliseconds of the session's clock; default 15 s.
  package var openTapMilliseconds: Int64 = 15_000
  /// The minimum time between two presence messages, in milliseconds; default 50, which is 20 a
  /// second.
  package var presenceMilliseconds: Int64 = 50

  package init() {}
}
