import PickerModel

/// Commands that are refused without being stored in the log: of an unknown type, over the message
/// rate, or of a viewer. So a stranger's commands do not grow a store.
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
    of command: Command, ref: Int, by member: MemberID, isOverRate: Bool
  ) -> Answer? {
    guard let giver = members[member] else { return nil }
    let author = Delta.Author(member: member, ref: ref, command: command)
    if let outcome = giver.refs.outcome(of: ref) { return repeated(outcome, of: author) }
    do throws(Refusal) {
      try checkRef(author, giver.refs, isOverRate: isOverRate)
      try admit(author, role: giver.role, isOverRate: isOverRate)
    } catch {
      return refused(error, author)
    }
    return refused(Refusal(.tooMany, "ref \(ref) was not done; send it again"), author)
  }

  private func checkRef(
    _ author: Delta.Author, _ refs: RefBook, isOverRate: Bool
  ) throws(Refusal) {
    guard author.ref <= refs.greatest else { return }
    let isUnknown = if case .unknown = author.command { true } else { false }
    if refs.isGap(author.ref), isUnknown || !isOverRate { return }
    throw Refusal(oldRef: author.ref, greatest: refs.greatest)
  }
}
