import WebSocketTransport

/// Limits how many session ids an address can look up in a store that nodes share, and that does
/// not have them: each one is a query of the database. Sessions that exist cost nothing, nor does
/// an absence that the hub has cached.
extension RequestGate {
  /// Called before a request that needs a look-up.
  ///
  /// - Throws: 429 if the address has looked up too many unknown sessions.
  func admitLookUp(_ request: RequestHead) throws(ProblemDocument) {
    let now = SocketLoop.monotonicMilliseconds()
    guard let wait = rates.wait(.unknownSession, from: client(of: request), at: now) else { return }
    throw .tooMany("requests for sessions that do not exist", wait: wait)
  }

  /// The response that refuses an upgrade that needs a look-up, or `nil` to accept it.
  func lookUpRefusal(of upgrade: RequestHead) -> HTTPResponse? {
    do throws(ProblemDocument) {
      try admitLookUp(upgrade)
      return nil
    } catch {
      return error.response
    }
  }

  /// A look-up for a request has found no session.
  func chargeLookUp(_ request: RequestHead) {
    rates.charge(
      .unknownSession, to: client(of: request), at: SocketLoop.monotonicMilliseconds())
  }
}
