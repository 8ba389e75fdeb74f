import PickerHub
import PickerSession

/// Notifications between the nodes.
extension PostgresFollower {
  /// Sends an announcement to all nodes, this one included. The hub only needs its own ones of
  /// connections.
  func announce(_ announcement: PresenceAnnouncement, of session: SessionID) {
    if isAlone {
      guard case .connected = announcement else { return }
      return notify(.announced(announcement, by: node, session))
    }
    outgoing.withLock { outgoing in
      guard outgoing.facts.count < PostgresFollower.factCountMax else { return }
      outgoing.facts += NodeFact.facts(announcement, of: session)
    }
    wake.set()
  }

  /// Notifies the other nodes of new entries; `nil`: the session has ended or was changed.
  func announce(heads: [SessionID: Int?], feedPosition: Int?) {
    guard !isAlone, !heads.isEmpty || feedPosition != nil else { return }
    outgoing.withLock { outgoing in
      outgoing.heads.merge(heads) { $1 }
      if let feedPosition { outgoing.facts.append(.feed(feedPosition)) }
    }
    wake.set()
  }

  func announceCursors() {
    guard !isAlone else { return }
    outgoing.withLock { $0.facts.append(.cursors) }
    wake.set()
  }

  /// The database is not reachable: announcements are lost, and nothing can be read.
  func dropOutgoing() {
    let catchUps = outgoing.withLock { outgoing in
      (outgoing.facts, outgoing.heads) = ([], [:])
      defer { outgoing.catchUps = [] }
      return outgoing.catchUps
    }
    for catchUp in catchUps { notify(.run(catchUp.session, catchUp.completion)) }
  }

  func send(_ connection: PostgresConnection) throws(PostgresError) {
    let facts = outgoing.withLock { outgoing in
      defer { (outgoing.facts, outgoing.heads) = ([], [:]) }
      return outgoing.heads.map { NodeFact.head($0.key, $0.value) } + outgoing.facts
    }
    if !facts.isEmpty { try send(facts, connection) }
  }

  /// Sends a message, also without facts.
  func send(_ facts: [NodeFact], _ connection: PostgresConnection) throws(PostgresError) {
    let payloads = NodeMessage.payloads(of: facts, by: incarnation, number: &messageNumber)
    try connection.run(
      "SELECT pg_notify('pickerd', payload) FROM unnest($1) AS payload", [.texts(payloads)])
  }

  func receive(_ payloads: [String]) {
    for payload in payloads {
      guard let message = NodeMessage(payload) else { continue }
      let isOwn = message.sender == incarnation
      if !isOwn {
        others.noteMessage(of: message.sender)
        // Before the facts: the hub answers them, perhaps at once.
        noteOthers()
      }
      for fact in message.facts { receive(fact, by: message.sender, isOwn: isOwn) }
    }
  }

  private func receive(_ fact: NodeFact, by sender: Int, isOwn: Bool) {
    switch fact {
    case .head(let session, let head):
      if isOwn { return }
      reports.use { served in
        if let head { served.noted(head, of: session) } else { served.doubted(session) }
      }
    case .feed(let position): feed.signal.advance(to: position)
    case .cursors: if !isOwn { feed.readState() }
    case .presentPart(let session, let members):
      guard reports.use({ $0.serves(session) }) else { return }
      parts[session, default: [:]][sender, default: []] += members
    case .announced(let session, var announcement):
      let part = parts[session]?.removeValue(forKey: sender)
      guard reports.use({ $0.serves(session) }) else { return parts[session] = nil }
      if case .present(let members) = announcement, let part {
        announcement = .present(part + members)
      }
      notify(.announced(announcement, by: NodeIncarnation("\(sender)"), session))
    }
  }
}
