package import CivilTime
package import DequeModule
package import JSONText
package import PickerModel

/// The state of a session, computed from its log: the picker, its history, its members and their
/// refs.
///
/// Independent of connections, clocks and languages: the same origin and entries give the same
/// state. A store therefore stores the entries, and reloads a session by applying them again.
/// - Source: ARCHITECTURE.md, invariant 2.
package struct SessionFold: Sendable {
  package let origin: SessionOrigin
  package let limits: SessionLimits
  /// The current definition: that of the origin, or the last one of the host. While the session is
  /// not open, the picker can still have an older one.
  package internal(set) var definition: Definition
  package internal(set) var picker: Picker
  /// The picker's result after the last delta, with its total.
  package internal(set) var result: PickerResult
  package internal(set) var facts: Facts
  /// Which part of the last applied entry must stay in the log once a snapshot covers it.
  package internal(set) var remnant = LogRemnant.entry
  /// The last deltas in order, without gaps, the last one with ``revision``. Bounded by
  /// ``SessionLimits/history`` and by ``historyWeightMax``.
  package internal(set) var history: Deque<Delta>
  /// What the next delta says about the inventory.
  var inventoryEdit: InventoryEdit?
  /// While an entry is applied that the inventory decides.
  var ruling: Ruling?
  /// The sum of ``Delta/weight`` over ``history``.
  var historyWeight = 0
  /// The sum of ``Delta/definitionWeight`` over ``history``.
  var historyDefinitionWeight = 0
  /// The maximum of both sums, so that a history with large definitions is shorter.
  private static let historyWeightMax = 400_000

  /// Makes a new session.
  ///
  /// - Throws: ``DefinitionProblem`` if the definition has no bounds at `origin.createdAt`, or its
  ///   picker refuses the first value.
  package init(
    _ origin: SessionOrigin, limits: SessionLimits = SessionLimits()
  ) throws(DefinitionProblem) {
    self.origin = origin
    self.limits = limits
    definition = origin.definition
    picker =
      if let result = origin.result {
        try Picker(
          origin.definition, now: origin.createdAt, result: result,
          seeing: origin.inventory?.levels)
      } else {
        try Picker(origin.definition, now: origin.createdAt)
      }
    result = picker.result(priced: origin.notes)
    facts = Facts(at: origin.createdAt)
    facts.notes = origin.notes
    facts.shared = origin.uses.map(SharedState.init)
    history = []
    guard let inventory = origin.inventory else { return }
    facts.inventory = inventory
    _ = picker.see(inventory.levels)
    result = currentResult
  }

  /// Applies the next entry of the log.
  ///
  /// - Returns: The effects, in the order in which they must be sent. Empty for an entry about an
  ///   unknown member.
  package mutating func apply(_ entry: LogEntry) -> [Effect] {
    var effects: [Effect] = []
    apply(entry, &effects)
    return effects
  }

  /// Applies the next entry of the log, and appends its effects.
  mutating func apply(_ entry: LogEntry, _ effects: inout [Effect]) {
    remnant = .entry
    let bounds = picker.dateBounds
    let now = time(of: entry)
    entry.body.apply(to: &self, op: entry.op, at: now, &effects)
    if remnant == .nothing, picker.dateBounds != bounds { remnant = .tick }
    if remnant != .nothing { facts.reached = now }
  }

  /// Applies an entry that is no command: a switch over all of them would copy the command.
  fileprivate mutating func apply(
    _ body: LogEntry.Body, at now: Instant, _ effects: inout [Effect]
  ) {
    switch body {
    case .joined(let joining): join(joining, &effects)
    case .roleChanged(let member, let role): take(role: role, of: member, &effects)
    case .left(let member):
      leave(member, &effects)
      leaveHold(at: now, &effects)
    case .returned(let member, let role): readd(member, role, &effects)
    case .tick, .clockSet:
      let count = effects.count
      tick(to: now, &effects)
      if effects.count == count && now >= reached { remnant = .nothing }
    case .revoked(let revocation): revoke(revocation, &effects)
    case .roleSet(let role): set(role, &effects)
    case .revised(let change): revise(change, at: now, &effects)
    case .settle(let settle): self.settle(settle, at: now, &effects)
    case .inventory(let news): take(news, at: now, &effects)
    case .command, .decided: break
    }
  }

  /// The time at which the next entry is applied.
  package func time(of entry: LogEntry) -> Instant { SessionFold.time(of: entry, after: reached) }

  /// The time at which an entry is applied to a session that has reached another time.
  static func time(of entry: LogEntry, after reached: Instant) -> Instant {
    // Asked first, because the body is copied.
    if entry.facts.isTimed, case .clockSet = entry.body.undecided {
      entry.at
    } else {
      max(entry.at, reached)
    }
  }

  /// The state at `now`, without an entry: compaction deletes entries whose only effect was the
  /// time.
  package func brought(to now: Instant) -> SessionFold {
    var fold = self
    if status == .open { _ = fold.picker.tick(now) }
    return fold
  }

  /// The next instant at which a tick may change anything or reports a changed result; `nil` if
  /// there is none.
  package var nextTick: Instant? {
    let next: Instant? =
      switch status {
      case .open: picker.nextTick
      case .confirming: decision.confirmation?.until
      case .confirmed, .cancelled: nil
      }
    guard let due = unreported?.due else { return next }
    return next.map { min($0, due) } ?? due
  }

  /// The deltas after `revision`; `nil` if the history no longer has all of them, or `revision` is
  /// in the future. Empty if `revision` is the current one.
  package func deltas(after revision: Int) -> ArraySlice<Delta>? {
    guard revision >= 0, revision <= self.revision else { return nil }
    let missing = self.revision - revision
    guard missing <= history.count else { return nil }
    return Array(history.suffix(missing))[...]
  }

  /// Moves the picker to `now`. If that changes it, this is a revision of its own.
  ///
  /// - Returns: Whether the value or the result changed.
  @discardableResult
  mutating func tick(to now: Instant, _ effects: inout [Effect]) -> Bool {
    if unreported != nil { reportResult(at: now, &effects) }
    guard status == .open else { return timeOut(at: now, &effects) }
    guard !picker.passes(to: now) else { return false }
    let answer = picker.tick(now)
    let hasResult = takeResult()
    if !answer.changes.isEmpty || hasResult {
      commit(change(named(answer.changes)), hasResult: hasResult, at: now, &effects)
    }
    noteCells(answer, &effects)
    return answer.hasOtherValue || hasResult
  }

  /// Changes of the picker as a change of the session.
  func change(_ changes: [PickerChange]) -> SessionChange {
    .picker(changes, tappedBy: picker.lastTap?.member)
  }

  /// The result with the amounts of the notes. While a session is not open, its total stays.
  var currentResult: PickerResult {
    counted(
      status == .open ? picker.result(priced: notes) : picker.result.with(total: result.total))
  }

  /// A result with what the inventory adds.
  func counted(_ value: PickerResult) -> PickerResult {
    guard let inventory = facts.inventory else { return value }
    let isOpen =
      definition.kind != .cascade || picker.keys.first.map { inventory.levels[$0].isOpen } ?? true
    return value.counted(units: inventory.shownUnits, isOpen: isOpen)
  }

  /// Updates ``result`` from the picker and the notes. Call it once for each delta, before
  /// ``commit(_:hasResult:by:ref:_:if:at:_:)``.
  ///
  /// - Returns: Whether it is another one than after the last delta.
  mutating func takeResult() -> Bool {
    var now =
      status == .open ? picker.result(priced: notes) : picker.result.with(total: result.total)
    if facts.inventory != nil { now = counted(now) }
    // Not by `!=`, which is generic.
    if now == result { return false }
    result = now
    return true
  }

  /// ``takeResult()`` for a change that a command made. A status takes its result itself, once what
  /// it ends is reported with the result of before.
  mutating func takeResult(for change: SessionChange) -> Bool {
    if case .status = change { return false }
    return takeResult()
  }

  /// Makes a new revision for a change that the picker or the notes already have, or of the status,
  /// and appends its delta to the history and to `effects`.
  ///
  /// - Parameters:
  ///   - hasResult: The value that ``takeResult()`` returned, if the picker or the notes have
  ///     changed. Not used for a status.
  ///   - author: The member or ``MemberID/host``, with the ref and its command.
  mutating func commit(
    _ change: consuming SessionChange, hasResult: Bool = false, by author: MemberID? = nil,
    ref: Int = 0, _ command: consuming Command? = nil, if precondition: Precondition? = nil,
    at now: Instant, _ effects: inout [Effect]
  ) {
    var (hasResult, endsConfirmed) = (hasResult, false)
    if case .status(let status) = change {
      let wasConfirmed = self.status == .confirmed
      let hasOtherData = enter(status, at: now, &effects)
      endsConfirmed = wasConfirmed && self.status != .confirmed
      // A session that is open again has the prices of now.
      hasResult = takeResult() || hasOtherData
    }
    facts.revision += 1
    if hasResult || change.changesRangeOrStatus {
      facts.lastChanges.add(revision: revision, by: ref == 0 ? nil : author)
    }
    if hasResult && origin.host.watched.contains(.result) { noteResultChange(at: now) }
    // Asked first, because a call of `takeInventoryEdit` would be one of each tap.
    let edit = facts.inventory == nil && inventoryEdit == nil ? nil : takeInventoryEdit()
    let rowNotes = notes.columns.isEmpty ? nil : notes(onRowsOf: change)
    let delta = Delta(
      revision: revision, at: now, by: author, ref: ref, consume command, if: precondition,
      change: change, notes: rowNotes,
      result: hasResult ? result : nil, inventory: edit,
      endsConfirmed: endsConfirmed)
    history.append(delta)
    historyWeight += delta.weight
    historyDefinitionWeight += delta.definitionWeight
    effects.append(.delta(delta))
    trimHistory()
  }

  /// Changes the status. A changed result is reported before, with the status in which it changed.
  ///
  /// - Returns: Whether the data of the host, which is part of the result, is another.
  private mutating func enter(
    _ change: StatusChange, at now: Instant, _ effects: inout [Effect]
  ) -> Bool {
    if let unreported { report(unreported, at: now, &effects) }
    let hasOtherData = decision.data != change.data
    facts.status = change.status
    facts.decision.data = change.data
    facts.decision.cancelReason = change.status == .cancelled ? change.text : nil
    if status != .confirming { facts.decision.confirmation = nil }
    facts.statusChangeCount += 1
    facts.statusChangedAt = now
    return hasOtherData
  }

  /// Removes the oldest deltas that are too many.
  private mutating func trimHistory() {
    while history.count > limits.history
      || historyWeight + historyDefinitionWeight > SessionFold.historyWeightMax
    {
      guard let first = history.popFirst() else { break }
      historyWeight -= first.weight
      historyDefinitionWeight -= first.definitionWeight
    }
  }

  /// Removes all deltas. Their log has them.
  mutating func dropHistory() {
    history = []
    (historyWeight, historyDefinitionWeight) = (0, 0)
  }

  /// Prepends older deltas to the history, as far as its limits allow.
  ///
  /// - Parameter deltas: In order and without gaps, the last one just before the first of the
  ///   history. Otherwise nothing happens.
  mutating func restoreHistory(_ deltas: [Delta]) {
    guard let last = deltas.last, last.revision == revision - history.count else { return }
    history.prepend(contentsOf: deltas)
    historyWeight += deltas.reduce(0) { $0 + $1.weight }
    historyDefinitionWeight += deltas.reduce(0) { $0 + $1.definitionWeight }
    trimHistory()
  }
}

extension LogEntry.Body {
  /// A method of the body, which does not copy itself to look at its command.
  func apply(
    to fold: inout SessionFold, op: String?, at now: Instant, _ effects: inout [Effect]
  ) {
    if case .command(let member, let ref, let command, let precondition) = self {
      fold.perform(command, if: precondition, ref: ref, by: member, op: op, at: now, &effects)
    } else if case .decided(let decided) = self {
      fold.apply(decided, op: op, at: now, &effects)
    } else {
      fold.apply(self, at: now, &effects)
    }
  }
}

extension SessionFold {
  /// The answer to a command that was executed or refused before.
  func repeated(_ outcome: RefBook.Outcome, of author: Delta.Author) -> Answer {
    switch outcome {
    case .done(let revision): Answer(ref: author.ref, body: .reply(revision: revision))
    case .refused(let refusal): refused(refusal, author)
    }
  }

  /// A refusal with the current state that the sender needs.
  func refused(_ refusal: Refusal, _ author: Delta.Author) -> Answer {
    Answer(
      ref: author.isHost ? nil : author.ref,
      body: .refused(refusal, correction(for: author.command, refusal)))
  }

  private func correction(for command: Command, _ refusal: Refusal) -> PickerCorrection {
    switch command {
    case .act(let action): picker.correction(for: action, refusal.code)
    case .undo, .redo, .confirm, .confirmWindow, .cancel, .cancelWithReason, .reopen, .rename,
      .inventory, .unknown:
      .nothing
    }
  }
}

/// Members with a part in the picker.
extension SessionFold {
  /// A member of the session, or one that has left and whose identity is still stored.
  package func knownMember(_ id: MemberID) -> Member? { members[id] ?? remembered.member(id) }

  /// The changes with the names and colours of the members that they are about, so that they can be
  /// encoded later.
  func named(_ changes: [PickerChange]) -> [PickerChange] {
    guard definition.kind.hasParts else { return changes }
    return changes.naming { knownMember($0)?.respondent }
  }
}

extension Member {
  package var respondent: Respondent { Respondent(number: number, name: name, color: color) }
}

/// The colours of members in the order of joining. They are distinguishable on light and dark
/// backgrounds.
private let memberColors = [
  "#d1495b", "#2e86ab", "#3a7d44", "#c17817", "#7b4fa3", "#0f8b8d", "#b5487f", "#5c6bc0",
  "#8d6e3f", "#4f772d", "#c8553d", "#3d6d99",
]

extension SessionFold {
  private var hasOwner: Bool { members.values.contains { $0.role == .owner } }

  /// The members in the order in which they joined.
  package var membersInOrder: [Member] {
    // Sorting members would copy each of them many times.
    members.indices.map { (number: members.values[$0].number, index: $0) }
      .sorted { $0.number < $1.number }.map { members.values[$0.index] }
  }

  mutating func join(_ joining: LogEntry.Joining, _ effects: inout [Effect]) {
    guard members[joining.member] == nil else { return }
    facts.members[joining.member] = Member(
      id: joining.member, number: facts.joinCount, secret: joining.secret, name: joining.name,
      color: memberColors[facts.joinCount % memberColors.count],
      role: joining.role.map {
        granted($0, subject: joining.subject, member: joining.member)
      } ?? (hasOwner || origin.access.hasCreator ? .editor : .owner), refs: RefBook(),
      subject: joining.subject, info: joining.info)
    facts.joinCount += 1
    effects.append(.joined(joining.member, meta: joining.meta))
  }

  /// A member's token grants another role.
  mutating func take(role: Role, of member: MemberID, _ effects: inout [Effect]) {
    let subject = members[member]?.subject
    change(role: granted(role, subject: subject, member: member), of: member, &effects)
  }

  mutating func change(role: Role, of member: MemberID, _ effects: inout [Effect]) {
    guard members[member] != nil, members[member]?.role != role else { return }
    facts.members[member]?.role = role
    effects.append(.roleChanged(member))
    noteSight(of: member, &effects)
  }

  /// Moves a member to ``remembered``. If a session without tokens then has no owner, its earliest
  /// remaining member becomes the owner.
  mutating func leave(_ member: MemberID, _ effects: inout [Effect]) {
    guard let gone = facts.members.removeValue(forKey: member) else { return }
    facts.remembered.add(gone, limits) { picker.hasPart(of: $0) }
    effects.append(.left(member))
    guard origin.access == .open, !hasOwner, let successor = membersInOrder.first else { return }
    facts.members[successor.id]?.role = .owner
    effects.append(.roleChanged(successor.id))
    noteSight(of: successor.id, &effects)
  }

  /// A member that had left rejoins, with its name, colour, role and refs, but last in the order of
  /// joining.
  ///
  /// - Parameter role: The role of its token. `nil` in sessions without tokens: the member keeps
  ///   its role, or becomes the owner if there is none.
  mutating func readd(
    _ id: MemberID, _ role: Role?, _ effects: inout [Effect]
  ) {
    guard members[id] == nil else { return }
    guard var member = facts.remembered.remove(id) else { return }
    let roleBefore = member.role
    if let role {
      member.role = granted(role, subject: member.subject, member: id)
    } else if origin.access == .open, !hasOwner {
      member.role = .owner
    }
    member.number = facts.joinCount
    facts.joinCount += 1
    facts.members[id] = member
    effects.append(.joined(id))
    if member.role != roleBefore { noteSight(of: id, &effects) }
  }
}

extension SessionFold {
  /// The notes on the rows that the reloads in `change` include; `nil` if there are none.
  func notes(onRowsOf change: SessionChange) -> RowNotes? {
    guard !notes.columns.isEmpty else { return nil }
    var sent: [Int: [ExactString: Note]] = [:]
    for case .columns(.reload(let column, let state)) in change.pickerChanges {
      guard let known = notes.columns[column] else { continue }
      for row in state.window(limits.windowRows) {
        let key = ExactString(state.rows.key(at: row))
        if let note = known[key] { sent[column, default: [:]][key] = note }
      }
    }
    return sent.isEmpty ? nil : RowNotes(columns: sent, locale: definition.locale)
  }
}

/// A change of the notes. Self-contained: it can be encoded later, in any language.
package struct NotesEdit: Hashable, Sendable {
  /// The host's JSON Merge Patch.
  package let patch: [UInt8]
  package let change: NotesChange
  /// The definition's locale, for members in whose language a note has no text.
  package let locale: String
}

extension JSONTree {
  /// The number of JSON values in the tree, including arrays and objects.
  package var valueCount: Int {
    switch self {
    case .null, .bool, .integer, .number, .string: 1
    case .array(let elements): elements.reduce(1) { $0 + $1.valueCount }
    case .object(let members): members.reduce(1) { $0 + $1.value.valueCount }
    }
  }
}

/// A reason to refuse a command without logging it that the fold does not know.
package enum UnstoredReason: Hashable, Sendable {
  /// Messages per second of a connection.
  case rate
  /// Bytes of the session's log.
  case logBytes
  /// Bytes of the store of all sessions.
  case storeBytes
  /// A `rename` of a member whose token has a name.
  case fixedName
}

/// Commands that are refused without being logged: those of an unknown type, over a limit, or not
/// allowed for the member's role. Otherwise anybody with a viewer's link could grow the store.
///
/// Such a command changes nothing, not even the time of the picker, and the fold does not record
/// its ref. ``Session`` does, as long as it is in memory, unless a limit was exceeded.
extension SessionFold {
  /// The answer to such a command in the current state; `nil` if its member has left.
  ///
  /// The checks run in the same order as for logged commands, with one difference: a ref that is
  /// not recorded but lies between recorded ones (``RefBook/isGap(_:)``) is not refused as old if
  /// the type is unknown or the role is too low. Otherwise a client that sends such a command again
  /// after later ones and a restart would get a different refusal.
  ///
  /// - Parameter unlogged: The member's refs that are recorded in memory only.
  func refusal(
    of command: Command, ref: Int, by member: MemberID, unless reason: UnstoredReason?,
    unlogged: RefBook = RefBook()
  ) -> Answer? {
    guard let sender = members[member] else { return nil }
    let author = Delta.Author(member: member, ref: ref, command: command)
    if let outcome = sender.refs.outcome(of: ref) ?? unlogged.outcome(of: ref) {
      return repeated(outcome, of: author)
    }
    do throws(Refusal) {
      let greatest = max(sender.refs.greatest, unlogged.greatest)
      try checkRef(author, of: sender, greatest: greatest, unless: reason)
      var fold = self
      try fold.admit(command, ref: ref, by: member, role: sender.role, unless: reason)
    } catch {
      return refused(error, author)
    }
    return refused(Refusal(.tooMany, "ref \(ref) was not executed; send it again"), author)
  }

  private func checkRef(
    _ author: Delta.Author, of sender: Member, greatest: Int, unless reason: UnstoredReason?
  ) throws(Refusal) {
    guard author.ref <= greatest else { return }
    let isUnknown = if case .unknown = author.command { true } else { false }
    let isBarred =
      reason == .fixedName || reason == nil && sender.role < author.command.roleNeeded
    if sender.refs.isGap(author.ref), isUnknown || isBarred { return }
    throw Refusal(oldRef: author.ref, greatest: greatest)
  }
}
