/// What a reader sees of an `availability`, and in which time zone. For the other shapes all
/// readers see everything.
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

  /// - Parameter seesAll: Whether it is an owner's token or a host's key that reads.
  package init(
    _ results: ResultsAudience?, _ member: MemberID?, seesAll: Bool, zone: CellZone?
  ) {
    switch results {
    case nil: self = .everything
    case .everyone?: self.init(.everything, nil, zone: zone)
    case .counts?: self.init(seesAll ? .everything : .counts, member, zone: zone)
    case .owner?: self.init(seesAll ? .everything : .ownMarks, member, zone: zone)
    }
  }

  package static let everything = Sight(.everything, nil, zone: nil)

  package var seesEverything: Bool { audience == .everything }
  package var seesCounts: Bool { audience != .ownMarks }

  package func sees(partOf member: String) -> Bool {
    seesEverything || self.member?.text.isExactly(member) == true
  }

  /// - Parameter isFinal: Whether the session is confirmed.
  package func seen(_ result: PickerResult, isFinal: Bool) -> PickerResult {
    if seesCounts { return result }
    return isFinal ? result.withoutCounts : .null
  }
}
