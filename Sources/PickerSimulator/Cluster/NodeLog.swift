import PickerHub
import PickerSession

/// A node's connection to the ``SharedLog``.
final class NodeLog: SessionLog {
  let node: NodeIncarnation
  let isShared = true
  let canLoad = true
  let shared: SharedLog
  /// `nil` when the node was killed.
  weak var hub: Hub?
  /// Calls the hub.
  var enter: ((Hub) -> Void) -> Void = { _ in }

  /// A session that the hub has in memory or is loading.
  private struct Served {
    var load: Int
    /// The number of entries that were reported; `nil` while the session is being loaded.
    var position: Int?
    var hasEnded = false
  }

  private struct Pending {
    let record: LogRecord
    let load: Int
  }

  private var served: [SessionID: Served] = [:]
  private var pending: [SessionID: [Pending]] = [:]
  private var committing: Set<SessionID> = []
  private var loadCount = 0
  /// Announcements that have not reached the hub, in order.
  private var announcements:
    [(announcement: PresenceAnnouncement, session: SessionID, by: NodeIncarnation)] = []
  private var losesAnnouncements = false
  /// Events that are not in the feed yet, in the order in which the hub has passed them.
  var waitingEvents: [SessionID: [FeedRecord]] = [:]

  init(_ node: NodeIncarnation, _ shared: SharedLog) {
    self.node = node
    self.shared = shared
  }

  /// Whether records or announcements are on their way.
  var isIdle: Bool { pending.isEmpty && announcements.isEmpty }

  func later(_ range: ClosedRange<Int>, _ work: @escaping (NodeLog) -> Void) {
    shared.time.after(shared.random.within(range)) { [weak self] in
      if let self, hub != nil { work(self) }
    }
  }

  func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome {
    if case .created = record {
      loadCount += 1
      served[session] = Served(load: loadCount, position: 0)
    }
    let load = served[session]?.load ?? 0
    pending[session, default: []].append(Pending(record: record, load: load))
    if committing.insert(session).inserted { later(1...40) { $0.commit(session) } }
    return .pending
  }

  /// Commits some of a session's pending records in one transaction.
  private func commit(_ session: SessionID) {
    committing.remove(session)
    guard let records = pending[session] else { return }
    let count = shared.random.within(1...records.count)
    let rest = Array(records.dropFirst(count))
    pending[session] = rest.isEmpty ? nil : rest
    if !rest.isEmpty, committing.insert(session).inserted { later(1...40) { $0.commit(session) } }
    let fate = shared.isTroubled ? shared.random.below(30) : 2
    // The transaction failed, or its outcome is unknown; the hub gets the same notice.
    if fate != 0 { write(records.prefix(count), of: session) }
    guard fate > 1 else { return lose(session) }
    read(session)
  }

  /// The records of a session that are pending are lost, its own events among them.
  func lose(_ session: SessionID) {
    pending[session] = nil
    waitingEvents[session]?.removeAll { $0.isOwn }
    served[session] = nil
    enter { [shared] in $0.lost([session], at: shared.time.now) }
  }

  private func write(_ records: some Sequence<Pending>, of session: SessionID) {
    for pending in records {
      let writer = SharedLog.Writer(node: node, load: pending.load)
      if shared.commit(pending.record, of: session, by: writer) == .refused {
        enter { [shared] in
          $0.committed(.mixed([.refused]), of: session, at: shared.time.now)
        }
      } else if case .created = pending.record {
        enter { [shared] in $0.committed(.own(1), of: session, at: shared.time.now) }
      }
    }
  }

  /// Reports the entries of a session that the hub does not have.
  func read(_ session: SessionID) {
    guard hub != nil, let known = served[session], let position = known.position,
      let stored = shared.sessions[session]
    else { return }
    var records: [CommittedRecord] = []
    for entry in stored.entries.dropFirst(position) {
      let isOwn = entry.writer == SharedLog.Writer(node: node, load: known.load)
      if !isOwn && leavesOut() { continue }
      records.append(isOwn ? .own : .foreign(entry.entry))
    }
    swapTwice(&records)
    served[session]?.position = stored.entries.count
    if stored.hasEnded && !known.hasEnded {
      served[session]?.hasEnded = true
      records.append(.foreignEnd)
    }
    guard !records.isEmpty else { return }
    enter { [shared] in $0.committed(.mixed(records), of: session, at: shared.time.now) }
  }

  private func leavesOut() -> Bool {
    shared.defect == .entryLeftOut && shared.random.once(in: 4)
  }

  /// With the defect, an own entry and another node's have the same number: this node sees its own
  /// first.
  private func swapTwice(_ records: inout [CommittedRecord]) {
    guard shared.defect == .numberGivenTwice else { return }
    for index in records.indices.dropFirst() {
      guard case .own = records[index], case .foreign = records[index - 1] else { continue }
      records.swapAt(index - 1, index)
      return
    }
  }

  func store(_ snapshot: LogSnapshot, of session: SessionID) -> Bool { true }

  func load(_ session: SessionID, limits: SessionLimits, hub: Int) {
    loadCount += 1
    served[session] = Served(load: loadCount, position: nil)
    waitingEvents[session] = nil
    later(0...60) { $0.finishLoad(session, limits) }
  }

  private func finishLoad(_ session: SessionID, _ limits: SessionLimits) {
    guard served[session] != nil, let stored = shared.sessions[session], !stored.hasEnded,
      var fold = try? SessionFold(stored.origin, limits: limits)
    else {
      let outcome: LogLookup<LoadedSession> =
        shared.sessions[session]?.hasEnded != false ? .absent : .unavailable
      served[session] = nil
      return enter { [shared] in $0.loaded(session, outcome, at: shared.time.now) }
    }
    let missed = missedEvents(&fold, stored)
    served[session]?.position = stored.entries.count
    let loaded = LoadedSession(
      fold: fold, entryCount: stored.entries.count, idleMilliseconds: 0,
      eventSequence: stored.eventSequence, missed: missed)
    enter { [shared] in $0.loaded(session, .found(loaded), at: shared.time.now) }
  }

  func released(_ session: SessionID) { served[session] = nil }

  func history(
    from position: HistoryPosition, completion: @escaping @Sendable (HistoryPage?) -> Void
  ) {
    var position = position
    var deltas: [Delta] = []
    for entry in (shared.sessions[position.origin.id]?.entries ?? []).dropFirst(position.sequence) {
      position.apply(entry.entry, sequence: position.sequence + 1, &deltas)
    }
    let page = HistoryPage(deltas: deltas, next: nil)
    later(0...20) { node in node.enter { _ in completion(page) } }
  }
}

/// Look-ups and announcements.
extension NodeLog {
  func find(
    _ session: SessionID, completion: @escaping @Sendable (LogLookup<DormantSession>) -> Void
  ) {
    later(0...30) { node in
      var found = LogLookup<DormantSession>.absent
      if node.shared.isTroubled && node.shared.random.once(in: 20) {
        found = .unavailable
      } else if let stored = node.shared.sessions[session], !stored.hasEnded {
        found = .found(
          DormantSession(
            id: session, ttlSeconds: stored.origin.ttlSeconds, idleMilliseconds: 0,
            nextTick: nil, hasMembers: true))
      }
      node.enter { _ in completion(found) }
    }
  }

  func find(
    _ names: SessionIndex.Names, hub: Int,
    completion: @escaping @Sendable (LogLookup<NameOwner>) -> Void
  ) {
    later(0...30) { node in
      let owner = names.externalID.flatMap(node.shared.owner)
      node.enter { _ in completion(owner.map { .found(.session($0)) } ?? .absent) }
    }
  }

  func catchUp(_ session: SessionID, completion: @escaping @Sendable () -> Void) {
    later(0...30) { node in
      node.read(session)
      node.enter { _ in completion() }
    }
  }

  func announce(_ announcement: PresenceAnnouncement, of session: SessionID) {
    shared.announce(announcement, of: session, by: node)
  }

  func receive(
    _ announcement: PresenceAnnouncement, of session: SessionID, by sender: NodeIncarnation
  ) {
    guard !losesAnnouncements else { return }
    announcements.append((announcement, session, sender))
    later(0...40) { $0.deliver() }
  }

  private func deliver() {
    guard !announcements.isEmpty else { return }
    let first = announcements.removeFirst()
    enter { [shared] in
      $0.announced(first.announcement, by: first.by, of: first.session, at: shared.time.now)
    }
  }

  /// Loses all announcements for a while, as when the listening connection breaks.
  func loseAnnouncements(for milliseconds: Int) {
    losesAnnouncements = true
    later(milliseconds...milliseconds) { node in
      node.losesAnnouncements = false
      node.announcements = []
      node.enter { [shared = node.shared] in $0.announcementsLost(at: shared.time.now) }
    }
  }

  /// Compares the heads of the served sessions, because notifications may have been lost.
  func poll() {
    for session in served.keys.sorted(by: { $0.text < $1.text }) { read(session) }
    later(2000...2000) { $0.poll() }
  }

  /// Kills the node: a part of its pending records may be in the log.
  func kill() {
    hub = nil
    for session in pending.keys.sorted(by: { $0.text < $1.text }) {
      let records = pending[session] ?? []
      for pending in records.prefix(shared.random.within(0...records.count)) {
        _ = shared.commit(
          pending.record, of: session, by: SharedLog.Writer(node: node, load: pending.load))
      }
    }
    shared.leave(self)
  }
}
