package import CivilTime
package import DequeModule
package import PickerModel

extension SessionFold {
  /// All of a fold but its origin, its limits and its history: what a snapshot keeps.
  package struct StoredState: Hashable, Sendable {
    package var picker: PickerState
    /// 1: that of the origin.
    package var version: Int
    /// The current definition; `nil` for that of the origin.
    package var definition: RetainedDefinition?
    /// The definition that the picker shows, if it is another one.
    package var shown: RetainedDefinition?
    package var definedAt: Instant?
    package var notes: Notes
    package var status: SessionStatus
    /// `nil` if there was none, and in snapshots of versions that did not count them.
    package var statusChangeCount: Int?
    package var statusChangedAt: Instant?
    package var revision: Int
    package var undoList: UndoList
    package var members: [Member]
    package var remembered: RememberedMembers
    package var joinCount: Int
    package var tappedBy: MemberID?
    package var tappedAt: Instant?

    package init(
      picker: PickerState, version: Int = 1, definition: RetainedDefinition? = nil,
      shown: RetainedDefinition? = nil, definedAt: Instant? = nil, notes: Notes = Notes(),
      status: SessionStatus, statusChangeCount: Int? = nil, statusChangedAt: Instant? = nil,
      revision: Int, undoList: UndoList, members: [Member], remembered: RememberedMembers,
      joinCount: Int, tappedBy: MemberID?,
      tappedAt: Instant?
    ) {
      self.picker = picker
      self.version = version
      self.definition = definition
      self.shown = shown
      self.definedAt = definedAt
      self.notes = notes
      self.status = status
      self.statusChangeCount = statusChangeCount
      self.statusChangedAt = statusChangedAt
      self.revision = revision
      self.undoList = undoList
      self.members = members
      self.remembered = remembered
      self.joinCount = joinCount
      self.tappedBy = tappedBy
      self.tappedAt = tappedAt
    }
  }

  package var kept: StoredState {
    StoredState(
      picker: picker.state, version: version,
      definition: version == 1 ? nil : RetainedDefinition(definition),
      shown: picker.definition === definition ? nil : RetainedDefinition(picker.definition),
      definedAt: definedAt, notes: notes, status: status,
      statusChangeCount: statusChangeCount == 0 ? nil : statusChangeCount,
      statusChangedAt: statusChangeCount == 0 ? nil : statusChangedAt, revision: revision,
      undoList: undoList,
      members: membersInOrder, remembered: remembered, joinCount: joinCount, tappedBy: tappedBy,
      tappedAt: tappedAt)
  }

  /// A session as a snapshot stored it.
  ///
  /// - Parameter history: The last deltas up to the snapshot's revision, without gaps.
  package init(
    _ origin: SessionOrigin, limits: SessionLimits = SessionLimits(), kept: StoredState,
    history: Deque<Delta> = []
  ) {
    self.origin = origin
    self.limits = limits
    definition = kept.definition?.definition ?? origin.definition
    version = kept.version
    definedAt = kept.definedAt
    let kept = kept.made(under: origin.definition)
    picker = Picker(kept.shown?.definition ?? definition, state: kept.picker)
    notes = kept.notes
    result = picker.result
    status = kept.status
    // An older version did not count: a session that is not open has changed once at least.
    statusChangeCount = kept.statusChangeCount ?? (kept.status == .open ? 0 : 1)
    statusChangedAt = kept.statusChangedAt ?? origin.createdAt
    revision = kept.revision
    undoList = kept.undoList
    members = Dictionary(uniqueKeysWithValues: kept.members.map { ($0.id, $0) })
    remembered = kept.remembered
    joinCount = kept.joinCount
    tappedBy = kept.tappedBy
    tappedAt = kept.tappedAt
    self.history = history
    historyWeight = history.reduce(0) { $0 + $1.weight }
  }
}

extension SessionFold.StoredState {
  /// The snapshot with what older versions of pickerd did not store: under which definition its
  /// ranges were made. There was one only.
  package func made(under definition: Definition) -> SessionFold.StoredState {
    guard version == 1 else { return self }
    var kept = self
    kept.picker.value = picker.value.made(under: definition)
    kept.undoList = undoList.made(under: definition)
    return kept
  }
}
