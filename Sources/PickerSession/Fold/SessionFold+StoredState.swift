package import CivilTime
package import DequeModule
package import PickerModel

extension SessionFold {
  /// The part of a fold that a snapshot stores: all but the origin, the limits and the history.
  package struct StoredState: Hashable, Sendable {
    package var picker: PickerState
    /// The version of the definition; 1 for that of the origin.
    package var version: Int
    /// The current definition; `nil` if it is that of the origin.
    package var definition: RetainedDefinition?
    /// The picker's definition; `nil` if it is ``definition``. They differ while a session that is
    /// not open has a pending definition.
    package var shown: RetainedDefinition?
    package var definedAt: Instant?
    package var notes: Notes
    package var status: SessionStatus
    /// The total of the result while the session is not open; otherwise the notes have it.
    package var total: PriceTotal?
    package var decision: DecisionState
    package var statusChangeCount: Int
    package var statusChangedAt: Instant
    package var reached: Instant
    package var revision: Int
    package var undoList: UndoList
    package var members: [Member]
    package var remembered: RememberedMembers
    package var joinCount: Int
    package var tappedBy: MemberID?
    package var tappedAt: Instant?
    package var unreported: UnreportedResult?
    package var revocations: Revocations
    package var hostRoles: HostRoles
    package var lastChanges: LastChanges
    package var sightRevision: Int?
    package var shared: SharedState?

    package init(
      picker: PickerState, version: Int = 1, definition: RetainedDefinition? = nil,
      shown: RetainedDefinition? = nil, definedAt: Instant? = nil, notes: Notes = Notes(),
      status: SessionStatus, total: PriceTotal? = nil, decision: DecisionState = DecisionState(),
      statusChangeCount: Int, statusChangedAt: Instant, reached: Instant,
      revision: Int, undoList: UndoList, members: [Member], remembered: RememberedMembers,
      joinCount: Int, tappedBy: MemberID?,
      tappedAt: Instant?, unreported: UnreportedResult? = nil,
      revocations: Revocations = Revocations(), hostRoles: HostRoles = HostRoles(),
      lastChanges: LastChanges = LastChanges(),
      sightRevision: Int? = nil, shared: SharedState? = nil
    ) {
      self.picker = picker
      self.version = version
      self.definition = definition
      self.shown = shown
      self.definedAt = definedAt
      self.notes = notes
      self.status = status
      self.total = total
      self.decision = decision
      self.statusChangeCount = statusChangeCount
      self.statusChangedAt = statusChangedAt
      self.reached = reached
      self.revision = revision
      self.undoList = undoList
      self.members = members
      self.remembered = remembered
      self.joinCount = joinCount
      self.tappedBy = tappedBy
      self.tappedAt = tappedAt
      self.unreported = unreported
      self.revocations = revocations
      self.hostRoles = hostRoles
      self.lastChanges = lastChanges
      self.sightRevision = sightRevision
      self.shared = shared
    }
  }

  package var state: StoredState {
    StoredState(
      picker: picker.state, version: version,
      definition: version == 1 ? nil : RetainedDefinition(definition),
      shown: RetainedDefinition(picker.definition) == RetainedDefinition(definition)
        ? nil : RetainedDefinition(picker.definition),
      definedAt: definedAt, notes: notes, status: status,
      total: status == .open ? nil : result.total, decision: decision,
      statusChangeCount: statusChangeCount, statusChangedAt: statusChangedAt, reached: reached,
      revision: revision, undoList: undoList,
      members: membersInOrder, remembered: remembered, joinCount: joinCount, tappedBy: tappedBy,
      tappedAt: tappedAt, unreported: unreported, revocations: revocations,
      hostRoles: hostRoles, lastChanges: lastChanges, sightRevision: sightRevision,
      shared: shared)
  }

  /// Restores a session from a snapshot.
  ///
  /// - Parameter history: The last deltas up to the snapshot's revision, without gaps. May be
  ///   empty.
  package init(
    _ origin: SessionOrigin, limits: SessionLimits = SessionLimits(), state: StoredState,
    history: Deque<Delta> = []
  ) {
    self.origin = origin
    self.limits = limits
    definition = state.definition?.definition ?? origin.definition
    version = state.version
    definedAt = state.definedAt
    picker = Picker(state.shown?.definition ?? definition, state: state.picker)
    if state.shown != nil { _ = picker.layOut(like: definition) }
    notes = state.notes
    result =
      state.status == .open
      ? picker.result(priced: state.notes) : picker.result.with(total: state.total)
    status = state.status
    decision = state.decision
    statusChangeCount = state.statusChangeCount
    statusChangedAt = state.statusChangedAt
    reached = state.reached
    revision = state.revision
    undoList = state.undoList
    members = Dictionary(uniqueKeysWithValues: state.members.map { ($0.id, $0) })
    remembered = state.remembered
    joinCount = state.joinCount
    tappedBy = state.tappedBy
    tappedAt = state.tappedAt
    unreported = state.unreported
    revocations = state.revocations
    hostRoles = state.hostRoles
    lastChanges = state.lastChanges
    sightRevision = state.sightRevision
    shared = state.shared
    self.history = history
    historyWeight = history.reduce(0) { $0 + $1.weight }
  }
}
