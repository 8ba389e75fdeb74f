/// The message type of a frame, with the values that a server-sent event repeats in its own fields.
package enum FrameKind: Hashable, Sendable {
  case welcome(revision: Int)
  case delta(revision: Int)
  case snapshot(revision: Int)
  case draining(reconnectAfterMilliseconds: Int)
  case reply, refused, months, rows, found, presence, token, error
  /// Bytes that are not a message of the protocol.
  case other

  /// The event name of a server-sent event. An error is `end`, because browsers use `error` for the
  /// failure of a stream.
  var eventName: String {
    switch self {
    case .welcome: "welcome"
    case .delta: "delta"
    case .snapshot: "snapshot"
    case .draining: "draining"
    case .reply: "reply"
    case .refused: "refused"
    case .months: "months"
    case .rows: "rows"
    case .found: "found"
    case .presence: "presence"
    case .token: "token"
    case .error: "end"
    case .other: "message"
    }
  }

  /// The revision from which to resume after this message; `nil` if the message does not change it.
  var position: Int? {
    switch self {
    case .welcome(let revision), .delta(let revision), .snapshot(let revision): revision
    case .draining, .reply, .refused, .months, .rows, .found, .presence, .token, .error, .other:
      nil
    }
  }

  /// Milliseconds after which a client should reconnect; `nil` for its default.
  var retry: Int? {
    if case .draining(let milliseconds) = self, milliseconds > 0 { milliseconds } else { nil }
  }
}
