/// The close codes of the protocol. A client acts by the range: 43xx, it gets new credentials
/// before it reconnects; 44xx, it does not reconnect; 45xx, it reconnects with back-off.
/// - Source: web/guide/README.md, "Closing, errors and time-outs".
package enum CloseCode: UInt16, CaseIterable, Sendable {
  case normal = 1000
  case goingAway = 1001
  case badToken = 4301
  case tokenExpired = 4302
  case badMessage = 4400
  case notAllowed = 4403
  case noSuchSession = 4404
  case connectedElsewhere = 4409
  case sessionEnded = 4410
  /// The stored session cannot be read.
  case internalError = 4500
  case unavailable = 4503
  case tooSlow = 4508
  case tooManyMessages = 4529

  /// The `code` of the error message that precedes the close; `nil` below 4300.
  package var errorCode: String? {
    switch self {
    case .normal, .goingAway: nil
    case .badToken: "badToken"
    case .tokenExpired: "tokenExpired"
    case .badMessage: "badMessage"
    case .notAllowed: "notAllowed"
    case .noSuchSession: "noSuchSession"
    case .connectedElsewhere: "connectedElsewhere"
    case .sessionEnded: "sessionEnded"
    case .internalError: "internal"
    case .unavailable: "unavailable"
    case .tooSlow: "tooSlow"
    case .tooManyMessages: "tooManyMessages"
    }
  }
}
