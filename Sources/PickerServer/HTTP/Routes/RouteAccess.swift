/// Who may use a route with `--auth keys`.
///
/// Without keys the hub decides by the tokens of each session, and every route is open otherwise.
/// - Source: host.md, section 1.
enum RouteAccess: Hashable, Sendable {
  /// Everyone, without a credential.
  case everyone
  /// A key with the scope.
  case key(KeyScope)
  /// A key with the scope. To members the session does not exist.
  case sessionKey(KeyScope)
  /// A key with the scope `sessions`, a member of the session, or a ticket where the route takes
  /// tickets.
  case sessionReader
  /// A member of the session.
  case member
}
