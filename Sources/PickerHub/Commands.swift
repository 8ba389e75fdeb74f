import PickerModel
import PickerSession

/// Commands: appended to the log, unless the hub knows beforehand that they will be refused.
extension Hub {
  /// Queues a command for its session.
  ///
  /// A command of an unknown type, over the rate limit, or of a viewer is refused and not stored,
  /// so that it cannot grow the store. Nor is a command whose ref is not above that of such a
  /// command. Its answer still comes in the order of the connection's commands.
  ///
  /// - Parameters:
  ///   - reason: Why it is refused without being stored, if the connection or the token says so.
  ///   - completion: Receives the effects of the command, or `nil` if the log has lost it.
  /// - Returns: As ``append(_:to:at:completion:)``.
  @discardableResult
  func submit(
    _ command: consuming Command, if precondition: Precondition? = nil, ref: Int,
    by member: MemberID, unless reason: UnstoredReason?, to hosted: HostedSession, at time: HubTime,
    completion: (([Effect]?) -> Void)? = nil
  ) -> Bool {
    if reason != nil || command.isUnknown || hosted.isBarred(command, of: member)
      || hosted.isOld(ref, of: member)
    {
      let unstored = UnstoredCommand(
        member: member, ref: ref, command: command, reason: reason)
      enqueue(.refuse(unstored, completion), in: hosted, at: time)
      return true
    }
    if isAhead(hosted, at: time) { tickIfDue(hosted, at: time) }
    // Without what would not be read, to store fewer bytes. That is known only when the command
    // will be applied to the current state: the session's queue is empty.
    if hosted.steps.isEmpty, !hosted.session.readsAll(of: command, at: time.session) {
      command = command.brief
    }
    return append(
      .command(member, ref: ref, command, precondition), to: hosted, at: time,
      completion: completion)
  }

  /// Why a member's command is refused without being stored, if its fold cannot know that.
  func reason(
    against command: Command, isOverRate: Bool, _ token: MemberToken?
  ) -> UnstoredReason? {
    if isOverRate { return .rate }
    guard command.isRename, token?.name != nil else { return nil }
    return .fixedName
  }

  /// Answers a command that was not stored. Called when all steps before it have run.
  func refuse(
    _ unstored: UnstoredCommand, _ completion: (([Effect]?) -> Void)?,
    in hosted: HostedSession, at time: HubTime
  ) {
    if hosted.isEnding {
      countDropped(in: hosted)
      completion?(nil)
      return
    }
    let effect = hosted.session.refuse(
      unstored.command, ref: unstored.ref, by: unstored.member, unless: unstored.reason)
    let effects = effect.map { [$0] } ?? []
    countCommand(effects, in: hosted)
    if let completion { return completion(effects) }
    perform(effects, in: hosted, at: time)
  }
}
