package import CivilTime
package import PickerModel

/// An open connection of a member or of an anonymous observer, and the form in which it receives
/// the session.
package struct Listener: Hashable, Sendable {
  package let connection: ConnectionID
  /// `nil` for an anonymous observer, which only receives.
  package let member: MemberID?
  /// The index of its language. Listeners with the same index receive the same texts, so a delta
  /// is encoded once for all of them.
  package let language: Int
  /// The months of a calendar that it displays; `nil` if none. It receives bands and cells for
  /// these only.
  package internal(set) var view: MonthView?
  /// The zone in which it gets times; `nil` for the definition's.
  package let zone: CellZone?
  /// Whether an owner's token or a host's key opened it, so that it sees all marks.
  package let seesAll: Bool

  package init(
    connection: ConnectionID, member: MemberID?, language: Int, view: MonthView?,
    zone: CellZone? = nil, seesAll: Bool = false
  ) {
    self.connection = connection
    self.member = member
    self.language = language
    self.view = view
    self.zone = zone
    self.seesAll = seesAll
  }
}

/// The consecutive months that a client displays.
package struct MonthView: Hashable, Sendable {
  package let from: CivilMonth
  package let count: Int

  package init(from: CivilMonth, count: Int) {
    self.from = from
    self.count = count
  }

  /// The months; those after 9999-12 are left out.
  package var months: [CivilMonth] {
    (0..<max(0, count)).compactMap { from.adding(months: $0) }
  }

  package func contains(_ month: CivilMonth) -> Bool {
    month >= from && month.index < from.index + count
  }
}

/// The position of a member's finger or, with `isHover`, of its pointer, which the others see.
package enum Touch: Hashable, Sendable {
  case row(column: Int, row: Int, isHover: Bool = false)
  case date(CivilDate, isHover: Bool = false)
  case lifted
}
