import JSONText

/// A change of a picker of columns.
package enum ColumnsChange: Hashable, Sendable {
  /// The column has other rows.
  case reload(column: Int, ColumnState)
  /// The definition no longer has the column. `generation` continues that of the column's last
  /// reload.
  case removal(column: Int, generation: Int)
  /// The column has another selected key.
  case row(column: Int, RowMove)

  var isClamp: Bool {
    if case .row(column: _, let move) = self { move.cause == .clamp } else { false }
  }

  var hasTexts: Bool {
    switch self {
    case .reload, .row: true
    case .removal: false
    }
  }
}

/// A column's rows and selected row.
package struct ColumnState: Hashable, Sendable {
  /// Counts the changes of ``rows``, from 1. A command names the generation its sender has seen, so
  /// that a row index cannot refer to other rows.
  package var generation: Int
  package var rows: ColumnRows
  /// The selected row; `nil` if there are no rows.
  package var selected: Int?
  /// The levels of the rows that have one, by row.
  package var levels: [Int: KeyLevel] = [:]

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
  /// Only of a slot, with the reason `gone`.
  package let loss: SlotLoss?
}

/// Why a column has another selected row.
package enum MoveCause: String, Hashable, Sendable {
  /// The member selected this row.
  case select
  /// An earlier column changed, so this one went to its first row.
  case reset
  /// The requested row does not exist, so the nearest one was selected.
  case clamp
  /// The member chose a whole value.
  case set
  case undo
  /// The selected row can no longer be had, or others have given it back.
  case inventory
}

/// Why the columns change; decides the `cause` and the `reason` of each ``RowMove``.
enum ColumnsChangeOrigin {
  /// A member selected `key` in `column`.
  case select(column: Int, key: String)
  /// A member chose a whole value.
  case set
  /// Time passed; with the reason of a clamp.
  case tick(ClampReason)
  case undo
  /// An inventory changed, with the reason.
  case inventory(ClampReason)
  /// The host changed the definition; with the reason of a clamp, and of a slot with its cause.
  case define(ClampReason, SlotLoss?)
}

/// What a column had selected and what was requested, to find the cause of its move.
struct Wanted {
  let held: String?
  /// In the day column of a date with `rememberDay`: the key of the day to return to.
  let aimedDay: String?
  let column: Int
  let origin: ColumnsChangeOrigin
  /// Whether an earlier column moved on which this one's rows depend.
  let isAfterMoved: Bool

  func move(to key: String, row: Int, rows: ColumnRows, _ reason: ClampReason?) -> RowMove {
    func moved(
      _ cause: MoveCause, _ reason: ClampReason? = nil, wanted: String? = nil,
      _ loss: SlotLoss? = nil
    ) -> RowMove {
      RowMove(
        rows: rows, row: row, key: key, cause: cause, reason: reason, wanted: wanted, loss: loss)
    }
    switch origin {
    case .undo: return moved(.undo)
    case .set: return moved(.set)
    case .tick where held == nil || isAfterMoved, .define where held == nil || isAfterMoved,
      .inventory where held == nil && reason != .offered:
      return moved(.reset)
    case .tick(let reason): return moved(.clamp, reason, wanted: held)
    case .define(let reason, let loss): return moved(.clamp, reason, wanted: held, loss)
    case .inventory(.offered): return moved(.inventory, .offered)
    case .inventory(let reason): return moved(.inventory, reason, wanted: held)
    case .select(column, key): return moved(.select)
    case .select(let touched, let selected):
      if key == aimedDay { return moved(.select) }
      guard let reason else { return moved(.reset) }
      return moved(.clamp, reason, wanted: touched == column ? selected : aimedDay ?? held)
    }
  }
}

extension ColumnsChange {
  /// See ``PickerChange/words(in:)``.
  func words(in texts: any RowTexts) -> String {
    switch self {
    case .reload(let column, let state):
      let rows = counted(state.rows.count, "row")
      return "column \(column) has \(rows), generation \(state.generation)"
    case .removal(let column, _): return "column \(column) is removed"
    case .row(let column, let move):
      var words = "column \(column) is “\(move.rows.text(at: move.row, in: texts))” (\(move.cause)"
      if let wanted = move.wanted { words += ", wanted \(wanted)" }
      if let reason = move.reason { words += ", \(reason)" }
      if let loss = move.loss { words += ", \(loss)" }
      return words + ")"
    }
  }
}

extension ColumnsPicker {
  /// See ``Picker/words(in:tapped:)``.
  func words(in texts: any RowTexts) -> [String] {
    columns.enumerated().map { index, column in
      let row = column.selected.map { "“\(column.rows.text(at: $0, in: texts))”, row \($0) of" }
      return "column \(index)  \(row ?? "empty:") \(column.rows.count), generation "
        + "\(column.generation)"
    }
  }
}
