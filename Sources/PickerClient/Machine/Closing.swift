/// What a close code asks of a client: it acts by the band, so that a new code needs no new client.
///
/// - Source: protocol.md, "When it goes wrong".
enum ClosingAnswer: Hashable, Sendable {
  /// The server is going away, another takes over: come back when it said.
  case comeBack
  /// A token is missing, wrong or over: come back with a new one.
  case getCredentials
  case stayAway
  /// Come back with back-off.
  case backOff

  /// - Parameter code: Of the close frame; 1005 or 1006 when the network was lost.
  init(code: Int) {
    switch code {
    case 1001: self = .comeBack
    case 1002, 1003, 1007, 1009: self = .stayAway
    case 4300..<4400: self = .getCredentials
    case 4400..<4500: self = .stayAway
    default: self = .backOff
    }
  }
}

/// Exponential back-off with full jitter: anything between nothing and 1 s, 2 s, 4 s … 30 s.
enum BackOff {
  static let millisecondsMax: Int64 = 30_000

  /// - Parameter attempt: 0 for the first attempt after a loss.
  /// - Parameter jitter: 0 ..< 1.
  static func milliseconds(attempt: Int, jitter: Double) -> Int64 {
    let ceiling = min(millisecondsMax, 1_000 << Int64(min(attempt, 16)))
    return Int64((Double(ceiling) * jitter).rounded())
  }
}
