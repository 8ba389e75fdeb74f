import Foundation
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
    add(NodeFact.facts(announcement, of: session))
  }

  private func add(_ facts: [NodeFact]) {
    outgoing.withLock { outgoing in
      guard outgoing.facts.count < PostgresFollower.factCountMax else {
        return outgoing.hasDropped = true
      }
      outgoing.facts += facts
    }
    wake.set()
  }

  /// Notifies the other nodes of a batch, except for entries of sessions that no other one has in
  /// memory. A node that is loading such a session gets the number of the last entry when it
  /// announces that (``share(_:with:)``).
  func announce(_ result: PostgresWriter.Result, epochs: [SessionID: String]) {
    guard !isAlone else { return }
    let heads = reports.use { served in result.heads.filter { !served.isOnlyHere($0.key) } }
    guard !heads.isEmpty || result.feedPosition != nil else { return }
    outgoing.withLock { outgoing in
      for (session, bodies) in result.shared {
        guard let base = result.bases[session], let epoch = epochs[session] else { continue }
        for (place, body) in bodies.enumerated() {
          guard let body, body.count <= NodeFact.entryByteCountMax,
            outgoing.entries.count < PostgresFollower.entryCountMax
          else { continue }
          outgoing.entries.append(
            .entry(
              session, epoch: epoch, sequence: base + 1 + place,
              body: String(decoding: body, as: UTF8.self)))
        }
      }
      outgoing.heads.merge(heads) { $1 }
      outgoing.batch = result.batch
      if let position = result.feedPosition { outgoing.facts.append(.feed(position)) }
    }
    wake.set()
  }

  /// Notifies the other nodes that a session has ended or was changed.
  func announceChange(of session: SessionID) {
    guard !isAlone else { return }
    outgoing.withLock { $0.heads[session] = .some(nil) }
    wake.set()
  }

  /// Notifies the other nodes that this one does not have a session in memory any more.
  func announceRelease(of session: SessionID) {
    if !isAlone { add([.released(session)]) }
  }

  func announceCursors() {
    guard !isAlone else { return }
    outgoing.withLock { $0.facts.append(.cursors) }
    wake.set()
  }

  /// The database is not reachable: announcements are lost, and nothing can be read.
  func dropOutgoing() {
    let catchUps = outgoing.withLock { outgoing in
      (outgoing.facts, outgoing.entries, outgoing.heads) = ([], [], [:])
      outgoing.batch = nil
      defer { outgoing.catchUps = [] }
      return outgoing.catchUps
    }
    for catchUp in catchUps { notify(.run(catchUp.session, catchUp.completion)) }
  }

  func send(_ connection: PostgresConnection) throws(PostgresError) {
    let (facts, hasDropped) = outgoing.withLock { outgoing in
      defer {
        (outgoing.facts, outgoing.entries, outgoing.heads) = ([], [], [:])
        (outgoing.batch, outgoing.hasDropped) = (nil, false)
      }
      // First, so that it is known before what it has stored.
      let batch = outgoing.batch.map { [NodeFact.batch($0)] } ?? []
      let heads = outgoing.heads.map { NodeFact.head($0.key, $0.value) }
      let facts = batch + (sendsEntries ? outgoing.entries : []) + heads + outgoing.facts
      return (facts, outgoing.hasDropped)
    }
    if !facts.isEmpty { try send(facts, connection) }
    if hasDropped { notify(.announcementsLost) }
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
      if !isOwn { receiveEntries(message.facts) }
    }
  }

  /// Passes on the entries of a message. Those that cannot be decoded are read.
  private func receiveEntries(_ facts: [NodeFact]) {
    var entries: [SessionID: (epoch: String, entries: [(sequence: Int, entry: LogEntry)])] = [:]
    for case .entry(let session, let epoch, let sequence, let body) in facts {
      guard reports.use({ $0.serves(session) }),
        let entry = try? StoredReading.entry(
          Data(body.utf8), of: session, after: nil, document: { _ in nil }, make: { _ in nil })
      else { continue }
      entries[session, default: (epoch, [])].entries.append((sequence, entry))
    }
    for (session, received) in entries {
      reports.report { $0.received(received.entries, epoch: received.epoch, of: session) }
    }
  }

  /// Another node has a session in memory.
  ///
  /// - Returns: Whether this one has it, too.
  private func share(_ session: SessionID, with node: Int) -> Bool {
    let (isServed, head) = reports.use { ($0.serves(session), $0.share(session, with: node)) }
    if let head {
      // One that waits to be sent may be newer, or say that the session has ended.
      outgoing.withLock { outgoing in
        outgoing.heads.merge([session: head]) { waiting, _ in waiting.map { max($0, head) } }
      }
    }
    return isServed
  }

  private func receive(_ fact: NodeFact, by sender: Int, isOwn: Bool) {
    switch fact {
    case .head(let session, let head):
      if isOwn { return }
      // The sender has the session in memory, too; its announcement may have been lost.
      if head != nil { _ = share(session, with: sender) }
      reports.use { served in
        if let head { served.noted(head, of: session) } else { served.doubted(session) }
      }
    case .entry: return
    case .batch(let number): if !isOwn { confirmer.witness.note(number, of: sender) }
    case .released(let session):
      if !isOwn { reports.use { $0.unshare(session, with: sender) } }
    case .feed(let position): feed.signal.advance(to: position)
    case .cursors: if !isOwn { feed.readState() }
    case .presentPart(let session, let members):
      guard reports.use({ $0.serves(session) }) else { return }
      parts[session, default: [:]][sender, default: []] += members
    case .announced(let session, var announcement):
      let part = parts[session]?.removeValue(forKey: sender)
      let isServed =
        isOwn ? reports.use { $0.serves(session) } : share(session, with: sender)
      guard isServed else { return parts[session] = nil }
      if case .present(let members) = announcement, let part {
        announcement = .present(part + members)
      }
      notify(.announced(announcement, by: NodeIncarnation("\(sender)"), session))
    }
  }
}
