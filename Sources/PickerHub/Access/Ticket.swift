package import CivilTime

/// A valid ticket, which grants a viewer's rights without a token.
package struct Ticket: Hashable, Sendable {
  /// ``Revocations/latest`` of the session when it was issued: a later revocation ends it. No clock
  /// decides, because those of the nodes differ.
  package let lastRevocation: Instant?
  /// Whether it is valid as long as its session exists, whatever is revoked.
  package let isLasting: Bool
  /// When the token for which it was issued ends, as ``HubTime/machine``; `nil` if it does not.
  package let endsAt: Int64?

  package init(lastRevocation: Instant? = nil, endsAt: Int64? = nil, isLasting: Bool = false) {
    self.lastRevocation = lastRevocation
    self.isLasting = isLasting
    self.endsAt = endsAt
  }
}
