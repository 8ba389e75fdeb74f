package import CivilTime
package import PickerModel

extension SessionFold {
  /// All of a fold but its origin, its limits and its history: what a snapshot keeps.
  package struct Kept: Hashable, Sendable {
    package var picker: PickerState
    package var status: SessionStatus
    package var revision: Int
    package var undoList: UndoList
    package var members: [Member]
    package var joinCount: Int
    package var tappedBy: MemberID?
    package var tappedAt: Instant?

    package init(
      picker: PickerState, status: SessionStatus, revision: Int, undoList: UndoList,
      members: [Member], joinCount: Int, tappedBy: MemberID?, tappedAt: Instant?
    ) {
      self.picker = picker
      self.status = status
      self.revision = revision
      self.undoList = undoList
      self.members = members
      self.joinCount = joinCount
      self.tappedBy = tappedBy
      self.tappedAt = tappedAt
    }
  }

  package var kept: Kept {
    Kept(
      picker: picker.state, status: status, revision: revision, undoList: undoList,
      members: membersInOrder, joinCount: joinCount, tappedBy: tappedBy, tappedAt: tappedAt)
  }

  /// A session as a snapshot kept it; its history begins there.
  package init(
    _ origin: SessionOrigin, limits: SessionLimits = SessionLimits(), kept: Kept
  ) {
    self.origin = origin
    self.limits = limits
    picker = Picker(origin.definition, state: kept.picker)
    result = picker.result
    status = kept.status
    revision = kept.revision
    undoList = kept.undoList
    members = Dictionary(uniqueKeysWithValues: kept.members.map { ($0.id, $0) })
    joinCount = kept.joinCount
    tappedBy = kept.tappedBy
    tappedAt = kept.tappedAt
    history = []
  }
}
