import CivilTime
import JSONText
import PickerModel
import PickerSession

/// Writes the changes of deltas, in the order of the wire protocol.
extension JSONWriter {
  /// Writes all changes of a delta, separated by commas, without brackets.
  ///
  /// - Parameter bands: The part that depends on the months a client displays: changes of type
  ///   `bands`, each preceded by a comma, and the change with the notes of days: preceded by a
  ///   comma in a delta with a definition, otherwise followed by one if the result changes.
  /// - Returns: The offset at which `bands` was written.
  mutating func changes(
    of delta: Delta, bands: [UInt8], sight: Sight = .everything, texts: any RowTexts,
    windowRows: Int,
    _ cache: inout RowsCache
  ) -> Int {
    let start = count
    changes(of: delta, sight: sight, texts: texts, windowRows: windowRows, &cache)
    let bandsOffset = count
    raw(bands)
    if let result = delta.result(for: sight) {
      // Bands follow another change; notes of days have their comma.
      if bandsOffset > start { literal(",") }
      literal("{\"change\":\"result\",\"result\":")
      self.result(result, data: delta.data)
      literal("}")
    }
    return bandsOffset
  }

  private mutating func changes(
    of delta: Delta, sight: Sight, texts: any RowTexts, windowRows: Int, _ cache: inout RowsCache
  ) {
    switch delta.change {
    case .picker(let changes, let tappedBy, rangeBefore: _):
      pickerChanges(
        changes, by: tappedBy, delta.notes, sight: sight, texts: texts, windowRows: windowRows,
        &cache)
    case .definition(let redefinition, let changes, let tappedBy, rangeBefore: _):
      if redefinition.isAnnounced {
        self.redefinition(redefinition, texts: texts)
      }
      pickerChanges(
        changes, by: tappedBy, delta.notes, isFirst: !redefinition.isAnnounced, sight: sight,
        texts: texts, windowRows: windowRows, &cache)
      if let edit = redefinition.notes, !edit.change.columns.isEmpty {
        literal(",")
        rowNotes(edit, texts: texts)
      }
    case .notes(let edit): rowNotes(edit, texts: texts)
    case .status(let change): status(change, sight: sight, texts: texts)
    }
  }

  private mutating func redefinition(_ redefinition: Redefinition, texts: any RowTexts) {
    literal("{\"change\":\"definition\",\"version\":")
    integer(redefinition.version)
    literal(",\"definition\":")
    raw(redefinition.definition.memberJSON)
    if redefinition.hasOtherWeekdays {
      literal(",\"weekdays\":")
      weekdays(of: redefinition.definition, texts: texts)
    }
    literal("}")
  }

  private mutating func pickerChanges(
    _ changes: [PickerChange], by: MemberID?, _ notes: RowNotes?, isFirst: Bool = true,
    sight: Sight, texts: any RowTexts, windowRows: Int, _ cache: inout RowsCache
  ) {
    var isFirst = isFirst
    for index in changes.indices {
      if !sight.seesEverything, changes[index].isHidden(from: sight) { continue }
      if !isFirst { literal(",") }
      isFirst = false
      pickerChange(
        changes[index], by: by, notes, sight: sight, texts: texts, windowRows: windowRows, &cache)
    }
  }

  private mutating func pickerChange(
    _ change: PickerChange, by: MemberID?, _ notes: RowNotes?, sight: Sight,
    texts: any RowTexts, windowRows: Int, _ cache: inout RowsCache
  ) {
    switch change {
    case .reload(let column, let state):
      let notes = notes?.notes(of: column)
      reload(column, state, notes, texts: texts, windowRows: windowRows, &cache)
    case .removal(let column, let generation):
      removal(column, generation: generation)
    case .row(let column, let move):
      literal("{\"change\":\"row\",\"column\":")
      integer(column)
      literal(",\"row\":")
      integer(move.row)
      literal(",\"key\":")
      string(move.key)
      literal(",\"text\":")
      text(of: move.row, move.rows, texts: texts)
      literal(",\"cause\":\"")
      raw(move.cause.rawValue)
      literal("\"")
      reason(move.reason, wanted: move.wanted)
      literal("}")
    case .months(let months):
      literal("{\"change\":\"months\",")
      monthList(months)
      literal("}")
    case .range(let range): rangeChange(range, by: by)
    case .cells(let change): cells(change, in: sight.zone, texts: texts)
    case .past(let past):
      literal("{\"change\":\"past\",\"past\":")
      integer(past)
      literal("}")
    case .closed(let isClosed):
      literal("{\"change\":\"closed\",\"closed\":")
      bool(isClosed)
      literal("}")
    case .marks(let change): marks(change)
    case .heat(let change): heat(change)
    case .best(let change): bestChange(change, in: sight.zone, texts: texts)
    }
  }

  mutating func reload(
    _ column: Int, _ state: ColumnState, _ notes: ColumnNotes?, texts: any RowTexts,
    windowRows: Int, _ cache: inout RowsCache
  ) {
    literal("{\"change\":\"reload\",\"column\":")
    integer(column)
    literal(",")
    self.column(state, notes, texts: texts, windowRows: windowRows, &cache)
    literal("}")
  }

  /// The last reload of a column that was removed: without rows.
  private mutating func removal(_ column: Int, generation: Int) {
    literal("{\"change\":\"reload\",\"column\":")
    integer(column)
    literal(",\"generation\":")
    integer(generation)
    literal(",\"count\":0,\"from\":0,\"rows\":[],\"row\":null,\"removed\":true}")
  }

  private mutating func rangeChange(_ change: RangeChange, by: MemberID?) {
    literal("{\"change\":\"range\",")
    range(change.range, by: by, reach: change.reach)
    literal(",\"cause\":\"")
    raw(change.cause.rawValue)
    literal("\"")
    reason(change.reason, wanted: change.wanted?.iso)
    literal("}")
  }

  private mutating func reason(_ reason: ClampReason?, wanted: String?) {
    if let reason {
      literal(",\"reason\":\"")
      raw(reason.rawValue)
      literal("\"")
    }
    if let wanted {
      literal(",\"wanted\":")
      string(wanted)
    }
  }

  /// The changes in a refusal: the current state without causes, see ``Answer/Correction``.
  mutating func correction(
    _ correction: Answer.Correction, in fold: SessionFold, texts: any RowTexts, windowRows: Int,
    _ cache: inout RowsCache
  ) {
    switch correction {
    case .nothing: return
    case .range:
      literal("{\"change\":\"range\",")
      range(fold.picker.range, by: fold.tappedBy, reach: fold.picker.reach)
      literal("}")
    case .column(let index, let reloads):
      // The host may have removed the column before a delayed refusal is sent.
      guard fold.picker.columns.indices.contains(index) else { return }
      let column = fold.picker.columns[index]
      if reloads {
        let notes = fold.columnNotes(index)
        reload(index, column, notes, texts: texts, windowRows: windowRows, &cache)
      }
      guard let selected = column.selected else { return }
      if reloads { literal(",") }
      literal("{\"change\":\"row\",\"column\":")
      integer(index)
      literal(",\"row\":")
      integer(selected)
      literal(",\"key\":")
      key(of: selected, column.rows)
      literal(",\"text\":")
      text(of: selected, column.rows, texts: texts)
      literal("}")
    }
  }
}

extension PickerChange {
  /// Whether a reader must not see it.
  fileprivate func isHidden(from sight: Sight) -> Bool {
    switch self {
    case .reload, .removal, .row, .months, .range, .cells, .past, .closed: false
    case .marks(let change): !sight.seesMarks(of: change.respondent)
    case .heat, .best: !sight.seesCounts
    }
  }
}
