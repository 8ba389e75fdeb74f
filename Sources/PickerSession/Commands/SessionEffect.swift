/// A message that a session has for its members, not yet encoded. The hub encodes and sends it.
package enum SessionEffect: Hashable, Sendable {
  /// A delta for all listeners; the author's copy carries the ref.
  case broadcast(Delta)
  /// New cells, for each listener that displays a month whose cells time changed.
  indirect case monthsAgain(CellChange)
  case answer(ConnectionID, Answer)
  /// An answer for a member without a connection: its command came by HTTP, or it has disconnected.
  case answerOffline(MemberID, Answer)
  /// ``Session/takeUpdates()`` has presence updates to send. The hub may delay them to merge
  /// several.
  case presence
  /// Tokens were revoked. The hub closes the connections of the members concerned.
  indirect case revoked(Revocation.Target)
  /// The outcome of the host's decision, for its request.
  indirect case settled(SettleOutcome)
  /// Large deltas that the session no longer has. Freeing them takes long.
  case forgotten([Delta])
  /// A member, or with `nil` everybody who is no owner, may see more or less: it needs a snapshot,
  /// after the delta or presence that says so.
  case sightChanged(MemberID?)
}
