/// The credential that a route needs with `--auth keys`, and on an admin listener with
/// `--admin-keys`.
///
/// Otherwise this is not checked; the hub checks the tokens of sessions that have them.
/// - Source: web/guide/README.md, "Let your users in".
enum RouteAccess: Hashable, Sendable {
  /// Everyone, without a credential.
  case everyone
  /// A key with the scope.
  case key(KeyScope)
  /// With `--admin-keys` a key with the scope `metrics`; otherwise everyone.
  case metrics
  /// A key with the scope. The token of a member of the session is answered with 403, that of a
  /// member of another one with 404.
  case sessionKey(KeyScope)
  /// A key with the scope `sessions`, or the token of a member of the session.
  case sessionReader
  /// Like `sessionReader`, or a ticket, which the route checks before it looks for the session.
  case ticketReader
  /// The token of a member of the session.
  case member
  /// The same, or a key with the scope `sessions`.
  case memberOrKey
}
