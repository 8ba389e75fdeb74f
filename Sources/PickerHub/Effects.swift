import PickerModel
import PickerSession
import PickerWire

/// Performs the effects of a session. Each delivery may leave connections with too many pending
/// messages, which are closed right after it.
extension Hub {
  func perform(_ effects: [Effect], in hosted: HostedSession, at time: HubTime) {
    if hosted.isEnding { return }
    for effect in effects {
      switch effect {
      case .delta(let delta):
        let common = fanOut.broadcast(
          delta, in: hosted.session, at: time,
          author: delta.by.flatMap { connection(of: $0, in: hosted) })
        closeOverflowing()
        if let common = consume common { fanOut.post(common, at: time) }
      case .cellsChanged(let change):
        fanOut.sendMonthsAgain(change, in: hosted.session, at: time)
      case .answered(let member, let answer):
        guard let id = self.connection(of: member, in: hosted), let connection = connections[id],
          connection.isListening
        else { break }
        self.answer(connection, answer, in: hosted)
      case .joined, .resultReported, .settled, .definitionRejected: break
      case .revoked(let target): closeRevoked(target, in: hosted)
      case .roleChanged, .renamed, .left, .presence: broadcastPresence(in: hosted, at: time)
      case .sightChanged(let member): changeSight(of: member, in: hosted, at: time)
      }
      closeOverflowing()
    }
  }

  /// The connection of a delta's member, if it has one.
  private func connection(of member: MemberID, in hosted: HostedSession) -> ConnectionID? {
    if let author, author.hosted === hosted, author.member?.text.isExactly(member.text) == true {
      return author.id
    }
    return hosted.attendance.connection(of: member)
  }

  func answer(_ connection: HubConnection, _ answer: Answer, in hosted: HostedSession) {
    fanOut.send(answer, to: connection, in: hosted.session, at: now)
    closeOverflowing()
  }

  /// Broadcasts the presence updates, at most once in `presenceMilliseconds`, and less often if the
  /// last ones were large: if the last broadcast was more recent, a timer does it later.
  func broadcastPresence(in hosted: HostedSession, at time: HubTime) {
    let interval = limits.session.presenceMilliseconds
    switch hosted.presence.decide(at: time.machine, interval: interval) {
    case .now: break
    case .later(let due): return schedule.add(.presence(hosted.id), due: due)
    case .queued: return
    }
    sendPresence(in: hosted, at: time)
  }

  private func sendPresence(in hosted: HostedSession, at time: HubTime) {
    let updates = hosted.session.takeUpdates()
    if updates.isEmpty { return }
    let encoded = EncodedPresence(updates, in: hosted.session)
    let byteCount = fanOut.broadcast(encoded, in: hosted.session, at: time)
    hosted.presence.broadcast(at: time.machine, byteCount: byteCount)
    fanOut.sendSights(in: hosted.session, at: time)
    closeOverflowing()
  }

  /// A member, or with `nil` everybody who is no owner, may see more or less. A member's role is
  /// sent with its presence, and the snapshot follows it; both before any later delta, because who
  /// resumes after such a delta gets no snapshot (``SessionFold/mayResume(_:after:)``).
  private func changeSight(of member: MemberID?, in hosted: HostedSession, at time: HubTime) {
    for listener in hosted.session.listeners {
      guard member == nil || listener.member == member,
        member != nil || !listener.seesAll && !hosted.isOwner(listener.member)
      else { continue }
      connections[listener.connection]?.needsSight = true
    }
    if let member, hosted.session.updates.roleChanged.contains(member) {
      sendPresence(in: hosted, at: time)
    } else {
      fanOut.sendSights(in: hosted.session, at: time)
    }
  }

  func deliver(_ message: Outbox.Waiting, _ connection: HubConnection) {
    connections.deliver(message, to: connection, at: now)
    closeOverflowing()
  }
}

extension HostedSession {
  fileprivate func isOwner(_ member: MemberID?) -> Bool {
    member.flatMap { session.role(of: $0) } == .owner
  }
}
