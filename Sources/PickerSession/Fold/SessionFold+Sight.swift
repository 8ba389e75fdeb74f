package import PickerModel

extension SessionFold {
  /// What a member, or an observer without member, sees.
  ///
  /// - Parameter seesAll: Whether an owner's token or a host's key reads.
  package func sight(
    of member: MemberID?, seesAll: Bool = false, zone: CellZone? = nil
  ) -> Sight {
    Sight(
      definition.results, member,
      seesAll: seesAll || member.flatMap { members[$0]?.role } == .owner, zone: zone)
  }

  /// Whether a member that has seen `revision` can go on from there: later deltas and what it has
  /// seen before are all that it may see now.
  package func mayResume(_ member: MemberID?, after revision: Int) -> Bool {
    guard definition.results != nil else { return true }
    let own = member.flatMap { members[$0]?.sightRevision } ?? -1
    return revision > max(own, facts.sightRevision ?? -1)
  }

  /// Records that a member's role has changed, and with it what it may see.
  mutating func noteSight(of member: MemberID, _ effects: inout [Effect]) {
    guard let results = definition.results, results != .everyone else { return }
    facts.members[member]?.sightRevision = facts.revision
    effects.append(.sightChanged(member))
  }

  /// Records that the definition's `results` have changed.
  mutating func noteSight(before: ResultsAudience?, _ effects: inout [Effect]) {
    guard definition.results != before else { return }
    facts.sightRevision = revision
    effects.append(.sightChanged(nil))
  }
}

extension Session {
  /// What a listener sees.
  package func sight(of listener: Listener) -> Sight {
    // Single properties, because reading `fold` as a whole copies it.
    guard let results = fold.definition.results else { return .everything }
    let isOwner = listener.member.flatMap { role(of: $0) } == .owner
    return Sight(
      results, listener.member, seesAll: listener.seesAll || isOwner, zone: listener.zone)
  }
}

extension Sight {
  package func seen(_ result: PickerResult, status: SessionStatus) -> PickerResult {
    seen(result, isFinal: status == .confirmed)
  }
}

extension Delta {
  /// The author, as a reader may see it: where the parts of members are hidden, nobody learns whose
  /// has changed.
  package func by(for sight: Sight) -> MemberID? {
    guard let by, !sight.seesEverything, by != sight.member, hasParts else { return by }
    return nil
  }

  /// The command, as a reader may see it: a reader without results sees no window on which the host
  /// decides, because it is the result only once it is confirmed.
  package func shown(_ command: Command, to sight: Sight) -> Command {
    guard case .confirmWindow = command, !sight.seesCounts, case .status(let change) = change,
      change.status != .confirmed
    else { return command }
    return .confirm
  }

  /// Whether the delta changes the parts of members.
  package var hasParts: Bool { change.pickerChanges.contains { $0.respondent != nil } }

  /// Whether what members refer to by number has other numbers.
  package var isRenumbering: Bool { change.pickerChanges.contains { $0.isRenumbering } }

  /// Whether it changes the part of a member.
  package func hasPart(of member: MemberID) -> Bool {
    change.pickerChanges.contains { $0.respondent == member }
  }

  /// The new result, as a reader may see it; `nil` if it is the same as before.
  package func result(for sight: Sight) -> PickerResult? {
    if sight.seesCounts { return result }
    if case .status(let change) = change, change.status == .confirmed {
      return change.result.withoutCounts
    }
    return endsConfirmed ? PickerResult.null : nil
  }
}
