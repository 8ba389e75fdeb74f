package import CivilTime
import PickerModel

/// One shared picker with the connections of its members.
///
/// The fold is what happened and would survive a restart; the rest is who is listening right now.
package final class Session {
  package private(set) var fold: SessionFold
  /// The open connections, in the order in which they came.
  package private(set) var listeners: [Listener] = []
  /// What the members have not been told yet.
  package private(set) var updates = PresenceUpdates()
  /// Where each connected member's finger is.
  package private(set) var touches: [MemberID: Touch] = [:]
  /// The members with an open connection.
  private var online: Set<MemberID> = []

  package init(_ fold: SessionFold) { self.fold = fold }

  package var id: SessionID { fold.origin.id }
  // From outside, a look at ``fold`` is a copy of it, and so is asking it from inside.
  package var revision: Int { fold.revision }
  /// Whether members have the roles of their tokens; if not, nobody is a viewer.
  package var hasTokens: Bool {
    if case .tokens = fold.origin.access { true } else { false }
  }
  package var remnant: LogRemnant { fold.remnant }
  package var memberCount: Int { fold.members.count }
  package var nextTick: Instant? { fold.status == .open ? fold.picker.nextTick : nil }

  /// Takes the next entry of the log.
  ///
  /// - Returns: What members hear, in order. A joining member is not welcomed here, because its
  ///   connection is not known to the log; see ``attach(_:)``.
  package func apply(_ entry: LogEntry) -> [SessionEffect] {
    var (outcomes, effects): ([Outcome], [SessionEffect]) = ([], [])
    _ = apply(entry, &outcomes, &effects)
    return effects
  }

  /// Takes the next entry of the log, and adds what members hear.
  ///
  /// - Parameter outcomes: Room that is empty before and after.
  /// - Returns: Whether there is a new revision.
  package func apply(
    _ entry: LogEntry, _ outcomes: inout [Outcome], _ effects: inout [SessionEffect]
  ) -> Bool {
    let before = fold.revision
    fold.apply(entry, &outcomes)
    for outcome in outcomes {
      switch outcome {
      case .delta(let delta): effects.append(.broadcast(delta))
      case .cellsChanged(let change): effects.append(.monthsAgain(change))
      case .answered(let member, let answer):
        if let listener = listener(of: member) {
          effects.append(.answer(listener.connection, answer))
        } else {
          effects.append(.unheard(member, answer))
        }
      case .joined(let member):
        // Told when its connection listens: the others then hear of it once, online.
        updates.join(member)
      case .roleChanged(let member):
        updates.changeRole(member)
        effects.append(.presence)
      case .left(let member):
        touches[member] = nil
        updates.leave(member)
        effects.append(.presence)
      }
    }
    outcomes.removeLast(outcomes.count)
    return fold.revision != before
  }

  /// Refuses a command that is not in the log.
  ///
  /// - Returns: The answer, and to which connection; nothing if the member has left.
  package func refuse(
    _ command: Command, ref: Int, by member: MemberID, beyond limit: ExceededLimit?
  ) -> SessionEffect? {
    guard let answer = fold.refusal(of: command, ref: ref, by: member, beyond: limit)
    else { return nil }
    guard let listener = listener(of: member) else { return .unheard(member, answer) }
    return .answer(listener.connection, answer)
  }

  /// Puts deltas that the log has before those in memory.
  package func restoreHistory(_ deltas: [Delta]) { fold.restoreHistory(deltas) }

  package func role(of member: MemberID) -> Role? { fold.members[member]?.role }

  /// Whether a select at `now` would be done without its key being read.
  package func ignoresKey(of selection: Command.Selection, at now: Instant) -> Bool {
    fold.isCurrent(selection) && fold.picker.isStill(at: now)
  }

  package func listener(of member: MemberID) -> Listener? {
    listeners.first { $0.member == member }
  }

  package func isOnline(_ member: MemberID) -> Bool { online.contains(member) }

  /// Connects a member that the fold knows.
  package func attach(_ listener: Listener) -> [SessionEffect] {
    guard let member = listener.member, fold.members[member] != nil else {
      preconditionFailure("only a member can be connected")
    }
    precondition(!isOnline(member), "a member has one connection")
    listeners.append(listener)
    online.insert(member)
    updates.welcome(member)
    return [.presence]
  }

  /// Lets a connection of nobody watch. The members do not hear of it.
  package func watch(_ listener: Listener) {
    precondition(listener.member == nil, "a member is attached")
    listeners.append(listener)
  }

  /// Takes a connection away. Its member stays, offline.
  package func detach(_ connection: ConnectionID) -> [SessionEffect] {
    guard let index = listeners.firstIndex(where: { $0.connection == connection }) else {
      return []
    }
    guard let member = listeners.remove(at: index).member else { return [] }
    online.remove(member)
    if touches.removeValue(forKey: member) != nil { updates.touch(member, .lifted) }
    if fold.members[member] != nil { updates.change(member) }
    return [.presence]
  }

  /// Sets the months that a listener looks at.
  package func look(_ connection: ConnectionID, at view: MonthView?) {
    guard let index = listeners.firstIndex(where: { $0.connection == connection }) else { return }
    listeners[index].view = view
  }

  /// Moves or lifts a member's finger.
  package func touch(_ member: MemberID, _ touch: Touch) -> [SessionEffect] {
    guard fold.members[member] != nil, touches[member] ?? .lifted != touch else { return [] }
    touches[member] = touch == .lifted ? nil : touch
    updates.touch(member, touch)
    return [.presence]
  }

  /// Takes the updates away, to be told.
  package func takeUpdates() -> PresenceUpdates {
    defer { updates = PresenceUpdates() }
    return updates
  }
}
