/// The reaction to a close code. It depends on the range of the code, so that clients handle codes
/// that are added later.
///
/// - Source: web/guide/README.md, "Closing, errors and time-outs".
enum ClosingAnswer: Hashable, Sendable {
  /// The server is shutting down: reconnect after the delay that it announced.
  case readd
  /// The token is missing, wrong or expired: reconnect with a new one.
  case getCredentials
  /// Reconnecting would fail again: the session does not exist, or this client violates the
  /// protocol.
  case stayAway
  /// Reconnect with back-off.
  case backOff

  /// - Parameter code: The code of the close frame, or 1005 or 1006 without one.
  init(code: Int) {
    switch code {
    case 1001: self = .readd
    case 1002, 1003, 1007, 1009: self = .stayAway
    case 4300..<4400: self = .getCredentials
    case 4400..<4500: self = .stayAway
    default: self = .backOff
    }
  }
}

/// Exponential back-off with full jitter: a random delay from 0 to 1 s, 2 s, 4 s … at most 30 s.
enum BackOff {
  static let millisecondsMax: Int64 = 30_000

  /// - Parameter attempt: 0 for the first attempt after a loss.
  /// - Parameter jitter: 0 ..< 1.
  static func milliseconds(attempt: Int, jitter: Double) -> Int64 {
    let ceiling = min(millisecondsMax, 1_000 << Int64(min(attempt, 16)))
    return Int64((Double(ceiling) * jitter).rounded())
  }
}
