package import CivilTime
package import JSONText

/// One thing that happened to a session, in the one order in which it did.
///
/// A session is a fold over its entries: same entries, same state, anywhere. So an entry carries
/// what random and the clock gave when it was made, and nothing of what came of it.
package struct LogEntry: Hashable, Sendable {
  /// When, by the session's clock.
  package let at: Instant
  package let body: Body

  package init(at: Instant, body: Body) {
    self.at = at
    self.body = body
  }

  package enum Body: Hashable, Sendable {
    /// A new member.
    case joined(Joining)
    /// A member came back with a token that gives it another role.
    case roleChanged(MemberID, Role)
    /// A member said so, or was away for too long.
    case left(MemberID)
    /// A member that had left came back, with the role of its token where tokens are.
    case returned(MemberID, Role?)
    case command(MemberID, ref: Int, Command)
    /// The host gave another definition.
    case define(DefinitionChange)
    /// The host's merge patch of the notes.
    case note(JSONTree)
    /// Time has come to `at`.
    case tick
  }

  /// What is decided about a member when it joins. The role is `nil` where the first is the owner.
  package struct Joining: Hashable, Sendable {
    package let member: MemberID
    package let secret: SecretHash
    package let name: String
    package let role: Role?

    package init(member: MemberID, secret: SecretHash, name: String, role: Role?) {
      self.member = member
      self.secret = secret
      self.name = name
      self.role = role
    }
  }
}
