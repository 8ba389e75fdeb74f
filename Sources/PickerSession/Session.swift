package import CivilTime
package import PickerModel

/// A session in memory: its state and its connections.
///
/// ``fold`` follows from the log and survives a restart. Everything else describes the current
/// connections and does not.
package final class Session {
  package private(set) var fold: SessionFold
  /// The open connections in the order in which they were attached.
  package private(set) var listeners: [Listener] = []
  /// The presence updates that have not been sent yet.
  package private(set) var updates = PresenceUpdates() { didSet { presenceCount &+= 1 } }
  /// Counts changes of ``updates``: while it is the same, so are the members and who is online.
  package private(set) var presenceCount = 0
  /// The positions of the fingers that are down.
  package private(set) var touches: [MemberID: Touch] = [:]
  /// Events of applied entries that have not been handed to the feed.
  private var events: [FeedEvent] = []
  /// The members with an open connection, and those whose connection is being replaced.
  private var online: Set<MemberID> = []
  /// The refs of refused commands that are not in the log. Each book has at most
  /// ``SessionLimits/refs`` entries; those of members that have left have few bytes in all, see
  /// ``retireUnloggedRefs(of:)``.
  private var unloggedRefs: [MemberID: RefBook] = [:]
  /// The bytes of ``unloggedRefs`` of members that have left.
  private(set) var retiredRefByteCount = 0

  /// The last version of its shared definition that changes nothing for the session, so that its
  /// log does not have it; 0 if there was none since it is in memory.
  package var versionWithoutChange = 0

  package init(_ fold: SessionFold) { self.fold = fold }

  package var id: SessionID { fold.origin.id }
  // These read single properties: reading `fold` as a whole, even to call its methods, copies it.
  package var revision: Int { fold.revision }
  package var hasInventory: Bool { fold.facts.inventory != nil }
  package var hasClaim: Bool { fold.facts.inventory?.hasClaim ?? false }
  package var status: SessionStatus { fold.status }
  /// Whether members get their roles from tokens. In a session without tokens nobody is a viewer.
  package var hasTokens: Bool {
    switch fold.origin.access {
    case .open, .creator: false
    case .tokens, .keys: true
    }
  }
  package var remnant: LogRemnant { fold.remnant }
  package var memberCount: Int { fold.members.count }
  package var nextTick: Instant? {
    // Most sessions wait for the picker only.
    guard fold.status == .open, fold.unreported == nil else { return fold.nextTick }
    return fold.picker.nextTick
  }
  /// The latest time at which the state was computed: later than the clock after that was set back.
  package var latestTime: Instant {
    fold.status == .open ? max(fold.reached, fold.picker.asOf) : fold.reached
  }

  /// Applies the next entry of the log.
  ///
  /// - Returns: The effects, in order. The welcome of a joining member is not among them: the log
  ///   does not know its connection. Call ``attach(_:)`` for it.
  package func apply(_ entry: LogEntry) -> [Effect] {
    var effects: [Effect] = []
    _ = apply(entry, &effects)
    return effects
  }

  /// Applies the next entry of the log, and appends its effects to an empty array.
  ///
  /// - Returns: Whether there is a new revision.
  package func apply(_ entry: LogEntry, _ effects: inout [Effect]) -> Bool {
    let (before, reached) = (fold.revision, fold.reached)
    fold.apply(entry, &effects)
    for index in effects.indices {
      // Asked first, because a method of `fold` copies it.
      if effects[index].canHaveEvent {
        events += fold.events(
          of: effects[index], at: SessionFold.time(of: entry, after: reached))
      }
      // Most are deltas, which are not copied here.
      if case .delta = effects[index], touches.isEmpty { continue }
      note(effects[index], &effects)
    }
    return fold.revision != before
  }

  /// Records what an effect changes for the connections, and may append presence to the effects.
  private func note(_ effect: Effect, _ effects: inout [Effect]) {
    switch effect {
    case .delta: liftFromRemovedRows(&effects)
    case .joined(let member, meta: _): updates.join(member)
    case .roleChanged(let member): updates.changeRole(member)
    case .renamed(let member): updates.change(member)
    case .left(let member):
      touches[member] = nil
      retireUnloggedRefs(of: member)
      updates.leave(member)
    case .cellsChanged, .answered, .resultReported, .revoked, .settled, .definitionRejected,
      .sightChanged, .presence:
      break
    }
  }

  package var creationEvent: FeedEvent { fold.creationEvent }

  package func endEvent(_ reason: SessionEnd, at now: Instant) -> FeedEvent {
    fold.endEvent(reason, at: now)
  }

  package var hasEvents: Bool { !events.isEmpty }

  /// Takes the events away, to be handed to the feed.
  package func takeEvents() -> [FeedEvent] {
    defer { events = [] }
    return events
  }

  /// Refuses a command without logging it, see
  /// ``SessionFold/refusal(of:ref:by:unless:unlogged:)``, and records its ref in memory.
  ///
  /// - Returns: The answer; `nil` if the member has left.
  package func refuse(
    _ command: Command, ref: Int, by member: MemberID, unless reason: UnstoredReason?
  ) -> Effect? {
    let unlogged = unloggedRefs[member] ?? RefBook()
    guard
      let answer = fold.refusal(
        of: command, ref: ref, by: member, unless: reason, unlogged: unlogged)
    else { return nil }
    remember(answer, to: ref, of: member)
    return .answered(member, answer)
  }

  private func remember(_ answer: Answer, to ref: Int, of member: MemberID) {
    guard case .refused(let refusal, _) = answer.body,
      refusal.code == .unknownType || refusal.code == .notAllowed,
      ref > greatestRef(of: member)
    else { return }
    unloggedRefs[member, default: RefBook()].remember(
      ref, .refused(refusal), countMax: fold.limits.refs)
  }

  /// Keeps the refs of a member that leaves, which may rejoin, as long as the fold remembers it.
  /// If the entries of such members exceed ``SessionLimits/rememberedRefBytes``, this one retains
  /// only its greatest ref: a command that it repeats is refused with `oldRef`.
  private func retireUnloggedRefs(of member: MemberID) {
    guard unloggedRefs[member] != nil else { return }
    unloggedRefs = unloggedRefs.filter { book in
      fold.members[book.key] != nil || fold.remembered.member(book.key) != nil
    }
    let byteCount = unloggedRefs.reduce(0) { sum, book in
      fold.members[book.key] == nil ? sum + book.value.byteCount : sum
    }
    retiredRefByteCount = byteCount
    if byteCount > fold.limits.rememberedRefBytes {
      retiredRefByteCount -= unloggedRefs[member]?.byteCount ?? 0
      unloggedRefs[member]?.forgetEntries()
    }
  }

  /// The greatest recorded ref of a member, in the log or not; 0 if there is none.
  package func greatestRef(of member: MemberID) -> Int {
    max(fold.members[member]?.refs.greatest ?? 0, greatestUnloggedRef(of: member))
  }

  /// The greatest recorded ref of a member's refused commands that are not in the log. A command
  /// whose ref is not greater must not be logged, because it is not executed.
  package func greatestUnloggedRef(of member: MemberID) -> Int {
    unloggedRefs.isEmpty ? 0 : unloggedRefs[member]?.greatest ?? 0
  }

  /// Removes the history from memory: it can be read from the log again.
  package func dropHistory() { fold.dropHistory() }

  /// Prepends deltas, read from the log, to the history in memory.
  package func restoreHistory(_ deltas: [Delta]) { fold.restoreHistory(deltas) }

  /// The role of a member; `nil` if it is not in the session.
  package func role(of member: MemberID) -> Role? { fold.members[member]?.role }

  /// Whether a command at `now` is read as a whole, so that all of it must be logged. While the
  /// host decides, a changed definition may wait for the end of the time.
  package func readsAll(of command: Command, at now: Instant) -> Bool {
    // Asked first, because the action is copied.
    guard command.hasBrief, case .act(let action) = command, fold.status != .confirming else {
      return true
    }
    return fold.picker.readsAll(of: action) || !fold.picker.isStill(at: max(now, fold.reached))
  }

  /// The connection of a member, which has at most one; `nil` if it is offline.
  package func listener(of member: MemberID) -> Listener? {
    listeners.first { $0.member == member }
  }

  package func isOnline(_ member: MemberID) -> Bool { online.contains(member) }

  /// The members that are connected.
  package var onlineMembers: Set<MemberID> { online }

  /// Adds the connection of a member.
  ///
  /// - Precondition: The fold has the member, and it has no other listener.
  package func attach(_ listener: Listener) -> [Effect] {
    guard let member = listener.member, fold.members[member] != nil else {
      preconditionFailure("only a member can be connected")
    }
    precondition(self.listener(of: member) == nil, "a member has one connection")
    listeners.append(listener)
    updates.welcome(member)
    if online.insert(member).inserted { updates.change(member) }
    return [.presence]
  }

  /// Adds the connection of an anonymous observer. Members get no message about it.
  ///
  /// - Precondition: `listener.member` is `nil`.
  package func watch(_ listener: Listener) {
    precondition(listener.member == nil, "a member is attached")
    listeners.append(listener)
  }

  /// Removes a connection; nothing if it is unknown. Its member stays in the session.
  ///
  /// - Parameter isReplaced: Whether the member has a newer connection that is not attached yet. It
  ///   stays online then, until ``disconnect(_:)``.
  package func detach(
    _ connection: ConnectionID, isReplaced: Bool = false
  ) -> [Effect] {
    guard let index = listeners.firstIndex(where: { $0.connection == connection }) else {
      return []
    }
    guard let member = listeners.remove(at: index).member else { return [] }
    if touches.removeValue(forKey: member) != nil { updates.touch(member, .lifted) }
    return isReplaced ? [] : disconnect(member)
  }

  /// A member without a listener is offline; nothing if it was already.
  package func disconnect(_ member: MemberID) -> [Effect] {
    guard online.remove(member) != nil else { return [] }
    if fold.members[member] != nil { updates.change(member) }
    return [.presence]
  }

  /// Sets the months that a listener displays.
  package func look(_ connection: ConnectionID, at view: MonthView?) {
    guard let index = listeners.firstIndex(where: { $0.connection == connection }) else { return }
    listeners[index].view = view
  }

  /// Moves or lifts a member's finger. Empty if that changes nothing.
  package func touch(_ member: MemberID, _ touch: Touch) -> [Effect] {
    guard fold.members[member] != nil, touches[member] ?? .lifted != touch else { return [] }
    touches[member] = touch == .lifted ? nil : touch
    updates.touch(member, touch)
    return [.presence]
  }

  /// Lifts the fingers from rows that do not exist any more.
  private func liftFromRemovedRows(_ effects: inout [Effect]) {
    let columns = fold.picker.columns
    for (member, touch) in touches.sorted(by: { $0.key.text < $1.key.text }) {
      guard case .row(let column, let row, isHover: _) = touch,
        !columns.indices.contains(column) || row >= columns[column].rows.count
      else { continue }
      effects += self.touch(member, .lifted)
    }
  }

  /// Returns the presence updates to send, and clears them.
  package func takeUpdates() -> PresenceUpdates {
    defer { updates = PresenceUpdates() }
    return updates
  }
}

/// The memory of a session. Definitions count themselves, because sessions and deltas share them.
extension Session {
  /// The memory in bytes without definitions, an estimate that takes as long for every session.
  ///
  /// The amounts are rounded from measurements: a member takes 1 KB. The refs of members are not
  /// counted, because other limits bound them: a member is connected or leaves soon, and a tap adds
  /// one ref.
  package var byteCount: Int {
    // Reads single properties, because reading `fold` copies it.
    let memberCount = fold.members.count + fold.remembered.members.count
    let texts =
      fold.notes.byteCount + fold.origin.notes.byteCount + 4 * fold.decision.waitingByteCount
      + (fold.origin.host.meta?.text.utf8.count ?? 0)
    let parts = fold.picker.partsByteCount
    return Session.byteCountMin + parts + 1024 * memberCount + fold.remembered.refByteCount
      + retiredRefByteCount + historyByteCount + 128 * fold.undoList.count + texts
      + (fold.facts.inventory?.levels.byteCount ?? 0)
  }

  /// The memory of a session without members, history and texts, rounded from measurements of 3 to
  /// 4 KB.
  package static let byteCountMin = 4096

  /// The memory of the history in bytes without definitions, an estimate: the delta of a tap takes
  /// 400 to 600.
  package var historyByteCount: Int {
    512 * fold.history.count + Delta.weightBytes * fold.historyWeight
  }
}
