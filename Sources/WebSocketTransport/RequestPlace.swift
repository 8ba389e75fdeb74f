package import PickerSession

/// Which of a server's loops a request is for.
package enum RequestPlace: Hashable, Sendable {
  /// The one that has the session.
  case session(SessionID)
  /// Each in its turn, so that new sessions are spread whoever makes them.
  case inTurn
  /// The first: what has to happen in one order everywhere.
  case first
  /// Any; so where it came in.
  case here

  package init(method: HTTPMethod, path: String) {
    let prefix = "/v1/sessions/"
    if path.hasPrefix(prefix) {
      self = .session(SessionID(String(path.dropFirst(prefix.count).prefix { $0 != "/" })))
    } else if method == .post && path == "/v1/sessions" {
      self = .inTurn
    } else if method == .post && path == "/v1/clock" {
      self = .first
    } else {
      self = .here
    }
  }

  /// Guesses from the first octets of a connection. The connection goes there; if the guess was
  /// wrong, or there was nothing to guess from, its request goes on to where it belongs.
  ///
  /// - Returns: `nil` if nothing is known.
  package init?(guessedFrom said: UnsafeRawBufferPointer) {
    let parts = said.split(
      separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let path = parts[1].prefix { $0 != UInt8(ascii: "?") }
    self.init(method: .get, path: String(decoding: path, as: UTF8.self))
  }
}
