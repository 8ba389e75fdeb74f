package import CivilTime

/// One change of a picker by a select, tap, tick, undo or change of definition.
///
/// Self-contained: it can be encoded later, in any language, without the picker as it was then.
package enum PickerChange: Hashable, Sendable {
  /// The column has other rows.
  case reload(column: Int, ColumnState)
  /// The definition no longer has the column. `generation` continues that of the column's last
  /// reload.
  case removal(column: Int, generation: Int)
  /// The column has another selected key.
  case row(column: Int, RowMove)
  /// A calendar has another list of months.
  case months(MonthList)
  /// A calendar has another range, or its open range another reach.
  case range(RangeChange)
  /// The cells of an `availability` are numbered anew; no cell has a mark before the changes that
  /// follow.
  case cells(CellsChange)
  /// The first cells that are past.
  case past(Int)
  /// Whether marks cannot be changed any more.
  case closed(Bool)
  case marks(MarksChange)
  case heat(HeatChange)
  case best(BestChange)
}

/// A column's rows and selected row.
package struct ColumnState: Hashable, Sendable {
  /// Counts the changes of ``rows``, from 1. A command names the generation its sender has seen, so
  /// that a row index cannot refer to other rows.
  package var generation: Int
  package var rows: ColumnRows
  /// The selected row; `nil` if there are no rows.
  package var selected: Int?

  package init(generation: Int, rows: ColumnRows, selected: Int?) {
    self.generation = generation
    self.rows = rows
    self.selected = selected
  }

  /// The rows to send with a reload: all, or `maximum` of them around the selected one. Clients
  /// request the others.
  package func window(_ maximum: Int) -> Range<Int> {
    let count = rows.count
    if count <= maximum { return 0..<count }
    let from = max(0, min((selected ?? 0) - maximum / 2, count - maximum))
    return from..<min(count, from + maximum)
  }

  /// The selected row's key; `nil` if there are no rows.
  package var selectedKey: String? { selected.map { rows.key(at: $0) } }
}

/// A change of a column's selected row.
package struct RowMove: Hashable, Sendable {
  /// The rows of the column, after the change.
  package let rows: ColumnRows
  package let row: Int
  package let key: String
  package let cause: MoveCause
  /// Only with the cause `clamp`.
  package let reason: ClampReason?
  /// Only with the cause `clamp`: the key that was requested or selected before.
  package let wanted: String?

  package init(
    rows: ColumnRows, row: Int, key: String, cause: MoveCause, reason: ClampReason? = nil,
    wanted: String? = nil
  ) {
    self.rows = rows
    self.row = row
    self.key = key
    self.cause = cause
    self.reason = reason
    self.wanted = wanted
  }
}

/// Why a column has another selected row.
package enum MoveCause: String, Hashable, Sendable {
  /// The member selected this row.
  case select
  /// An earlier column changed, so this one went to its first row.
  case reset
  /// The requested row does not exist, so the nearest one was selected.
  case clamp
  case undo
}

/// Why a requested value was replaced by the nearest possible one.
package enum ClampReason: String, Hashable, Sendable {
  case min, max, monthLength, noSuchTime, elapsed, maxDays, blocked
  case noArrival, noDeparture, maxNights
  // These only after a change of definition.
  case gone, minDays, minNights, selection, unit
}

/// A change of a calendar's range or of its reach.
package struct RangeChange: Hashable, Sendable {
  /// `nil` if no range is selected; on the wire `hits` is 0 then.
  package let range: DateRange?
  package let cause: RangeCause
  /// Only with the causes `clamp` and `tick`, and with `define` if the range was shortened or
  /// cleared.
  package let reason: ClampReason?
  /// With the cause `clamp` the tapped day; with `define` the previous last day, if there is a
  /// ``reason``.
  package let wanted: CivilDate?
  /// The days on which the range could end; only while it is open.
  package let reach: ClosedRange<CivilDate>?

  package init(
    range: DateRange?, cause: RangeCause, reason: ClampReason? = nil, wanted: CivilDate? = nil,
    reach: ClosedRange<CivilDate>? = nil
  ) {
    self.range = range
    self.cause = cause
    self.reason = reason
    self.wanted = wanted
    self.reach = reach
  }
}

/// Why a calendar has another range.
package enum RangeCause: String, Hashable, Sendable {
  case tap, clamp, tick, clear, undo, define
}

/// The effects of a tick or of a change of definition.
package struct TickAnswer: Hashable, Sendable {
  package var changes: [PickerChange]
  /// Whether cells of the list may look different: other days can be picked, or another day is
  /// today. Clients that display months must load their cells again.
  package var cellsChanged: Bool

  package init(changes: [PickerChange] = [], cellsChanged: Bool = false) {
    self.changes = changes
    self.cellsChanged = cellsChanged
  }
}
