package import CivilTime

/// The cells of an `availability` are numbered anew.
package struct CellsChange: Hashable, Sendable {
  package let cells: CellList
  package let generation: Int
  package let past: Int
  /// Of the definition.
  package let zone: CellZone
  package let firstWeekday: Int

  package init(of availability: Availability) {
    cells = availability.cells
    generation = availability.generation
    past = availability.past
    zone = availability.kind.cellZone
    firstWeekday = availability.kind.firstWeekday
  }
}

/// A time zone with its name as it was given.
package struct CellZone: Hashable, Sendable {
  package let name: String
  package let rules: ZoneRules

  package init(name: String, rules: ZoneRules) {
    self.name = name
    self.rules = rules
  }
}

/// Other marks of one member.
package struct MarksChange: Hashable, Sendable {
  /// The member's id.
  package let respondent: String
  /// Of the member at the time of the change, set by the session.
  package var name = ""
  package var color = ""
  /// Of cells whose mark differs.
  package let runs: [MarkRun]

  package init(respondent: String, runs: [MarkRun]) {
    self.respondent = respondent
    self.runs = runs
  }
}

/// Other numbers of marks.
package struct HeatChange: Hashable, Sendable {
  package let respondentCount: Int
  /// Of cells whose numbers differ.
  package let runs: [HeatRun]
}

/// Other best windows.
package struct BestChange: Hashable, Sendable {
  package let windows: [Window]
  /// Of the definition.
  package let zone: CellZone

  package struct Window: Hashable, Sendable {
    package let window: BestWindow
    package let span: WindowSpan
  }

  package init(of availability: Availability) {
    windows = availability.best.map { Window(window: $0, span: availability.span(of: $0)) }
    zone = availability.kind.cellZone
  }
}
