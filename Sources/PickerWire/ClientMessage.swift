import CivilTime
package import PickerSession

/// A message from a client, taken apart.
/// - Source: protocol.md, "From the client".
package enum ClientMessage: Hashable, Sendable {
  case join(Join)
  case command(ref: Int, Command)
  /// A select whose key is no string: as if it were not there, unless it has to be read.
  case selectWithBadKey(ref: Int, Command)
  /// The months that the member looks at from now on.
  case months(MonthView)
  /// More rows of a column.
  case rows(column: Int, from: Int, count: Int)
  case touch(Touch)
  case leave
  /// A type that this server does not know, without a ref: nothing is answered.
  case ignored

  /// The first message of a connection.
  package struct Join: Hashable, Sendable {
    package var name: String?
    package var locale: String?
    package var token: String?
    package var months: MonthView?
    package var resume: Resume?
  }

  /// What a client knows of the connection before.
  package struct Resume: Hashable, Sendable {
    package let member: String
    package let secret: String
    package let epoch: String
    /// The last revision that it has folded.
    package let revision: Int
  }
}

/// Why a message is not of our protocol; closes the connection with 4400.
package struct BadMessage: Error, Hashable, Sendable {
  /// What was wrong, where, and what would be right.
  package let detail: String

  package init(_ detail: String) { self.detail = detail }
}
