package import PickerSession

/// Which of the server's loops answers a request.
package enum RequestLoop: Hashable, Sendable {
  /// The loop that owns the session.
  case session(SessionID)
  /// Round robin, so that new sessions are distributed evenly whichever connection creates them.
  case roundRobin
  /// The first loop, for requests that must take effect in the same order on all loops.
  case first
  /// The loop that received the request; any loop could answer it.
  case receiving

  package init(method: HTTPMethod, path: String) {
    let prefix = "/v1/sessions/"
    let adminPrefix = "/v1/admin/sessions/"
    if path.hasPrefix(prefix + "by/") {
      self = .roundRobin
    } else if path.hasPrefix(adminPrefix) {
      self = .session(SessionID(String(path.dropFirst(adminPrefix.count))))
    } else if path.hasPrefix(prefix) {
      self = .session(SessionID(String(path.dropFirst(prefix.count).prefix { $0 != "/" })))
    } else if method == .post && path == "/v1/sessions" {
      self = .roundRobin
    } else if method == .post && path == "/v1/clock" {
      self = .first
    } else {
      self = .receiving
    }
  }

  /// Guesses the loop of a new connection from its first bytes, which are not validated. If the
  /// guess is wrong or impossible, the request is routed to the right loop later.
  ///
  /// - Returns: `nil` if the bytes do not contain a complete request target.
  package init?(guessedFrom received: UnsafeRawBufferPointer) {
    let parts = received.split(
      separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let path = parts[1].prefix { $0 != UInt8(ascii: "?") }
    self.init(method: .get, path: String(decoding: path, as: UTF8.self))
  }
}
