package import CivilTime

/// What a select, a tap, a tick or a definition change changed, complete in itself: it can be
/// stored now and written in any language later.
package enum PickerChange: Hashable, Sendable {
  /// The column's list of rows is another one.
  case reload(column: Int, ColumnState)
  /// The column is no longer there; `generation` is that of its last reload, without rows.
  case removal(column: Int, generation: Int)
  /// The column's selected key is another one.
  case row(column: Int, RowMove)
  /// The list of months moved on.
  case months(MonthList)
  /// The range is another one, or while it is open its reach.
  case range(RangeChange)
}

/// A column as it is shown.
package struct ColumnState: Hashable, Sendable {
  /// 1 at first, one more whenever the rows change.
  package var generation: Int
  package var rows: ColumnRows
  /// The selected row; `nil` if there are no rows.
  package var selected: Int?

  package init(generation: Int, rows: ColumnRows, selected: Int?) {
    self.generation = generation
    self.rows = rows
    self.selected = selected
  }

  /// The rows that are sent unasked: all, or `maximum` of them around the selected one.
  package func window(_ maximum: Int) -> Range<Int> {
    let count = rows.count
    if count <= maximum { return 0..<count }
    let from = max(0, min((selected ?? 0) - maximum / 2, count - maximum))
    return from..<min(count, from + maximum)
  }

  /// The selected row's key; `nil` if there are no rows.
  package var selectedKey: String? { selected.map { rows.key(at: $0) } }
}

/// Another selected row.
package struct RowMove: Hashable, Sendable {
  /// The rows among which it is.
  package let rows: ColumnRows
  package let row: Int
  package let key: String
  package let cause: MoveCause
  /// Of a clamp.
  package let reason: ClampReason?
  /// Of a clamp: the key that was asked for.
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

/// Who moved a row.
package enum MoveCause: String, Hashable, Sendable {
  /// The member's own hand.
  case select
  /// An earlier column did: a later one went to its first row.
  case reset
  /// The wanted value is not there.
  case clamp
  case undo
}

/// Why a wanted value is not there.
package enum ClampReason: String, Hashable, Sendable {
  case min, max, monthLength, noSuchTime, elapsed, maxDays, blocked
  // Only of a definition change.
  case gone, minDays, selection
}

/// Another range, or none any more.
package struct RangeChange: Hashable, Sendable {
  /// `nil`: there is none, and `hits` is 0.
  package let range: DateRange?
  package let cause: RangeCause
  /// Of a clamp or a tick, and of a definition change that shortened or cleared the range.
  package let reason: ClampReason?
  /// Of a clamp the day that was tapped, of a definition change the last day before.
  package let wanted: CivilDate?
  /// While the range is open.
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

/// Who changed a range.
package enum RangeCause: String, Hashable, Sendable {
  case tap, clamp, tick, clear, undo, define
}

/// What a tick or a definition change found.
package struct TickAnswer: Hashable, Sendable {
  package var changes: [PickerChange]
  /// The cells of a month may look different: what can be picked, or what is today.
  package var cellsChanged: Bool

  package init(changes: [PickerChange] = [], cellsChanged: Bool = false) {
    self.changes = changes
    self.cellsChanged = cellsChanged
  }
}
