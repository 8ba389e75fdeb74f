import CivilTime
import JSONText
import PickerModel

extension SessionFold {
  /// Executes a command and adds its only answer: a delta, a reply or a refusal.
  ///
  /// Moves the picker to `now` first, which can add a delta without author before. Sets
  /// ``remnant``.
  /// - Parameter op: ``LogEntry/op``.
  mutating func perform(
    _ command: Command, if precondition: Precondition?, ref: Int, by member: MemberID, op: String?,
    at now: Instant, _ effects: inout [Effect]
  ) {
    guard let index = index(of: member) else {
      if member == .host { perform(command, asHostIf: precondition, op: op, at: now, &effects) }
      return
    }
    let sender = facts.members.values[index].sender(of: ref)
    remnant = .nothing
    if let outcome = sender.outcome {
      let author = Delta.Author(member: member, ref: ref, command: command)
      effects.append(.answered(member, repeated(outcome, of: author)))
      return
    }
    let effectCount = effects.count
    let hasElapsed = tick(to: now, &effects)
    if effects.count > effectCount { remnant = .tick }
    let valueCount = undoList.count
    let isBrief = !readsAll(of: command)
    do throws(Refusal) {
      if ref <= sender.greatestRef { throw Refusal(oldRef: ref, greatest: sender.greatestRef) }
      try admit(command, ref: ref, by: member, role: sender.role, unless: nil)
      if let precondition, !isOwn(command) { try check(precondition, of: member) }
      if let change = try change(for: command, by: member, op: op, at: now, hasElapsed: hasElapsed)
      {
        commit(
          change, hasResult: takeResult(for: change), by: member, ref: ref,
          isBrief ? command.brief : command, if: precondition, at: now, &effects)
        remnant = .entry
      } else {
        effects.append(.answered(member, Answer(ref: ref, body: .reply(revision: revision))))
      }
      remember(ref, .done(revision: revision), at: index)
      switch command {
      case .reopen, .cancel: applyWaiting(at: now, &effects)
      case .rename(let name): rename(at: index, name, &effects)
      case .act, .undo, .redo, .confirm, .confirmWindow, .cancelWithReason, .inventory, .unknown:
        break
      }
    } catch {
      if error.code != .oldRef {
        remember(ref, .refused(error), at: index)
      }
      // An undo without effect has removed the values that it could not restore.
      if undoList.count != valueCount { remnant = .entry }
      let author = Delta.Author(member: member, ref: ref, command: command)
      effects.append(.answered(member, refused(error, author)))
    }
  }

  /// Executes a command of the host, which no role limits, and adds its only answer.
  private mutating func perform(
    _ command: Command, asHostIf precondition: Precondition?, op: String?, at now: Instant,
    _ effects: inout [Effect]
  ) {
    let effectCount = effects.count
    let hasElapsed = tick(to: now, &effects)
    let isBrief = !readsAll(of: command)
    remnant = effects.count > effectCount ? .tick : .nothing
    do throws(Refusal) {
      try admit(command, ref: 0, by: .host, role: .owner, unless: nil)
      if let precondition { try check(precondition, of: .host) }
      if let change = try change(for: command, by: .host, op: op, at: now, hasElapsed: hasElapsed) {
        commit(
          change, hasResult: takeResult(for: change), by: .host,
          isBrief ? command.brief : command, if: precondition, at: now, &effects)
        remnant = .entry
      } else {
        let reply = Answer(ref: nil, body: .reply(revision: revision))
        effects.append(.answered(.host, reply))
      }
      if command == .reopen || command.isCancel { applyWaiting(at: now, &effects) }
    } catch {
      let author = Delta.Author(member: .host, ref: 0, command: command)
      effects.append(.answered(.host, refused(error, author)))
    }
  }

  /// The index of a member in ``members``. With a single member, comparing is cheaper than hashing.
  ///
  /// This and other functions that change nothing are `mutating` so that a call does not copy the
  /// fold.
  private mutating func index(of member: MemberID) -> Dictionary<MemberID, Member>.Index? {
    // By `facts`: ``members`` would retain the dictionary.
    let first = facts.members.startIndex
    if facts.members.count == 1, facts.members.keys[first] == member { return first }
    return facts.members.index(forKey: member)
  }

  /// The properties of a command's sender, without its refs: while a copy of the member exists,
  /// adding a ref would copy the whole ref book.
  fileprivate struct Sender {
    let role: Role
    let greatestRef: Int
    /// The outcome of the command if it was sent before.
    let outcome: RefBook.Outcome?
  }

  /// Whether the picker uses all that the command says. If not, the history gets it brief.
  private mutating func readsAll(of command: Command) -> Bool {
    // Asked first, because the action is copied.
    guard command.hasBrief, case .act(let action) = command else { return true }
    return picker.readsAll(of: action)
  }

  /// Whether a command is about what nobody else can change, so that it is never late.
  private mutating func isOwn(_ command: Command) -> Bool {
    if case .act(let action) = command { picker.isOwn(action) } else { false }
  }

  /// The checks between that of the ref and the picker's own, in the documented order.
  mutating func admit(
    _ command: Command, ref: Int, by member: MemberID, role: Role, unless reason: UnstoredReason?
  ) throws(Refusal) {
    if case .unknown(let type) = command {
      throw Refusal(.unknownType, "unknown command type \(type.quoted)")
    }
    switch reason {
    case .rate:
      throw Refusal(.tooMany, "too many messages a second; send ref \(ref) again later")
    case .logBytes:
      throw Refusal(
        .full, "the log of this session has reached the limit logBytes; create a new session")
    case .storeBytes:
      throw Refusal(
        .full,
        "the store has reached the limit storeBytes, or sessionsBytes if it is the memory; send it "
          + "again when sessions have ended")
    case .fixedName:
      throw Refusal(.notAllowed, "the member's token has a name; the host changes it")
    case nil: break
    }
    if role < command.roleNeeded {
      throw Refusal(
        .notAllowed, "\(command.type) needs the role \(command.roleNeeded), not \(role)",
        ["role": .string(command.roleNeeded.rawValue)])
    }
    if !member.isHost {
      if command == .reopen, origin.host.isReopenedByHost {
        throw Refusal(.notAllowed, "only the host can reopen this session")
      }
      if command == .cancel, origin.host.isCancelledByHost, status != .confirming {
        throw Refusal(.notAllowed, "only the host can cancel this session")
      }
    }
    // Whatever the picker and its status are.
    if case .rename = command { return }
    try command.check(definition)
    if case .inventory(let inner) = command { try inner.check(facts.inventory?.settings) }
    if let confirmation = decision.confirmation, !command.isCancel {
      throw Refusal(
        .confirming, "the host decides on the confirmation; an owner can cancel it",
        [
          "status": .string(status.rawValue),
          "until": .string(confirmation.until.rfc3339),
        ])
    }
    if status != .open, status != .confirming, command != .reopen,
      !(status == .confirmed && command.isCancel && member == .host)
    {
      throw Refusal(
        .notOpen,
        "the session is \(status); \(origin.host.isReopenedByHost ? "the host" : "an owner") can "
          + "reopen it",
        ["status": .string(status.rawValue)])
    }
  }

  /// Executes the command, except for the change of the status, which
  /// ``commit(_:hasResult:by:ref:_:if:at:_:)`` makes.
  ///
  /// - Returns: The change; `nil` if there was nothing to change.
  /// - Throws: ``Refusal``. The picker and the status are unchanged then.
  private mutating func change(
    for command: Command, by member: MemberID, op: String?, at now: Instant, hasElapsed: Bool
  ) throws(Refusal) -> SessionChange? {
    switch command {
    case .act(let action): return try act(action, by: member, at: now)
    case .undo: return try undo()
    case .redo: return try redo()
    case .inventory(let inner): return try perform(inner, by: member)
    case .confirm: return try confirm(op: op, by: member, at: now, hasElapsed: hasElapsed)
    case .confirmWindow(let choice):
      return try confirm(choice, op: op, at: now, hasElapsed: hasElapsed)
    case .cancel: return .status(cancel(nil))
    case .cancelWithReason(let reason): return .status(cancel(reason))
    case .reopen:
      if status == .open { return nil }
      picker.endChoice()
      holdBooked()
      return .status(StatusChange(.open, result: picker.result(priced: notes)))
    case .rename: return nil
    case .unknown(let type): throw Refusal(.unknownType, type)
    }
  }

  /// Does something to the picker. The value before can be restored where there is undo.
  ///
  /// - Returns: `nil` if there was nothing to change, or the host gave it for an unknown member.
  private mutating func act(
    _ action: PickerAction, by member: MemberID, at now: Instant
  ) throws(Refusal) -> SessionChange? {
    if let subject = action.subject, knownMember(subject) == nil { return nil }
    let before = picker.value
    let actor = Actor(
      member, mayClose: mayClose(member, at: now),
      limits: PickerLimits(respondentsMax: limits.members, runsMax: limits.runs))
    let changes = try picker.perform(action, by: actor)
    if changes.isEmpty { return nil }
    if definition.kind.hasUndo {
      facts.undoList.push(
        UndoValue(before, units: facts.inventory?.units), countMax: limits.undo)
    }
    // Asked here, because a call of `named` copies the fold.
    let hasNames = definition.kind.hasParts
    return change(hasNames ? named(changes) : changes)
  }

  /// Whether `member` may close the open range now: always with ``SessionOrigin/OpenTap/shared``,
  /// and for the host; otherwise if it opened the range, or its opener has left or waited too long.
  private mutating func mayClose(_ member: MemberID, at now: Instant) -> Bool {
    guard origin.openTap == .opener, !member.isHost, let tap = picker.lastTap else { return true }
    if tap.member == member || members[tap.member] == nil { return true }
    // The clock may have been set back.
    let age = now.milliseconds - tap.at.milliseconds
    return age < 0 || age >= limits.openTapMilliseconds
  }

  private mutating func undo() throws(Refusal) -> SessionChange? {
    while let value = facts.undoList.popPast() {
      let before = UndoValue(picker.value, units: facts.inventory?.units)
      guard let change = restore(value) else { continue }
      facts.undoList.pushFuture(before)
      return change
    }
    throw Refusal(.nothingToUndo, "there is no earlier value to restore")
  }

  private mutating func redo() throws(Refusal) -> SessionChange? {
    while let value = facts.undoList.popFuture() {
      let before = UndoValue(picker.value, units: facts.inventory?.units)
      guard let change = restore(value) else { continue }
      facts.undoList.pushPast(before)
      return change
    }
    throw Refusal(.nothingToUndo, "there is no undone value to restore")
  }

  private mutating func restore(_ value: UndoValue) -> SessionChange? {
    let changes = picker.restore(value.selection)
    let hasOtherUnits = restore(units: value.units)
    return changes.isEmpty && !hasOtherUnits ? nil : change(changes)
  }

  /// Cancels the session, or takes back the confirmation on which the host decides.
  private mutating func cancel(_ reason: Note.Text?) -> StatusChange {
    let op = decision.confirmation?.op
    unbook()
    // The host cancels what was confirmed, which members go on seeing.
    if status != .confirmed { picker.endChoice() }
    return StatusChange(
      op == nil ? .cancelled : .open, result: currentResult, op: op, text: reason,
      locale: definition.locale)
  }

  private mutating func confirm(
    op: String?, by member: MemberID, at now: Instant, hasElapsed: Bool
  ) throws(Refusal) -> SessionChange? {
    guard result != .null else {
      throw Refusal(.notComplete, "there is no result to confirm yet")
    }
    if hasElapsed {
      throw Refusal(.elapsed, "the result has changed with time; check it and confirm again")
    }
    if facts.inventory != nil { try book(by: member) }
    return .status(confirm(op: op, at: now))
  }

  /// Makes a window that the member chose final, or asks the host to.
  private mutating func confirm(
    _ choice: WindowChoice, op: String?, at now: Instant, hasElapsed: Bool
  ) throws(Refusal) -> SessionChange? {
    try picker.choose(choice)
    if hasElapsed {
      picker.endChoice()
      throw Refusal(.elapsed, "the result has changed with time; check it and confirm again")
    }
    return .status(confirm(op: op, at: now))
  }

  private mutating func rename(
    at index: Dictionary<MemberID, Member>.Index, _ name: String, _ effects: inout [Effect]
  ) {
    guard !members.values[index].name.isExactly(name) else { return }
    facts.members.values[index].name = name
    effects.append(.renamed(members.keys[index]))
  }

  private mutating func remember(
    _ ref: Int, _ outcome: RefBook.Outcome, at index: Dictionary<MemberID, Member>.Index
  ) {
    facts.members.values[index].refs.remember(ref, outcome, countMax: limits.refs)
  }
}

extension Refusal {
  init(oldRef ref: Int, greatest: Int) {
    self.init(.oldRef, "ref \(ref) is unknown and not greater than the last ref \(greatest)")
  }
}

extension Member {
  /// Changes nothing. It is `mutating` so that a call on a dictionary's value does not copy the
  /// member.
  fileprivate mutating func sender(of ref: Int) -> SessionFold.Sender {
    SessionFold.Sender(role: role, greatestRef: refs.greatest, outcome: refs.outcome(of: ref))
  }
}
