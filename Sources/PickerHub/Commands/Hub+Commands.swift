import CivilTime
import PickerModel
import PickerSession

/// Commands go to the log, unless it is known before that they are refused and change nothing.
extension Hub {
  /// Gives a command its turn.
  ///
  /// A command of an unknown type, over the rate, or of a viewer who may not give it is refused
  /// without being stored: a stranger must not grow a store. It keeps its place among the
  /// commands of its connection all the same.
  ///
  /// - Parameter completion: Gets the effects of the command, or `nil` if the log has lost it.
  /// - Returns: As ``append(_:to:at:completion:)``.
  @discardableResult
  func give(
    _ command: Command, ref: Int, by member: MemberID, isOverRate: Bool, to hosted: HostedSession,
    at time: HubTime, completion: (([SessionEffect]?) -> Void)? = nil
  ) -> Bool {
    counters.commands += 1
    if isOverRate || command.isUnknown || hosted.isBarred(command, of: member) {
      let unstored = HostedSession.UnstoredCommand(
        member: member, ref: ref, command: command, limit: isOverRate ? .rate : nil)
      enqueue(.refuse(unstored, completion), in: hosted, at: time)
      return true
    }
    let stored = withoutUnreadKey(command, in: hosted, at: time)
    return append(
      .command(member, ref: ref, stored), to: hosted, at: time, completion: completion)
  }

  /// The command as the log needs it. With nothing before it in the queue its turn is now, so that
  /// it is known whether its key will be read.
  private func withoutUnreadKey(
    _ command: Command, in hosted: HostedSession, at time: HubTime
  ) -> Command {
    guard case .select(let selection) = command, selection.key != nil, hosted.steps.isEmpty,
      hosted.session.ignoresKey(of: selection, at: time.session)
    else { return command }
    return .select(selection.withoutKey)
  }

  /// Answers a command that is not in the log, in its turn.
  func refuse(
    _ unstored: HostedSession.UnstoredCommand, _ completion: (([SessionEffect]?) -> Void)?,
    in hosted: HostedSession, at time: HubTime
  ) {
    if hosted.isEnding {
      completion?(nil)
      return
    }
    let effect = hosted.session.refuse(
      unstored.command, ref: unstored.ref, by: unstored.member, beyond: unstored.limit)
    if let completion { return completion(effect.map { [$0] } ?? []) }
    if let effect { perform([effect], in: hosted, at: time) }
  }
}

extension Command {
  fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }
}
