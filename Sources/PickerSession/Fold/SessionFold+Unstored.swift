import PickerModel

/// A reason to refuse a command without logging it that the fold does not know.
package enum UnstoredReason: Hashable, Sendable {
  /// Messages per second of a connection.
  case rate
  /// Bytes of the session's log.
  case logBytes
  /// Bytes of the store of all sessions.
  case storeBytes
  /// A `rename` of a member whose token has a name.
  case fixedName
}

/// Commands that are refused without being logged: those of an unknown type, over a limit, or not
/// allowed for the member's role. Otherwise anybody with a viewer's link could grow the store.
///
/// Such a command changes nothing, not even the time of the picker, and the fold does not record
/// its ref. ``Session`` does, as long as it is in memory, unless a limit was exceeded.
extension SessionFold {
  /// The answer to such a command in the current state; `nil` if its member has left.
  ///
  /// The checks run in the same order as for logged commands, with one difference: a ref that is
  /// not recorded but lies between recorded ones (``RefBook/isGap(_:)``) is not refused as old if
  /// the type is unknown or the role is too low. Otherwise a client that sends such a command again
  /// after later ones and a restart would get a different refusal.
  ///
  /// - Parameter unlogged: The member's refs that are recorded in memory only.
  func refusal(
    of command: Command, ref: Int, by member: MemberID, unless reason: UnstoredReason?,
    unlogged: RefBook = RefBook()
  ) -> Answer? {
    guard let sender = members[member] else { return nil }
    let author = Delta.Author(member: member, ref: ref, command: command)
    if let outcome = sender.refs.outcome(of: ref) ?? unlogged.outcome(of: ref) {
      return repeated(outcome, of: author)
    }
    do throws(Refusal) {
      let greatest = max(sender.refs.greatest, unlogged.greatest)
      try checkRef(author, of: sender, greatest: greatest, unless: reason)
      var fold = self
      try fold.admit(command, ref: ref, by: member, role: sender.role, unless: reason)
    } catch {
      return refused(error, author)
    }
    return refused(Refusal(.tooMany, "ref \(ref) was not executed; send it again"), author)
  }

  private func checkRef(
    _ author: Delta.Author, of sender: Member, greatest: Int, unless reason: UnstoredReason?
  ) throws(Refusal) {
    guard author.ref <= greatest else { return }
    let isUnknown = if case .unknown = author.command { true } else { false }
    let isBarred =
      reason == .fixedName || reason == nil && sender.role < author.command.roleNeeded
    if sender.refs.isGap(author.ref), isUnknown || isBarred { return }
    throw Refusal(oldRef: author.ref, greatest: greatest)
  }
}
