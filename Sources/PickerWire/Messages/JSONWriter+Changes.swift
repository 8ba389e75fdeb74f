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
    of delta: Delta, bands: [UInt8]?, sight: Sight = .everything, texts: any RowTexts,
    windowRows: Int,
    _ cache: inout RowsCache
  ) -> Int {
    let start = count
    changes(of: delta, sight: sight, texts: texts, windowRows: windowRows, &cache)
    let bandsOffset = count
    if let bands { raw(bands) }
    if let edit = delta.inventory {
      if count > start { literal(",") }
      inventoryChanges(edit)
    }
    if let result = delta.result(for: sight) {
      // Bands follow another change; notes of days have their comma.
      if bandsOffset > start || delta.inventory != nil { literal(",") }
      literal("{\"change\":\"result\",\"result\":")
      self.result(result, data: delta.data)
      if case .definition(let redefinition, _, tappedBy: _) = delta.change, redefinition.loss != nil
      {
        clamp(.gone, wanted: nil, redefinition.loss)
      }
      literal("}")
    }
    return bandsOffset
  }

  private mutating func changes(
    of delta: Delta, sight: Sight, texts: any RowTexts, windowRows: Int, _ cache: inout RowsCache
  ) {
    switch delta.change {
    case .picker(let changes, let tappedBy), .inventory(_, let changes, let tappedBy):
      pickerChanges(
        changes, by: tappedBy, delta.notes, sight: sight, texts: texts, windowRows: windowRows,
        &cache)
    case .definition(let redefinition, let changes, let tappedBy):
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
    literal("{\"change\":\"definition\",\"version\":", redefinition.version)
    literal(",\"definition\":")
    raw(redefinition.definition.memberJSON)
    if redefinition.hasOtherWeekdays {
      literal(",\"weekdays\":")
      weekdays(of: redefinition.definition, texts: texts)
    }
    literal("}")
  }
}
