import CivilTime
package import PickerModel

/// What a reader sees of an `availability`, and in which time zone. For other kinds all readers see
/// everything.
///
/// - Source: web/guide/definitions.md, "Who sees what".
package struct Sight: Hashable, Sendable {
  package enum Audience: Hashable, Sendable {
    case everything
    /// The counts, but only the reader's own marks.
    case counts
    /// Only the reader's own marks, and a confirmed result without counts.
    case ownMarks
  }

  package let audience: Audience
  /// The reader, if that decides what it sees; `nil` where all such readers see the same.
  package let member: MemberID?
  /// The zone of the layout of times; `nil` for the definition's.
  package let zone: CellZone?

  package init(_ audience: Audience, _ member: MemberID?, zone: CellZone?) {
    self.audience = audience
    self.member = audience == .everything ? nil : member
    self.zone = zone
  }

  package static let everything = Sight(.everything, nil, zone: nil)

  package var seesEverything: Bool { audience == .everything }
  package var seesCounts: Bool { audience != .ownMarks }

  package func seesMarks(of member: String) -> Bool {
    seesEverything || self.member?.text.isExactly(member) == true
  }

  /// The same for a reader with the marks of none of the members.
  package var shared: Sight { Sight(audience, nil, zone: zone) }

  package func seen(_ result: PickerResult, status: SessionStatus) -> PickerResult {
    if seesCounts { return result }
    return status == .confirmed ? result.withoutCounts : .null
  }
}

extension SessionFold {
  /// What a member, or an observer without member, sees.
  ///
  /// - Parameter seesAll: Whether an owner's token or a host's key reads.
  package func sight(
    of member: MemberID?, seesAll: Bool = false, zone: CellZone? = nil
  ) -> Sight {
    Session.sight(
      definition.results, member.flatMap { members[$0]?.role }, member, seesAll: seesAll, zone)
  }

  /// Whether a member that has seen `revision` can go on from there: later deltas and what it has
  /// seen before are all that it may see now.
  package func mayResume(_ member: MemberID?, after revision: Int) -> Bool {
    guard definition.results != nil else { return true }
    let own = member.flatMap { members[$0]?.sightRevision } ?? -1
    return revision > max(own, sightRevision ?? -1)
  }

  /// Records that a member's role has changed, and with it what it may see.
  mutating func noteSight(of member: MemberID, _ effects: inout [Effect]) {
    guard let results = definition.results, results != .everyone else { return }
    members[member]?.sightRevision = revision
    effects.append(.sightChanged(member))
  }

  /// Records that the definition's `results` have changed.
  mutating func noteSight(before: ResultsAudience?, _ effects: inout [Effect]) {
    guard definition.results != before else { return }
    sightRevision = revision
    effects.append(.sightChanged(nil))
  }
}

extension Session {
  /// What a listener sees.
  package func sight(of listener: Listener) -> Sight {
    // Single properties, because reading `fold` as a whole copies it.
    guard let results = fold.definition.results else { return .everything }
    return Session.sight(
      results, listener.member.flatMap { role(of: $0) }, listener.member,
      seesAll: listener.seesAll, listener.zone)
  }

  static func sight(
    _ results: ResultsAudience?, _ role: Role?, _ member: MemberID?, seesAll: Bool,
    _ zone: CellZone?
  ) -> Sight {
    guard let results else { return .everything }
    if seesAll || role == .owner { return Sight(.everything, nil, zone: zone) }
    let audience: Sight.Audience =
      switch results {
      case .everyone: .everything
      case .counts: .counts
      case .owner: .ownMarks
      }
    return Sight(audience, member, zone: zone)
  }
}

extension Delta {
  /// The author, as a reader may see it: where marks are hidden, nobody learns who has marked.
  package func by(for sight: Sight) -> MemberID? {
    guard let by, !sight.seesEverything, by != sight.member, hasMarks else { return by }
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

  /// Whether the delta changes marks.
  package var hasMarks: Bool {
    change.pickerChanges.contains { if case .marks = $0 { true } else { false } }
  }

  /// Whether it has marks of a member.
  package func hasMarks(of member: MemberID) -> Bool {
    change.pickerChanges.contains {
      if case .marks(let marks) = $0 { marks.respondent.isExactly(member.text) } else { false }
    }
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
