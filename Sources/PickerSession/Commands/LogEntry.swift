package import CivilTime
import JSONText
package import PickerModel

/// One entry of a session's log.
///
/// A session is a fold over its entries: the same entries give the same state on every machine.
/// Therefore an entry contains its inputs, including the time and the random values that were drawn
/// for it, but not its effects.
package struct LogEntry: Hashable, Sendable {
  /// The time of the entry by the session's clock.
  package let at: Instant
  package let body: Body
  /// Random text for a `confirm` on which the host decides, ``Confirmation/op``.
  package let op: String?
  package let facts: Facts

  package init(at: Instant, body: consuming Body, op: String? = nil) {
    self.at = at
    self.op = op
    // Before the body is moved, so that it is not copied.
    facts = body.facts(op: op)
    self.body = body
  }

  package var isCommand: Bool { facts.isCommand }

  /// Whether it says only what the inventory has become by others.
  package var isNews: Bool { facts.isNews }

  package enum Body: Hashable, Sendable {
    /// A new member.
    indirect case joined(Joining)
    /// A member reconnected with a token for another role, or renewed its token with one.
    case roleChanged(MemberID, Role)
    /// A member sent `leave`, or was without a connection for too long.
    case left(MemberID)
    /// A member that had left joined again; with the role of its token if the session has tokens.
    case returned(MemberID, Role?)
    /// A command of a member, or of the host: then the member is ``MemberID/host`` and the ref 0.
    case command(MemberID, ref: Int, Command, Precondition? = nil)
    /// The host revoked tokens.
    indirect case revoked(Revocation)
    /// The host gave a user another role.
    indirect case roleSet(HostRole)
    /// The document has changed: by the host, or because the session follows its shared definition.
    indirect case revised(DocumentChange)
    indirect case settle(Settle)
    /// The picker is due for a tick at `at`.
    case tick
    /// The clock was set to `at`: the only entry that can move the session back in time.
    case clockSet
    /// An entry that the log decides by the inventory.
    indirect case decided(DecidedEntry)
    /// What the session's inventory has become by others.
    indirect case inventory(InventoryNews)
  }

  /// A new member. The role is `nil` in sessions without tokens, where the first member becomes the
  /// owner.
  package struct Joining: Hashable, Sendable {
    package let member: MemberID
    package let secret: SecretHash
    package let name: String
    package let role: Role?
    /// The user's id at the host, from its token.
    package let subject: String?
    /// JSON text that other members see, from its token.
    package let info: String?
    /// JSON text for the log and the feed, from its token.
    package let meta: String?

    package init(
      member: MemberID, secret: SecretHash, name: String, role: Role?, subject: String? = nil,
      info: String? = nil, meta: String? = nil
    ) {
      self.member = member
      self.secret = secret
      self.name = name
      self.role = role
      self.subject = subject
      self.info = info
      self.meta = meta
    }
  }
}
