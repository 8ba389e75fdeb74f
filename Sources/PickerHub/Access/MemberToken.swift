package import CivilTime
package import PickerSession

/// A member token that has been verified: signed by a host's key and within its time.
///
/// - Source: web/guide/README.md, "Let your users in".
package struct MemberToken: Hashable, Sendable {
  /// The sessions that it admits to, 1 to 16.
  package var sessions: [SessionID]
  package var role: Role
  /// The user's id at the host.
  package var subject: String?
  package var name: String?
  package var locale: String?
  /// JSON text that other members see.
  package var info: String?
  /// JSON text for the session's log.
  package var meta: String?
  /// The namespace of the key that signed it, if it has one: it admits to no other session.
  package var namespace: String?
  /// `iat`; `nil` for a token that does not state when it was issued.
  package var issuedAt: Instant?
  /// `exp`.
  package var expires: Instant
  /// The time from its verification to `exp`; negative within the clock skew.
  package var remainingMilliseconds: Int64

  package init(
    sessions: [SessionID], role: Role, expires: Instant, remainingMilliseconds: Int64
  ) {
    self.sessions = sessions
    self.role = role
    self.expires = expires
    self.remainingMilliseconds = remainingMilliseconds
  }
}
