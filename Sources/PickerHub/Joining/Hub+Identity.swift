import JSONText
import PickerSession
import PickerWire

/// Who a joining client is.
extension Hub {
  enum Newcomer {
    case new
    /// A member of the session, or one that has left. The secret is the one to send in the welcome.
    case known(Member, secret: String, resumeAfter: Int?)
    /// With `oneMember`, a member whose join is pending.
    case joining(MemberID, secret: String)
    case refused(String)
  }

  /// Finds the member that a client is.
  ///
  /// With `oneMember` the `sub` of the token identifies it, so that a client without the member's
  /// secret gets one that nothing is compared with.
  func identify(
    _ resume: ClientMessage.Resume?, _ token: MemberToken?, in hosted: HostedSession
  ) -> Newcomer {
    let fold = hosted.session.fold
    let subject = fold.origin.host.isOneMember ? token?.subject : nil
    if let resume, let member = fold.knownMember(MemberID(resume.member)) {
      guard
        identities.hash(resume.secret).matches(member.secret)
          || subject != nil && subject.isExactly(member.subject)
      else { return .refused("invalid secret for this member") }
      if let token, !token.subject.isExactly(member.subject) {
        return .refused("the token has another sub than this member")
      }
      let resumeAfter = resume.epoch == fold.origin.epoch ? resume.revision : nil
      return .known(member, secret: resume.secret, resumeAfter: resumeAfter)
    }
    guard let subject else { return .new }
    if let member = fold.knownMember(subject: subject) {
      return .known(member, secret: identities.text(), resumeAfter: nil)
    }
    if let joining = hosted.attendance.joining(subject: subject) {
      return .joining(joining.member, secret: identities.text())
    }
    return .new
  }

  /// Gives a member whose join is pending the role of another token.
  ///
  /// - Returns: `false` if the log cannot store the role.
  func reconnectJoining(
    _ member: MemberID, _ role: Role?, _ hosted: HostedSession, at time: HubTime
  ) -> Bool {
    if let role, role != hosted.attendance.joining(member)?.role {
      guard append(.roleChanged(member, role), to: hosted, at: time) else { return false }
    }
    return true
  }
}

extension SessionFold {
  /// The member with a subject that is here, or has left and is remembered.
  fileprivate func knownMember(subject: String) -> Member? {
    members.values.first { $0.subject.isExactly(subject) }
      ?? remembered.members.last { $0.subject.isExactly(subject) }
  }
}
