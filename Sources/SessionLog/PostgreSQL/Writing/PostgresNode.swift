/// The identity of a node's writer, which its appends are stored with.
struct PostgresNode: Sendable {
  let incarnation: Int
  /// Grows with each connection: the transactions of older connections fail.
  var fence: Int
  /// The number of the last batch.
  var batch = 0
  /// The number of the last append.
  var serial = 0
}
