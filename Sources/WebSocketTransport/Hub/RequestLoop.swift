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

  package init(method: HTTPMethod, _ target: RequestTarget) {
    let segments = target.segments
    if target.begins(with: RequestTarget.literalPrefix), segments.count > 3 {
      self = .roundRobin
    } else if target.begins(with: ["v1", "admin", "sessions"]), segments.count > 3 {
      self = .session(SessionID(segments[3]))
    } else if target.begins(with: ["v1", "sessions"]), segments.count > 2 {
      self = .session(SessionID(segments[2]))
    } else if method == .get, target.begins(with: ["s"]), segments.count == 2 {
      self = .session(SessionID(segments[1]))
    } else if method == .post && segments == ["v1", "sessions"] {
      self = .roundRobin
    } else if method == .post && segments == ["v1", "clock"] {
      self = .first
    } else {
      self = .receiving
    }
  }

  /// Guesses the loop of a new connection from its first bytes, which are not validated. If the
  /// guess is wrong or impossible, the request is routed to the right loop later.
  ///
  /// - Parameter prefix: See ``SocketLoopConfiguration/pathPrefix``.
  /// - Returns: `nil` if the bytes do not contain a complete path.
  package init?(guessedFrom received: UnsafeRawBufferPointer, below prefix: String = "") {
    let parts = received.split(
      separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 || (parts.count == 2 && parts[1].contains(UInt8(ascii: "?"))) else {
      return nil
    }
    let text = String(decoding: parts[1], as: UTF8.self)
    self.init(method: .get, RequestTarget(text, below: prefix))
  }
}
