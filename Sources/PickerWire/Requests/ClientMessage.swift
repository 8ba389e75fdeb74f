import CivilTime
package import PickerModel
package import PickerSession

/// A decoded message from a client.
///
/// - Source: web/client/api/asyncapi.json.
package enum ClientMessage: Hashable, Sendable {
  indirect case join(Join)
  case command(ref: Int, Command, Precondition? = nil)
  /// A select whose `key` is not a string. It is treated like a missing key, unless the key is
  /// needed.
  case selectWithBadKey(ref: Int, Command)
  /// The months that the client displays from now on.
  case months(MonthView)
  /// A request for rows of a column.
  case rows(column: Int, from: Int, count: Int)
  case touch(Touch)
  /// A renewed token of the member, sent before the current one expires.
  case token(Renewal)
  case leave
  /// A message of an unknown type without a ref. It gets no answer.
  case ignored

  /// The first message of a connection.
  package struct Join: Hashable, Sendable {
    package var name: String?
    package var locale: String?
    package var token: String?
    package var months: MonthView?
    /// The zone of the times of an `availability`.
    package var timeZone: String?
    package var resume: Resume?
  }

  /// A renewed token. A server without keys answers it like a message of an unknown type.
  package struct Renewal: Hashable, Sendable {
    /// `nil` if the message has none, or one that is not a string.
    package let token: String?
    package let ref: Int?
  }

  /// The state of the client's previous connection.
  package struct Resume: Hashable, Sendable {
    package let member: String
    package let secret: String
    package let epoch: String
    /// The last revision that the client has applied.
    package let revision: Int
  }
}

/// Thrown for a message or request body that violates the protocol. On a WebSocket it closes the
/// connection with 4400.
package struct BadMessage: Error, Hashable, Sendable {
  /// One sentence for developers: what was wrong, where, and what would be right.
  package let detail: String
  /// Of a value in a body (RFC 6901), if the problem is that of one value.
  package let pointer: String?
  /// Whether the problem is one of the definition in a body.
  package let isOfDefinition: Bool

  package init(_ detail: String, pointer: String? = nil) {
    self.detail = detail
    self.pointer = pointer
    isOfDefinition = false
  }

  package init(_ problem: DefinitionProblem) {
    detail = problem.detail
    pointer = problem.pointer
    isOfDefinition = true
  }
}
