package import CivilTime
package import DequeModule
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
  /// The version of ``definition``: 1 at first, one more with each change by the host.
  package internal(set) var version: Int
  /// The time at which the host set ``definition``, if the picker does not have it yet; otherwise
  /// `nil`.
  package internal(set) var definedAt: Instant?
  package internal(set) var picker: Picker
  package internal(set) var notes: Notes
  /// The picker's result after the last delta, with its total.
  package internal(set) var result: PickerResult
  package internal(set) var status: SessionStatus
  package internal(set) var decision = DecisionState()
  package internal(set) var statusChangeCount = 0
  /// The time of the last change of ``status``; the creation if there was none.
  package internal(set) var statusChangedAt: Instant
  /// 0 at first; one more with each delta.
  package internal(set) var revision: Int
  package internal(set) var undoList: UndoList
  package internal(set) var members: [MemberID: Member]
  package internal(set) var remembered: RememberedMembers
  package internal(set) var revocations = Revocations()
  package internal(set) var hostRoles = HostRoles()
  /// The number of times that a member joined or rejoined.
  package internal(set) var joinCount: Int
  /// The member of the last accepted tap on the current range, and the time of that tap.
  package internal(set) var tappedBy: MemberID?
  package internal(set) var tappedAt: Instant?
  /// A changed result that the feed has not reported yet; always `nil` where it is not watched.
  package internal(set) var unreported: UnreportedResult?
  package internal(set) var lastChanges = LastChanges()
  /// `nil` for a session without a shared definition.
  package internal(set) var shared: SharedState?
  /// The revision at which `results` of an `availability` changed last; `nil` if they did not.
  package internal(set) var sightRevision: Int?
  /// The time that the session has reached: that of the last entry of which something must stay in
  /// the log. An entry with an earlier time is applied at this time, so that it does not undo what
  /// members have seen since: the clocks of two nodes that own the session one after the other may
  /// differ.
  package internal(set) var reached: Instant
  /// Which part of the last applied entry must stay in the log once a snapshot covers it.
  package internal(set) var remnant = LogRemnant.entry
  /// The last deltas in order, without gaps, the last one with ``revision``. Bounded by
  /// ``SessionLimits/history`` and by ``historyWeightMax``.
  package internal(set) var history: Deque<Delta>
  /// The sum of ``Delta/weight`` over ``history``.
  var historyWeight = 0
  /// The maximum of ``historyWeight``, so that a history with large definitions is shorter.
  private static let historyWeightMax = 400_000
  /// Deltas of less weight that leave the history are freed at once, within 0.1 ms.
  private static let forgottenWeightMin = 500

  /// Makes a new session.
  ///
  /// - Throws: ``DefinitionProblem`` if the definition has no bounds at `origin.createdAt`.
  package init(
    _ origin: SessionOrigin, limits: SessionLimits = SessionLimits()
  ) throws(DefinitionProblem) {
    self.origin = origin
    self.limits = limits
    definition = origin.definition
    version = 1
    picker = try Picker(origin.definition, now: origin.createdAt)
    shared = origin.uses.map(SharedState.init)
    notes = origin.notes
    result = picker.result(priced: origin.notes)
    status = .open
    statusChangedAt = origin.createdAt
    reached = origin.createdAt
    revision = 0
    undoList = UndoList()
    members = [:]
    remembered = RememberedMembers()
    joinCount = 0
    history = []
  }

  /// Applies the next entry of the log.
  ///
  /// - Returns: The effects, in the order in which they must be sent. Empty for an entry about an
  ///   unknown member.
  package mutating func apply(_ entry: LogEntry) -> [Outcome] {
    var outcomes: [Outcome] = []
    apply(entry, &outcomes)
    return outcomes
  }

  /// Applies the next entry of the log, and appends its effects to `outcomes`.
  mutating func apply(_ entry: LogEntry, _ outcomes: inout [Outcome]) {
    remnant = .entry
    let bounds = picker.dateBounds
    let now = time(of: entry)
    if case .command(let member, let ref, let command, let precondition) = entry.body {
      perform(
        command, if: precondition, ref: ref, by: member, op: entry.op, at: now, &outcomes)
    } else {
      apply(entry.body, at: now, &outcomes)
    }
    if remnant == .nothing, picker.dateBounds != bounds { remnant = .tick }
    if remnant != .nothing { reached = now }
  }

  /// Applies an entry that is no command: a switch over all of them would copy the command.
  private mutating func apply(
    _ body: LogEntry.Body, at now: Instant, _ outcomes: inout [Outcome]
  ) {
    switch body {
    case .joined(let joining): join(joining, &outcomes)
    case .roleChanged(let member, let role): take(role: role, of: member, &outcomes)
    case .left(let member): leave(member, &outcomes)
    case .returned(let member, let role): readd(member, role, &outcomes)
    case .tick, .clockSet:
      let count = outcomes.count
      tick(to: now, &outcomes)
      if outcomes.count == count && now >= reached { remnant = .nothing }
    case .revoked(let revocation): revoke(revocation, &outcomes)
    case .roleSet(let role): set(role, &outcomes)
    case .define(let change): define(change, at: now, &outcomes)
    case .note(let patch): note(patch, at: now, &outcomes)
    case .adopted(let adoption): adopt(adoption, at: now, &outcomes)
    case .settle(let settle): self.settle(settle, at: now, &outcomes)
    case .command: break
    }
  }

  /// The time at which the next entry is applied.
  package func time(of entry: LogEntry) -> Instant { SessionFold.time(of: entry, after: reached) }

  /// The time at which an entry is applied to a session that has reached another time.
  static func time(of entry: LogEntry, after reached: Instant) -> Instant {
    if case .clockSet = entry.body { entry.at } else { max(entry.at, reached) }
  }

  /// The state at `now`, without an entry: compaction deletes entries whose only effect was the
  /// time.
  package func brought(to now: Instant) -> SessionFold {
    var fold = self
    if status == .open { _ = fold.picker.tick(now) }
    return fold
  }

  /// The current value in the form in which undo restores it.
  var undoValue: UndoValue {
    UndoValue(value: picker.value, by: tappedBy, tappedAt: tappedAt)
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
  mutating func tick(to now: Instant, _ outcomes: inout [Outcome]) -> Bool {
    if unreported != nil { reportResult(at: now, &outcomes) }
    guard status == .open else { return timeOut(at: now, &outcomes) }
    guard !picker.passes(to: now) else { return false }
    if definition.kind == .availability { return tickAvailability(to: now, &outcomes) }
    let before = picker
    let answer = picker.tick(now)
    if picker.range == nil { forgetTap() }
    let hasResult = takeResult()
    if !answer.changes.isEmpty || hasResult {
      let change = SessionChange.picker(
        answer.changes, tappedBy: tappedBy, rangeBefore: before.range)
      commit(change, hasResult: hasResult, at: now, &outcomes)
    }
    if answer.cellsChanged {
      outcomes.append(
        .cellsChanged(
          CellChange(before: before, after: picker, notes: notes, revision: revision)))
    }
    return picker.value != before.value || hasResult
  }

  mutating func forgetTap() {
    tappedBy = nil
    tappedAt = nil
  }

  /// The changes of the picker as a change of the session; `nil` if there are none.
  func change(_ changes: [PickerChange], rangeBefore: DateRange?) -> SessionChange? {
    changes.isEmpty ? nil : .picker(changes, tappedBy: tappedBy, rangeBefore: rangeBefore)
  }

  /// The result with the amounts of the notes. While a session is not open, its total stays.
  var currentResult: PickerResult {
    status == .open ? picker.result(priced: notes) : picker.result.with(total: result.total)
  }

  /// Updates ``result`` from the picker and the notes. Call it once for each delta, before
  /// ``commit(_:hasResult:by:ref:_:at:_:)``.
  ///
  /// - Returns: Whether it is another one than after the last delta.
  mutating func takeResult() -> Bool {
    let now = currentResult
    // Not by `!=`, which is generic.
    if now == result { return false }
    result = now
    return true
  }

  /// Makes a new revision for a change that the picker or the notes already have, or of the status,
  /// and appends its delta to the history and to `outcomes`.
  ///
  /// - Parameters:
  ///   - hasResult: The value that ``takeResult()`` returned, if the picker or the notes have
  ///     changed.
  ///   - author: The member or ``MemberID/host``, with the ref and its command.
  mutating func commit(
    _ change: consuming SessionChange, hasResult: Bool, by author: MemberID? = nil, ref: Int = 0,
    _ command: Command? = nil, at now: Instant, _ outcomes: inout [Outcome]
  ) {
    var (hasResult, endsConfirmed) = (hasResult, false)
    if case .status(let status) = change {
      let wasConfirmed = self.status == .confirmed
      let hasOtherData = enter(status, at: now, &outcomes)
      endsConfirmed = wasConfirmed && self.status != .confirmed
      // A session that is open again has the prices of now.
      hasResult = takeResult() || hasOtherData || hasResult
    }
    revision += 1
    if hasResult || change.changesRangeOrStatus {
      lastChanges.add(LastChanges.Change(revision: revision, member: ref == 0 ? nil : author))
    }
    if hasResult && origin.host.watched.contains(.result) { noteResultChange(at: now) }
    let rowNotes = notes.columns.isEmpty ? nil : notes(onRowsOf: change)
    let delta = Delta(
      revision: revision, at: now, by: author, ref: ref, command, change: change, notes: rowNotes,
      result: hasResult ? result : nil,
      endsConfirmed: endsConfirmed)
    history.append(delta)
    historyWeight += delta.weight
    outcomes.append(.delta(delta))
    let forgotten = trimHistory()
    if !forgotten.isEmpty { outcomes.append(.forgotten(forgotten)) }
  }

  /// Changes the status. A changed result is reported before, with the status in which it changed.
  ///
  /// - Returns: Whether the data of the host, which is part of the result, is another.
  private mutating func enter(
    _ change: StatusChange, at now: Instant, _ outcomes: inout [Outcome]
  ) -> Bool {
    if let unreported { report(unreported, at: now, &outcomes) }
    let hasOtherData = decision.data != change.data
    status = change.status
    decision.data = change.data
    if status != .confirming { decision.confirmation = nil }
    statusChangeCount += 1
    statusChangedAt = now
    return hasOtherData
  }

  /// Removes the oldest deltas that are too many.
  ///
  /// - Returns: Those of them that have rows, if they have many.
  @discardableResult
  private mutating func trimHistory() -> [Delta] {
    var removed: [Delta] = []
    let weight = historyWeight
    while history.count > limits.history || historyWeight > SessionFold.historyWeightMax {
      guard let first = history.popFirst() else { break }
      historyWeight -= first.weight
      if first.weight > 0 { removed.append(first) }
    }
    return weight - historyWeight >= SessionFold.forgottenWeightMin ? removed : []
  }

  /// An estimate of the memory that the state takes: its number of rows, entries, refs and deltas.
  package var weight: Int {
    let refCount = members.values.reduce(0) { $0 + $1.refs.entries.count }
    return definition.weight + historyWeight + history.count + notes.days.count + notes.rowCount
      + members.count + refCount
  }

  /// Prepends older deltas to the history, as far as its limits allow.
  ///
  /// - Parameter deltas: In order and without gaps, the last one just before the first of the
  ///   history. Otherwise nothing happens.
  mutating func restoreHistory(_ deltas: [Delta]) {
    guard let last = deltas.last, last.revision == revision - history.count else { return }
    history.prepend(contentsOf: deltas)
    historyWeight += deltas.reduce(0) { $0 + $1.weight }
    trimHistory()
  }
}
