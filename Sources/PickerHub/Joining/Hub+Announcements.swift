package import PickerSession

/// The time in which a node announces its members after it was asked for them.
private let remoteMilliseconds: Int64 = 10_000

/// Presence between the nodes that serve a session. Nothing of it is stored, and a hub whose log is
/// not shared announces nothing.
extension Hub {
  /// Announces that a member has connected.
  func announceConnection(of member: MemberID, in hosted: HostedSession) {
    guard isShared else { return }
    hosted.remote.announced(member)
    log.announce(.connected(member), of: hosted.id)
  }

  func announce(_ announcement: PresenceAnnouncement, in hosted: HostedSession) {
    if isShared { log.announce(announcement, of: hosted.id) }
  }

  /// Announces the members that are connected to this node.
  private func announcePresent(in hosted: HostedSession) {
    let members = hosted.session.listeners.compactMap(\.member)
    announce(.present(members.sorted { $0.text < $1.text }), in: hosted)
  }

  /// Announces where the fingers of this node's members are.
  func announceTouches(_ updates: PresenceUpdates, in hosted: HostedSession) {
    guard isShared else { return }
    for touching in updates.touching
    where hosted.session.listener(of: touching.member) != nil {
      announce(.touched(touching.member, touching.touch), in: hosted)
    }
  }

  /// An announcement about a session has arrived, in the order that all nodes see.
  package func announced(
    _ announcement: PresenceAnnouncement, by node: NodeIncarnation, of session: SessionID,
    at time: HubTime
  ) {
    now = time
    guard let hosted = directory.hosted(session), !hosted.isEnding else { return }
    if node == log.node {
      if case .connected(let member) = announcement { hosted.remote.confirmed(member) }
      return
    }
    switch announcement {
    case .serving: announcePresent(in: hosted)
    case .connected(let member):
      connected(member, to: node, in: hosted)
      closeOlder(of: member, in: hosted)
    case .present(let members):
      let known = hosted.remote.members(of: node)
      disconnected(hosted.remote.set(members, of: node), in: hosted)
      for member in members {
        connected(member, to: node, in: hosted)
        settle(member, isKnown: known.contains(member), in: hosted)
      }
    case .disconnected(let member):
      hosted.remote.disconnect(member, from: node)
      disconnected([member], in: hosted)
    case .touched(let member, let touch):
      guard hosted.remote.isConnected(member) else { return }
      perform(hosted.session.touch(member, touch), in: hosted, at: time)
    }
  }

  /// A node has stopped: its members go offline together.
  package func nodeLost(_ node: NodeIncarnation, at time: HubTime) {
    now = time
    for hosted in directory.hostedInOrder where !hosted.isEnding {
      disconnected(hosted.remote.set([], of: node), in: hosted)
    }
  }

  /// Announcements may have been lost in both directions: asks the other nodes for their members,
  /// and announces its own.
  package func announcementsLost(at time: HubTime) {
    now = time
    for hosted in directory.hostedInOrder where !hosted.isEnding {
      hosted.remote.beginDoubt()
      announce(.serving, in: hosted)
      announcePresent(in: hosted)
      schedule.add(.remotes(hosted.id), due: time.machine + remoteMilliseconds)
    }
  }

  /// The other nodes had time to announce their members of a session again. Those that have not
  /// done so have released it: nobody is connected there.
  func endDoubt(of hosted: HostedSession) {
    for node in hosted.remote.endDoubt() {
      disconnected(hosted.remote.set([], of: node), in: hosted)
    }
  }

  private func connected(
    _ member: MemberID, to node: NodeIncarnation, in hosted: HostedSession
  ) {
    hosted.remote.connect(member, to: node)
    hosted.attendance.endAbsence(of: member)
    perform(hosted.session.connectElsewhere(member), in: hosted, at: now)
  }

  /// Members have no connection to a node any more. If they have none at all, they are absent.
  private func disconnected(_ members: [MemberID], in hosted: HostedSession) {
    var effects: [SessionEffect] = []
    for member in members where !hosted.remote.isConnected(member) {
      effects += hosted.session.disconnectElsewhere(member)
      if !hosted.session.isOnline(member) { noteAbsence(of: member, in: hosted, at: now) }
    }
    if !effects.isEmpty { broadcastPresence(in: hosted, at: now) }
  }

  /// Closes the connection of a member that has connected to another node since.
  private func closeOlder(of member: MemberID, in hosted: HostedSession) {
    guard hosted.remote.isConfirmed(member),
      let listener = hosted.session.listener(of: member),
      let connection = connections[listener.connection]
    else { return }
    close(connection, .connectedElsewhere, "the same member has connected again")
  }

  /// A member has a connection to this node, and another node has announced that it has one, too.
  ///
  /// - Parameter isKnown: Whether this node knew the other connection. If not, the other node may
  ///   just have received the announcement of this one, and is asked again. If so, an announcement
  ///   was lost: this connection is announced again, so that the other one is closed.
  private func settle(_ member: MemberID, isKnown: Bool, in hosted: HostedSession) {
    guard hosted.remote.isConfirmed(member), hosted.session.listener(of: member) != nil else {
      return
    }
    if isKnown {
      announceConnection(of: member, in: hosted)
    } else {
      announce(.serving, in: hosted)
    }
  }
}

/// Members in the entries of other nodes.
extension Hub {
  /// An entry of a shared log was applied: what it means for absences and connections.
  func noteMembers(_ body: LogEntry.Body, isOwn: Bool, in hosted: HostedSession) {
    if isOwn {
      if case .returned(let member, _, room: _) = body { noteReturn(of: member, in: hosted) }
      return
    }
    switch body {
    case .joined(let joining): noteArrival(of: joining.member, in: hosted)
    case .returned(let member, _, room: _): noteArrival(of: member, in: hosted)
    case .left(let member): noteDeparture(of: member, in: hosted)
    case .command(let member, ref: _, _, _): renewAbsence(of: member, in: hosted)
    case .roleChanged, .revoked, .define, .note, .settle, .tick, .clockSet: break
    }
  }

  private func noteArrival(of member: MemberID, in hosted: HostedSession) {
    if !hosted.session.isOnline(member) { noteAbsence(of: member, in: hosted, at: now) }
    broadcastPresence(in: hosted, at: now)
  }

  /// A member that is connected here was removed because another node has not known that: it
  /// returns at once. If commands of it are pending, which have no effect without the member, its
  /// connection is closed, so that the client sends them again.
  private func noteDeparture(of member: MemberID, in hosted: HostedSession) {
    guard hosted.phase == .open, let id = hosted.attendance.connection(of: member),
      let connection = connections[id]
    else { return }
    guard hosted.session.listener(of: member) != nil, !hosted.steps.hasCommand(of: member),
      appendReturn(of: member, nil, hosted, at: now)
    else {
      return close(connection, .unavailable, "the member has just left; reconnect and resume")
    }
  }

  /// The return of a member that is connected was applied.
  private func noteReturn(of member: MemberID, in hosted: HostedSession) {
    guard let listener = hosted.session.listener(of: member) else { return }
    if hosted.session.role(of: member) == nil, let connection = connections[listener.connection] {
      return closeRefused(connection, member, in: hosted)
    }
    broadcastPresence(in: hosted, at: now)
  }
}
