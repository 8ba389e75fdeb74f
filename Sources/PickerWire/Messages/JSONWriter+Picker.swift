import CivilTime
import JSONText
import PickerModel
import PickerSession

/// Writes the state of a picker: snapshots, columns, months, ranges, bands and cells.
///
/// - Source: web/client/api/asyncapi.json.
extension JSONWriter {
  /// `{"definition","version","status","result","columns":[…]}`, with `calendar` or
  /// `availability` instead of `columns` for those kinds.
  mutating func snapshot(
    _ fold: SessionFold, sight: Sight = .everything, definitionJSON: [UInt8]? = nil,
    texts: any RowTexts, windowRows: Int
  ) {
    pickerSnapshot(
      fold.picker, definition: fold.definition, definitionJSON: definitionJSON,
      version: fold.version, notes: fold.notes, result: fold.result, status: fold.status,
      decision: fold.decision, isReopenedByHost: fold.origin.host.isReopenedByHost,
      tappedBy: fold.tappedBy, sight: sight, texts: texts,
      windowRows: windowRows, member: { fold.members[$0] ?? fold.remembered.member($0) })
  }

  /// The same for a picker that is not in a session.
  ///
  /// - Parameter definitionJSON: The value of `definition`; default: as members receive it.
  mutating func pickerSnapshot(
    _ picker: Picker, definition: Definition, definitionJSON: [UInt8]? = nil, version: Int,
    notes: Notes, result: PickerResult, status: SessionStatus,
    decision: DecisionState = DecisionState(), isReopenedByHost: Bool = false,
    tappedBy: MemberID?, sight: Sight = .everything, texts: any RowTexts, windowRows: Int,
    member: (MemberID) -> Member? = { _ in nil }
  ) {
    literal("{\"definition\":")
    raw(definitionJSON ?? definition.memberJSON)
    literal(",\"version\":")
    integer(version)
    literal(",\"status\":")
    string(status.rawValue)
    if let until = decision.confirmation?.until { self.until(until) }
    if isReopenedByHost { literal(",\"reopen\":\"host\"") }
    literal(",\"result\":")
    self.result(sight.seen(result, status: status), data: decision.data)
    if let months = picker.months {
      literal(",\"calendar\":{\"months\":{")
      monthList(months)
      literal("},\"range\":")
      if let range = picker.range {
        literal("{")
        self.range(range, by: tappedBy, reach: picker.reach)
        literal("}")
      } else {
        literal("null")
      }
      literal(",\"weekdays\":")
      weekdays(of: definition, texts: texts)
      literal("}}")
    } else if let availability = picker.availability {
      literal(",\"availability\":")
      self.availability(availability, sight: sight, texts: texts, member: member)
      literal("}")
    } else {
      literal(",\"columns\":[")
      var cache = RowsCache(count: 0)
      for (index, column) in picker.columns.enumerated() {
        if index > 0 { literal(",") }
        literal("{")
        let notes = ColumnNotes(notes.columns[index], locale: definition.locale)
        self.column(column, notes, texts: texts, windowRows: windowRows, &cache)
        literal("}")
      }
      literal("]}")
    }
  }

  /// The names of a calendar's seven columns, from left to right.
  mutating func weekdays(of definition: Definition, texts: any RowTexts) {
    literal("[")
    for (index, weekday) in definition.weekdays.enumerated() {
      if index > 0 { literal(",") }
      string(texts.weekday(weekday))
    }
    literal("]")
  }

  /// `"generation","count","from","rows","row"`, without the braces.
  mutating func column(
    _ column: ColumnState, _ notes: ColumnNotes?, texts: any RowTexts, windowRows: Int,
    _ cache: inout RowsCache
  ) {
    let window = column.window(windowRows)
    literal("\"generation\":")
    integer(column.generation)
    literal(",\"count\":")
    integer(column.rows.count)
    literal(",\"from\":")
    integer(window.lowerBound)
    literal(",\"rows\":")
    if let notes {
      rows(column.rows, window, notes, texts: texts)
    } else {
      cache.write(column.rows, window, texts: texts, to: &self)
    }
    literal(",\"row\":")
    if let selected = column.selected { integer(selected) } else { literal("null") }
  }

  /// An array of rows.
  mutating func rows(
    _ rows: ColumnRows, _ range: Range<Int>, _ notes: ColumnNotes? = nil, texts: any RowTexts
  ) {
    literal("[")
    for row in range {
      if row > range.lowerBound { literal(",") }
      literal("{\"key\":")
      key(of: row, rows)
      literal(",\"text\":")
      text(of: row, rows, texts: texts)
      if let notes {
        let note = notes.notes[ExactString(rows.key(at: row))]
        noteField(note, locale: notes.locale, texts: texts)
      }
      literal("}")
    }
    literal("]")
  }

  mutating func key(of row: Int, _ rows: ColumnRows) {
    // Without a string, which would be allocated for more than 15 bytes.
    guard case .nodes(let siblings) = rows else { return string(rows.key(at: row)) }
    siblings.withKey(at: row) { string($0) }
  }

  mutating func text(of row: Int, _ rows: ColumnRows, texts: any RowTexts) {
    guard case .nodes(let siblings) = rows else { return string(rows.text(at: row, in: texts)) }
    siblings.withText(at: row) { string($0) }
  }

  /// `"first","last","count"`.
  mutating func monthList(_ months: MonthList) {
    literal("\"first\":\"")
    raw(months.first.iso)
    literal("\",\"last\":\"")
    raw(months.last.iso)
    literal("\",\"count\":")
    integer(months.count)
  }

  /// `"start","end","hits","by"?,"reach"?` without braces; null for start and end if there is no
  /// range.
  mutating func range(_ range: DateRange?, by: MemberID?, reach: ClosedRange<CivilDate>?) {
    if let range {
      literal("\"start\":\"")
      date(range.start)
      literal("\",\"end\":\"")
      date(range.end)
      literal("\",\"hits\":")
      integer(range.hits)
    } else {
      literal("\"start\":null,\"end\":null,\"hits\":0")
    }
    if let by {
      literal(",\"by\":")
      string(by.text)
    }
    if let reach {
      literal(",\"reach\":{\"from\":\"")
      date(reach.lowerBound)
      literal("\",\"through\":\"")
      date(reach.upperBound)
      literal("\"}")
    }
  }

  /// An array of bands.
  mutating func bands(_ bands: MonthBands) {
    literal("[")
    for (index, band) in bands.enumerated() {
      if index > 0 { literal(",") }
      literal("{\"row\":")
      integer(band.row)
      literal(",\"from\":")
      integer(band.from)
      literal(",\"to\":")
      integer(band.to)
      literal(",\"shape\":\"")
      raw(band.shape.rawValue)
      literal("\",\"head\":")
      bool(band.head)
      literal(",\"tail\":")
      bool(band.tail)
      literal("}")
    }
    literal("]")
  }

  /// An array of cells.
  ///
  /// - Parameter locale: The definition's locale, used if a note has no text in the reader's
  ///   language.
  mutating func cells(_ cells: [Cell], _ notes: Notes, locale: String, texts: any RowTexts) {
    literal("[")
    for (index, cell) in cells.enumerated() {
      if index > 0 { literal(",") }
      literal("{\"date\":\"")
      raw(cell.date.iso)
      literal("\",\"text\":")
      string(texts.cell(cell.date.day))
      if cell.isOutside { literal(",\"outside\":true") }
      if cell.isDisabled { literal(",\"disabled\":true") }
      if cell.isToday { literal(",\"today\":true") }
      if let only = cell.only {
        literal(",\"only\":\"")
        raw(only.rawValue)
        literal("\"")
      }
      if !notes.days.isEmpty { noteField(notes.days[cell.date], locale: locale, texts: texts) }
      literal("}")
    }
    literal("]")
  }
}
