/// A request that waits for a session to be loaded.
struct LoadWaiter {
  /// Whether the request deletes the session. Then it is loaded even if the memory is full, so that
  /// hosts can make room.
  let isDeletion: Bool
  /// Receives `nil` if the log cannot reload the session, or there is no memory for it.
  let body: (HostedSession?) -> Void
}
