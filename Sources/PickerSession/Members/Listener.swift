package import CivilTime

/// A member's open connection, or one of nobody who only watches, and how it sees the session.
package struct Listener: Hashable, Sendable {
  package let connection: ConnectionID
  /// `nil`: nobody's, who only watches.
  package let member: MemberID?
  /// Which language its rows are written in: listeners with the same number read the same texts.
  package let language: Int
  /// The months that it looks at, if any.
  package internal(set) var view: MonthView?

  package init(connection: ConnectionID, member: MemberID?, language: Int, view: MonthView?) {
    self.connection = connection
    self.member = member
    self.language = language
    self.view = view
  }
}

/// Consecutive months that a member is looking at.
package struct MonthView: Hashable, Sendable {
  package let from: CivilMonth
  package let count: Int

  package init(from: CivilMonth, count: Int) {
    self.from = from
    self.count = count
  }

  /// The months, as far as there are such.
  package var months: [CivilMonth] {
    (0..<max(0, count)).compactMap { from.adding(months: $0) }
  }

  package func contains(_ month: CivilMonth) -> Bool {
    month >= from && month.index < from.index + count
  }
}

/// Where somebody's finger is.
package enum Touch: Hashable, Sendable {
  case row(column: Int, row: Int)
  case date(CivilDate)
  case lifted
}
