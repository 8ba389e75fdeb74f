package import CivilTime
package import DequeModule
package import PickerModel

/// A session as its log makes it: the picker, its history, its members and what they did.
///
/// Knows nothing of connections, clocks and languages. The same entries give the same state, so a
/// store keeps the entries and a replay folds them again.
/// - Source: architecture.md, property 2.
package struct SessionFold: Sendable {
  package let origin: SessionOrigin
  package let limits: SessionLimits
  /// The current definition: that of the origin until the host gives another one. The picker shows
  /// an older one while the session is not open.
  package internal(set) var definition: Definition
  /// 1 at first; one more for each definition that the host gives.
  package internal(set) var version: Int
  /// When the definition was given, if the picker does not show it yet.
  package internal(set) var definedAt: Instant?
  package internal(set) var picker: Picker
  package internal(set) var notes = Notes()
  /// The picker's result after the last delta.
  package internal(set) var result: PickerResult
  package internal(set) var status: SessionStatus
  /// How often the status has changed.
  package internal(set) var statusChangeCount = 0
  /// When it changed last; the creation if it never did.
  package internal(set) var statusChangedAt: Instant
  /// 0 at first; one more for each accepted command or tick.
  package internal(set) var revision: Int
  package internal(set) var undoList: UndoList
  package internal(set) var members: [MemberID: Member]
  package internal(set) var remembered: RememberedMembers
  /// How often a member has joined or come back after it had left.
  package internal(set) var joinCount: Int
  /// The member of the last accepted tap of the range that stands, and when it tapped.
  package internal(set) var tappedBy: MemberID?
  package internal(set) var tappedAt: Instant?
  /// What has to stay of the entry that was applied last.
  package internal(set) var remnant = LogRemnant.entry
  /// The last deltas, oldest first, without gaps, up to ``revision``.
  package internal(set) var history: Deque<Delta>
  /// Of the deltas in ``history``.
  var historyWeight = 0
  /// Rows and entries of the definitions that ``history`` may hold: a history of large definitions
  /// is shorter.
  private static let historyWeightMax = 400_000

  /// A session as it is created.
  ///
  /// - Throws: ``DefinitionProblem`` when the definition has no value at `origin.createdAt`.
  package init(
    _ origin: SessionOrigin, limits: SessionLimits = SessionLimits()
  ) throws(DefinitionProblem) {
    self.origin = origin
    self.limits = limits
    definition = origin.definition
    version = 1
    picker = try Picker(origin.definition, now: origin.createdAt)
    result = picker.result
    status = .open
    statusChangedAt = origin.createdAt
    revision = 0
    undoList = UndoList()
    members = [:]
    remembered = RememberedMembers()
    joinCount = 0
    history = []
  }

  /// Takes the next entry of the log.
  ///
  /// - Returns: What came of it, in order. Empty for an entry about a member who is not there.
  package mutating func apply(_ entry: LogEntry) -> [Outcome] {
    var outcomes: [Outcome] = []
    apply(entry, &outcomes)
    return outcomes
  }

  /// Takes the next entry of the log, and adds what came of it.
  mutating func apply(_ entry: LogEntry, _ outcomes: inout [Outcome]) {
    remnant = .entry
    switch entry.body {
    case .joined(let joining): join(joining, &outcomes)
    case .roleChanged(let member, let role): change(role: role, of: member, &outcomes)
    case .left(let member): leave(member, &outcomes)
    case .returned(let member, let role): comeBack(member, role, &outcomes)
    case .tick:
      let count = outcomes.count
      tick(to: entry.at, &outcomes)
      if outcomes.count == count { remnant = .nothing }
    case .define(let change): define(change, at: entry.at, &outcomes)
    case .note(let patch): note(patch, at: entry.at, &outcomes)
    case .command(let member, let ref, let command):
      perform(command, ref: ref, by: member, at: entry.at, &outcomes)
    }
  }

  /// The value that stands, as undo would put it back.
  var standingValue: StandingValue {
    StandingValue(value: picker.value, by: tappedBy, tappedAt: tappedAt)
  }

  /// The next instant at which a tick may change anything; `nil` if none, or while not open.
  package var nextTick: Instant? { status == .open ? picker.nextTick : nil }

  /// The deltas after `revision`, or `nil` when some of them are forgotten or yet to come.
  package func deltas(after revision: Int) -> ArraySlice<Delta>? {
    guard revision >= 0, revision <= self.revision else { return nil }
    let missing = self.revision - revision
    guard missing <= history.count else { return nil }
    return Array(history.suffix(missing))[...]
  }

  /// Brings the picker to `now`, as a step of its own if that changes it.
  ///
  /// - Returns: Whether the value or the result is another one now.
  @discardableResult
  mutating func tick(to now: Instant, _ outcomes: inout [Outcome]) -> Bool {
    guard status == .open, !picker.passes(to: now) else { return false }
    let before = picker
    let answer = picker.tick(now)
    if picker.range == nil { forgetTap() }
    let result = takeResult()
    if !answer.changes.isEmpty || result != nil {
      let change = SessionChange.picker(
        answer.changes, tappedBy: tappedBy, rangeBefore: before.range)
      commit(change, result, author: nil, at: now, &outcomes)
    }
    if answer.cellsChanged {
      outcomes.append(
        .cellsChanged(
          CellChange(before: before, after: picker, notes: notes, revision: revision)))
    }
    return picker.value != before.value || result != nil
  }

  mutating func forgetTap() {
    tappedBy = nil
    tappedAt = nil
  }

  /// What the picker has changed; `nil` for nothing.
  func change(_ changes: [PickerChange], rangeBefore: DateRange?) -> SessionChange? {
    changes.isEmpty ? nil : .picker(changes, tappedBy: tappedBy, rangeBefore: rangeBefore)
  }

  /// Stores the picker's result.
  ///
  /// - Returns: The result, if it is another one than after the last delta.
  mutating func takeResult() -> PickerResult? {
    let now = picker.result
    guard now != result else { return nil }
    result = now
    return now
  }

  /// Makes a revision of what has just been changed.
  ///
  /// - Parameter result: What ``takeResult()`` returned.
  mutating func commit(
    _ change: SessionChange, _ result: PickerResult?, author: Delta.Author?, at now: Instant,
    _ outcomes: inout [Outcome]
  ) {
    revision += 1
    if case .status = change {
      statusChangeCount += 1
      statusChangedAt = now
    }
    let delta = Delta(
      revision: revision, at: now, author: author, change: change, notes: notes(onRowsOf: change),
      result: result)
    history.append(delta)
    historyWeight += delta.weight
    trimHistory()
    outcomes.append(.delta(delta))
  }

  private mutating func trimHistory() {
    while history.count > limits.history || historyWeight > SessionFold.historyWeightMax {
      guard let first = history.popFirst() else { break }
      historyWeight -= first.weight
    }
  }

  /// Puts older deltas before those of the history, as far as there is room.
  ///
  /// - Parameter deltas: Without gaps up to the first of the history; otherwise nothing is done.
  mutating func restoreHistory(_ deltas: [Delta]) {
    guard let last = deltas.last, last.revision == revision - history.count else { return }
    history.prepend(contentsOf: deltas)
    historyWeight += deltas.reduce(0) { $0 + $1.weight }
    trimHistory()
  }
}
