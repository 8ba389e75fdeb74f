package import CivilTime
import JSONText

/// A change of an `availability`.
package enum AvailabilityChange: Hashable, Sendable {
  /// The cells are numbered anew; no cell has a mark before the changes that follow.
  case cells(CellsChange)
  /// The first cells that are past.
  case past(Int)
  /// Whether marks cannot be changed any more.
  case closed(Bool)
  case marks(MarksChange)
  case heat(HeatChange)
  case best(BestChange)

  var hasTexts: Bool {
    switch self {
    case .cells, .best: true
    case .past, .closed, .marks, .heat: false
    }
  }

  /// Those with texts have times.
  var hasZones: Bool { hasTexts }

  /// See ``ChangeFacts/weight``.
  var weight: Int {
    switch self {
    case .past, .closed: 0
    case .cells(let change): change.cells.count / 8 + 1
    case .marks(let change): change.runs.count / 10 + 1
    case .heat(let change): change.runs.count / 6 + 1
    case .best: 1
    }
  }

  /// Whether a reader must not see it.
  func isHidden(from sight: Sight) -> Bool {
    switch self {
    case .cells, .past, .closed: false
    case .marks(let change): !sight.sees(partOf: change.respondent)
    case .heat, .best: !sight.seesCounts
    }
  }

  /// See ``PickerChange/respondent``.
  var respondent: MemberID? {
    if case .marks(let change) = self { MemberID(change.respondent) } else { nil }
  }

  var isRenumbering: Bool { if case .cells = self { true } else { false } }
}

extension [PickerChange] {
  /// The changes with the names and colours of the members that they are about, so that they can be
  /// encoded later.
  package func naming(_ respondent: (MemberID) -> Respondent?) -> [PickerChange] {
    map { change in
      guard case .availability(.marks(var marks)) = change else { return change }
      let known = respondent(MemberID(marks.respondent))
      marks.name = known?.name ?? ""
      marks.color = known?.color ?? ""
      return .availability(.marks(marks))
    }
  }
}

/// A member that has a part in a picker, which may have left the session.
package struct Respondent: Sendable {
  /// The order of joining.
  package let number: Int
  package let name: String
  package let color: String

  package init(number: Int, name: String, color: String) {
    self.number = number
    self.name = name
    self.color = color
  }
}

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

extension AvailabilityChange {
  /// See ``PickerChange/words(in:)``.
  func words(in texts: any RowTexts) -> String {
    switch self {
    case .cells(let change):
      return "there are \(counted(change.cells.count, "cell")), generation \(change.generation)"
    case .past(let past): return "\(counted(past, "cell")) are past"
    case .closed(let isClosed): return isClosed ? "marks are closed" : "marks are open again"
    case .marks(let change):
      return "\(change.name) has other marks in \(counted(change.runs.count, "run")) of cells"
    case .heat(let change): return "\(counted(change.respondentCount, "member")) have marks"
    case .best(let change):
      let best = change.windows.first.map { texts.window($0.span, in: change.zone.rules) }
      return "the best window is \(best.map { "“\($0)”" } ?? "none")"
    }
  }
}

extension AvailabilityPicker {
  /// See ``Picker/words(in:tapped:)``.
  func words(in texts: any RowTexts) -> [String] {
    let best = BestChange(of: availability)
    return [
      "cells     \(availability.cells.count), of which \(availability.past) are past",
      "marks     of \(counted(availability.respondentCount, "member"))",
    ]
      + best.windows.map {
        let counts = $0.window.counts
        return "best      “\(texts.window($0.span, in: best.zone.rules))”: \(counts.yes) yes, "
          + "\(counts.maybe) maybe, \(counts.no) no"
      }
  }
}
