package import JSONText

/// Writes what depends on the shape of a picker.
extension JSONWriter {
  /// The member of a snapshot that has the state of the picker: `"columns"`, `"calendar"` or
  /// `"availability"`.
  ///
  /// - Parameters:
  ///   - definition: The session's, which may be newer than the picker's.
  ///   - respondent: The member with an id, also one that has left.
  package mutating func pickerState(
    _ picker: Picker, _ notes: Notes, sight: Sight, texts: any RowTexts,
    windowRows: Int, definition: Definition,
    respondent: (MemberID) -> Respondent?
  ) {
    switch picker {
    case .columns(let box):
      columns(box.shape, notes, locale: definition.locale, texts: texts, windowRows: windowRows)
    case .calendar(let box): calendar(box.shape, weekdaysOf: definition, texts: texts)
    case .availability(let box):
      availability(box.shape.availability, sight: sight, texts: texts, respondent: respondent)
    }
  }

  /// The changes that a reader may see, separated by commas.
  ///
  /// - Parameters:
  ///   - by: The member of the last tap on the range.
  ///   - isFirst: Whether no comma is needed before them.
  package mutating func pickerChanges(
    _ changes: [PickerChange], by: MemberID?, _ notes: RowNotes?, isFirst: Bool = true,
    sight: Sight, texts: any RowTexts, windowRows: Int, _ cache: inout RowsCache
  ) {
    var isFirst = isFirst
    for index in changes.indices {
      if !sight.seesEverything, changes[index].isHidden(from: sight) { continue }
      if !isFirst { literal(",") }
      isFirst = false
      changes[index].write(
        to: &self, by: by, notes, sight: sight, texts: texts, windowRows: windowRows, &cache)
    }
  }

  /// The changes in a refusal: the current state without causes.
  package mutating func correction(
    _ correction: PickerCorrection, of picker: Picker, _ notes: Notes, locale: String,
    texts: any RowTexts, windowRows: Int, _ cache: inout RowsCache
  ) {
    switch (correction, picker) {
    case (.column(let index, let reloads), .columns(let box)):
      self.correction(
        column: index, reloads: reloads, of: box.shape, notes, locale: locale, texts: texts,
        windowRows: windowRows, &cache)
    case (.range, .calendar(let box)): self.correction(rangeOf: box.shape)
    case (.nothing, _), (.column, _), (.range, _): break
    }
  }

  /// `,"reason"?,"wanted"?,"because"?` of a value that was replaced by the nearest possible one.
  package mutating func clamp(
    _ reason: ClampReason?, wanted: String?, _ loss: SlotLoss? = nil
  ) {
    if let reason { literal(",\"reason\":", reason.rawValue) }
    if let wanted { literal(",\"wanted\":", wanted) }
    if let loss { literal(",\"because\":", loss.rawValue) }
  }
}

extension PickerChange {
  /// A method of the change, which is not copied for it.
  fileprivate func write(
    to writer: inout JSONWriter, by: MemberID?, _ notes: RowNotes?, sight: Sight,
    texts: any RowTexts, windowRows: Int, _ cache: inout RowsCache
  ) {
    switch self {
    case .columns(let change):
      writer.columnsChange(change, notes, texts: texts, windowRows: windowRows, &cache)
    case .calendar(let change): writer.calendarChange(change, by: by)
    case .availability(let change): writer.availabilityChange(change, sight: sight, texts: texts)
    }
  }
}
