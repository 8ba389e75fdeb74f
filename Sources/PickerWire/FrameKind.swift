/// The kind of message that a frame is, with the values that a server-sent event repeats in fields
/// of its own.
package enum FrameKind: Hashable, Sendable {
  case welcome(revision: Int)
  case delta(revision: Int)
  case snapshot(revision: Int)
  case draining(reconnectAfterMilliseconds: Int)
  case reply, refused, months, rows, presence, error
  /// Not a message of the protocol.
  case other

  /// The name of the event. Browsers call the failure of a stream `error`, so ours is `end`.
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
    case .presence: "presence"
    case .error: "end"
    case .other: "message"
    }
  }

  /// The revision to resume from after this message; `nil` for one that does not move it.
  var position: Int? {
    switch self {
    case .welcome(let revision), .delta(let revision), .snapshot(let revision): revision
    case .draining, .reply, .refused, .months, .rows, .presence, .error, .other: nil
    }
  }

  /// Milliseconds after which a client connects again.
  var retry: Int? {
    if case .draining(let milliseconds) = self, milliseconds > 0 { milliseconds } else { nil }
  }
}
