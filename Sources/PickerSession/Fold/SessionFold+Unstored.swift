import PickerModel

/// A limit because of which a command is refused without being stored.
package enum ExceededLimit: Hashable, Sendable {
  /// The messages of a second.
  case rate
  /// The bytes of the session's log.
  case logBytes
}

/// Commands that are refused without being stored in the log: of an unknown type, beyond a
/// limit, or of a viewer. So a stranger's commands do not grow a store.
///
/// They change nothing, not even the time of the picker, and are not remembered. Given again, such
/// a command is judged again.
extension SessionFold {
  /// The answer to such a command, as things stand; `nil` if its member has left.
  ///
  /// The order of the checks is that of stored commands, with one exception: a ref that lies among
  /// the remembered ones but was never done is not old for an unknown type or a role. So who sends
  /// a refused command again, after later ones, gets the same refusal.
  func refusal(
    of command: Command, ref: Int, by member: MemberID, beyond limit: ExceededLimit?
  ) -> Answer? {
    guard let giver = members[member] else { return nil }
    let author = Delta.Author(member: member, ref: ref, command: command)
    if let outcome = giver.refs.outcome(of: ref) { return repeated(outcome, of: author) }
    do throws(Refusal) {
      try checkRef(author, giver.refs, beyond: limit)
      try admit(author, role: giver.role, beyond: limit)
    } catch {
      return refused(error, author)
    }
    return refused(Refusal(.tooMany, "ref \(ref) was not done; send it again"), author)
  }

  private func checkRef(
    _ author: Delta.Author, _ refs: RefBook, beyond limit: ExceededLimit?
  ) throws(Refusal) {
    guard author.ref <= refs.greatest else { return }
    let isUnknown = if case .unknown = author.command { true } else { false }
    if refs.isGap(author.ref), isUnknown || limit == nil { return }
    throw Refusal(oldRef: author.ref, greatest: refs.greatest)
  }
}
