/// What a session wants told to its members, as values; the hub encodes and sends it.
package enum SessionEffect: Hashable, Sendable {
  /// To every listener; to the author's with the ref.
  case broadcast(Delta)
  /// To every listener that looks at a month whose cells time has changed: its months again.
  indirect case monthsAgain(CellChange)
  case answer(ConnectionID, Answer)
  /// The answer to a command that no connection gave.
  case unheard(MemberID, Answer)
  /// Presence updates wait to be told.
  case presence
}
