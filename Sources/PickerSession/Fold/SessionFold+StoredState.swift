package import CivilTime
package import DequeModule
package import PickerModel

extension SessionFold {
  /// What the entries have made of a session, apart from its picker and definition. A fold has it
  /// in the form in which a snapshot stores it.
  package struct Facts: Hashable, Sendable {
    /// The version of the definition: 1 at first, one more with each change by the host.
    package var version = 1
    /// The time at which the host set ``SessionFold/definition``, if the picker does not have it
    /// yet; otherwise `nil`.
    package var definedAt: Instant?
    package var notes = Notes()
    package var status = SessionStatus.open
    package var decision = DecisionState()
    package var statusChangeCount = 0
    /// The time of the last change of ``status``; the creation if there was none.
    package var statusChangedAt: Instant
    /// The time that the session has reached: that of the last entry of which something must stay
    /// in the log. An entry with an earlier time is applied at this time, so that it does not undo
    /// what members have seen since: the clocks of two nodes that own the session one after the
    /// other may differ.
    package var reached: Instant
    /// 0 at first; one more with each delta.
    package var revision = 0
    package var undoList = UndoList()
    package var members: [MemberID: Member] = [:]
    package var remembered = RememberedMembers()
    /// The number of times that a member joined or rejoined.
    package var joinCount = 0
    /// A changed result that the feed has not reported yet; always `nil` where it is not watched.
    package var unreported: UnreportedResult?
    package var revocations = Revocations()
    package var hostRoles = HostRoles()
    package var lastChanges = LastChanges()
    /// The revision at which `results` of an `availability` changed last; `nil` if they did not.
    package var sightRevision: Int?
    /// `nil` for a session without a shared definition.
    package var shared: SharedState?
    /// `nil` for a session without inventory.
    package var inventory: KnownInventory?

    /// - Parameter createdAt: The time of the creation.
    package init(at createdAt: Instant) { (statusChangedAt, reached) = (createdAt, createdAt) }
  }

  /// The part of a fold that a snapshot stores: all but the origin, the limits and the history.
  package struct StoredState: Hashable, Sendable {
    package var facts: Facts
    package let picker: StoredPicker
    /// The current definition; `nil` if it is that of the origin.
    package var definition: RetainedDefinition?
    /// The picker's definition; `nil` if it is ``definition``. They differ while a session that is
    /// not open has a pending definition.
    package var shown: RetainedDefinition?
    /// The total of the result while the session is not open; otherwise the notes have it.
    package let total: PriceTotal?

    package init(
      _ facts: Facts, picker: StoredPicker, definition: RetainedDefinition? = nil,
      shown: RetainedDefinition? = nil, total: PriceTotal? = nil
    ) {
      (self.facts, self.picker, self.total) = (facts, picker, total)
      (self.definition, self.shown) = (definition, shown)
    }
  }

  package var state: StoredState {
    let isShown = RetainedDefinition(picker.definition) == RetainedDefinition(definition)
    return StoredState(
      facts, picker: picker.state,
      definition: facts.version == 1 ? nil : RetainedDefinition(definition),
      shown: isShown ? nil : RetainedDefinition(picker.definition),
      total: facts.status == .open ? nil : result.total)
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
    facts = state.facts
    definition = state.definition?.definition ?? origin.definition
    picker = Picker(
      state.shown?.definition ?? definition, state: state.picker,
      seeing: facts.inventory?.levels)
    if state.shown != nil { _ = picker.layOut(like: definition) }
    result =
      facts.status == .open
      ? picker.result(priced: facts.notes) : picker.result.with(total: state.total)
    self.history = history
    result = counted(result)
    historyWeight = history.reduce(0) { $0 + $1.weight }
    historyDefinitionWeight = history.reduce(0) { $0 + $1.definitionWeight }
  }
}

extension SessionFold {
  package var version: Int { facts.version }
  package var notes: Notes { facts.notes }
  package var status: SessionStatus { facts.status }
  package var decision: DecisionState { facts.decision }
  package var statusChangeCount: Int { facts.statusChangeCount }
  package var statusChangedAt: Instant { facts.statusChangedAt }
  package var reached: Instant { facts.reached }
  package var revision: Int { facts.revision }
  package var undoList: UndoList { facts.undoList }
  package var members: [MemberID: Member] { facts.members }
  package var remembered: RememberedMembers { facts.remembered }
  package var unreported: UnreportedResult? { facts.unreported }
  package var revocations: Revocations { facts.revocations }
  package var hostRoles: HostRoles { facts.hostRoles }
  package var shared: SharedState? { facts.shared }
}
