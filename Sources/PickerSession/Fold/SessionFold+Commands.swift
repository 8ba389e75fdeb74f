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
    let sender = members.values[index].sender(of: ref)
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
    let hasUnreadKey = hasUnreadKey(command)
    do throws(Refusal) {
      if ref <= sender.greatestRef { throw Refusal(oldRef: ref, greatest: sender.greatestRef) }
      try admit(command, ref: ref, by: member, role: sender.role, unless: nil)
      if let precondition, !isAboutOwnMarks(command) { try check(precondition, of: member) }
      if let change = try change(for: command, by: member, op: op, at: now, hasElapsed: hasElapsed)
      {
        commit(
          change, hasResult: takeResult(for: change), by: member, ref: ref,
          hasUnreadKey ? command.withoutKey : command, at: now, &effects)
        remnant = .entry
      } else {
        effects.append(.answered(member, Answer(ref: ref, body: .reply(revision: revision))))
      }
      remember(ref, .done(revision: revision), at: index)
      switch command {
      case .reopen, .cancel: applyWaiting(at: now, &effects)
      case .rename(let name): rename(at: index, name, &effects)
      case .select, .tap, .clear, .undo, .redo, .confirm, .confirmWindow, .mark, .importMarks,
        .unknown:
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
    let hasUnreadKey = hasUnreadKey(command)
    remnant = effects.count > effectCount ? .tick : .nothing
    do throws(Refusal) {
      try admit(command, ref: 0, by: .host, role: .owner, unless: nil)
      if let precondition { try check(precondition, of: .host) }
      if let change = try change(for: command, by: .host, op: op, at: now, hasElapsed: hasElapsed) {
        commit(
          change, hasResult: takeResult(for: change), by: .host,
          hasUnreadKey ? command.withoutKey : command, at: now, &effects)
        remnant = .entry
      } else {
        let reply = Answer(ref: nil, body: .reply(revision: revision))
        effects.append(.answered(.host, reply))
      }
      if command == .reopen || command == .cancel { applyWaiting(at: now, &effects) }
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
    if members.count == 1, members.keys[members.startIndex] == member { return members.startIndex }
    return members.index(forKey: member)
  }

  /// The properties of a command's sender, without its refs: while a copy of the member exists,
  /// adding a ref would copy the whole ref book.
  fileprivate struct Sender {
    let role: Role
    let greatestRef: Int
    /// The outcome of the command if it was sent before.
    let outcome: RefBook.Outcome?
  }

  /// Whether the history gets a select without its key. That is so if the generation is current:
  /// the key is not used, and a client could fill the history with long keys.
  private mutating func hasUnreadKey(_ command: Command) -> Bool {
    guard case .select(let selection) = command, selection.key != nil else { return false }
    return isCurrent(selection)
  }

  /// Whether the column still has the rows that the member saw. The row's index counts then, not
  /// its key.
  func isCurrent(_ selection: Command.Selection) -> Bool {
    picker.columns.indices.contains(selection.column)
      && picker.columns[selection.column].generation == selection.generation
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
        .full, "the log of this session has reached its maximum size; create a new session")
    case .storeBytes:
      throw Refusal(
        .full, "the store of the server has reached its maximum size; send it again later")
    case .fixedName:
      throw Refusal(.notAllowed, "the member's token has a name; the host changes it")
    case nil: break
    }
    if role < command.roleNeeded {
      throw Refusal(
        .notAllowed, "\(command.type) needs the role \(command.roleNeeded), not \(role)",
        ["role": .string(command.roleNeeded.rawValue)])
    }
    if command == .reopen, origin.host.isReopenedByHost, member != .host {
      throw Refusal(.notAllowed, "only the host can reopen this session")
    }
    // Whatever the picker and its status are.
    if case .rename = command { return }
    let kind = definition.kind
    if !command.fits(kind) {
      let pickers = kind == .calendar ? "calendars" : "\(kind) pickers"
      throw Refusal(.wrongKind, "\(command.type) is not supported for \(pickers)")
    }
    if let confirmation = decision.confirmation, command != .cancel {
      throw Refusal(
        .confirming, "the host decides on the confirmation; an owner can cancel it",
        [
          "status": .string(status.rawValue),
          "until": .string(confirmation.until.rfc3339),
        ])
    }
    if status != .open, status != .confirming, command != .reopen,
      !(status == .confirmed && command == .cancel && member == .host)
    {
      throw Refusal(
        .notOpen,
        "the session is \(status); \(origin.host.isReopenedByHost ? "the host" : "an owner") can "
          + "reopen it",
        ["status": .string(status.rawValue)])
    }
  }

  /// Executes the command, except for the change of the status, which
  /// ``commit(_:hasResult:by:ref:_:at:_:)`` makes.
  ///
  /// - Returns: The change; `nil` if there was nothing to change.
  /// - Throws: ``Refusal``. The picker and the status are unchanged then.
  private mutating func change(
    for command: Command, by member: MemberID, op: String?, at now: Instant, hasElapsed: Bool
  ) throws(Refusal) -> SessionChange? {
    switch command {
    case .select(let selection): return try select(selection)
    case .tap(let target): return try tap(target, by: member, at: now)
    case .clear where definition.kind == .availability: return try clearMarks(of: member)
    case .clear: return clear()
    case .mark(let mark): return try self.mark(mark, by: member)
    case .importMarks(let marks): return try take(marks)
    case .undo: return try undo()
    case .redo: return try redo()
    case .confirm: return try confirm(op: op, at: now, hasElapsed: hasElapsed)
    case .confirmWindow(let cell, let generation):
      return try confirm(
        cell: cell, generation: generation, op: op, at: now, hasElapsed: hasElapsed)
    case .cancel:
      let op = decision.confirmation?.op
      // The host cancels what was confirmed, which members go on seeing.
      if status != .confirmed { picker.endChoice() }
      return .status(StatusChange(op == nil ? .cancelled : .open, result: currentResult, op: op))
    case .reopen:
      if status == .open { return nil }
      picker.endChoice()
      return .status(StatusChange(.open, result: picker.result(priced: notes)))
    case .rename: return nil
    case .unknown(let type): throw Refusal(.unknownType, type)
    }
  }

  private mutating func select(
    _ selection: Command.Selection
  ) throws(Refusal) -> SessionChange? {
    let before = undoValue
    let row = try row(meantBy: selection)
    let changes = try picker.select(row: row, column: selection.column)
    if !changes.isEmpty { undoList.push(before, countMax: limits.undo) }
    return change(changes, rangeBefore: nil)
  }

  /// The row that the member selected: its index if the column has the same rows, otherwise the row
  /// with its key.
  private mutating func row(meantBy selection: Command.Selection) throws(Refusal) -> Int {
    let columns = picker.columns
    guard columns.indices.contains(selection.column) else {
      throw .noSuchColumn(selection.column, of: columns.count)
    }
    let column = columns[selection.column]
    if selection.generation == column.generation { return selection.row }
    guard let key = selection.key else {
      throw Refusal(
        .staleColumn,
        "column \(selection.column) has generation \(column.generation), not "
          + "\(selection.generation); send the key of the row as well",
        ["generation": .integer(column.generation)])
    }
    guard let row = picker.row(ofKey: key, column: selection.column) else {
      throw Refusal(
        .noSuchRow, "no row of column \(selection.column) has the key \(key.quoted) now",
        ["count": .integer(column.rows.count)])
    }
    return row
  }

  private mutating func tap(
    _ target: TapTarget, by member: MemberID, at now: Instant
  ) throws(Refusal) -> SessionChange? {
    let before = undoValue
    let rangeBefore = picker.range
    let changes: [PickerChange]
    do throws(Refusal) {
      changes = try picker.tap(target, mayClose: mayClose(member, at: now))
    } catch {
      throw error.code == .tapClaimed ? error.claimed(by: tappedBy) : error
    }
    undoList.push(before, countMax: limits.undo)
    tappedBy = member == .host ? nil : member
    tappedAt = now
    return change(changes, rangeBefore: rangeBefore)
  }

  /// Whether `member` may close the open range now: always with ``SessionOrigin/OpenTap/shared``,
  /// and for the host; otherwise if it opened the range, or its opener has left or waited too long.
  private mutating func mayClose(_ member: MemberID, at now: Instant) -> Bool {
    guard origin.openTap == .opener, member != .host, let tappedBy, let tappedAt else {
      return true
    }
    if tappedBy == member || members[tappedBy] == nil { return true }
    return now.milliseconds - tappedAt.milliseconds >= limits.openTapMilliseconds
  }

  private mutating func clear() -> SessionChange? {
    let before = undoValue
    let rangeBefore = picker.range
    let changes = picker.clear()
    if changes.isEmpty { return nil }
    undoList.push(before, countMax: limits.undo)
    forgetTap()
    return change(changes, rangeBefore: rangeBefore)
  }

  private mutating func undo() throws(Refusal) -> SessionChange? {
    while let value = undoList.popPast() {
      let before = undoValue
      guard let change = restore(value) else { continue }
      undoList.pushFuture(before)
      return change
    }
    throw Refusal(.nothingToUndo, "there is no earlier value to restore")
  }

  private mutating func redo() throws(Refusal) -> SessionChange? {
    while let value = undoList.popFuture() {
      let before = undoValue
      guard let change = restore(value) else { continue }
      undoList.pushPast(before)
      return change
    }
    throw Refusal(.nothingToUndo, "there is no undone value to restore")
  }

  private mutating func restore(_ value: UndoValue) -> SessionChange? {
    let rangeBefore = picker.range
    let changes = picker.restore(value.value)
    if changes.isEmpty { return nil }
    tappedBy = picker.range == nil ? nil : value.by
    tappedAt = picker.range == nil ? nil : value.tappedAt
    return change(changes, rangeBefore: rangeBefore)
  }

  private mutating func confirm(
    op: String?, at now: Instant, hasElapsed: Bool
  ) throws(Refusal) -> SessionChange? {
    guard result != .null else {
      throw Refusal(.notComplete, "there is no result to confirm yet")
    }
    if hasElapsed {
      throw Refusal(.elapsed, "the result has changed with time; check it and confirm again")
    }
    return .status(confirm(op: op, at: now))
  }

  private mutating func rename(
    at index: Dictionary<MemberID, Member>.Index, _ name: String, _ effects: inout [Effect]
  ) {
    guard !members.values[index].name.isExactly(name) else { return }
    members.values[index].name = name
    effects.append(.renamed(members.keys[index]))
  }

  private mutating func remember(
    _ ref: Int, _ outcome: RefBook.Outcome, at index: Dictionary<MemberID, Member>.Index
  ) {
    members.values[index].refs.remember(ref, outcome, countMax: limits.refs)
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

extension Refusal {
  fileprivate func claimed(by member: MemberID?) -> Refusal {
    Refusal(code, detail, params: member.map { [.init("by", .string($0.text))] } ?? [])
  }
}
