import CivilTime
package import JSONText

/// Writes the months, ranges, bands and cells of a calendar, and their changes.
///
/// - Source: web/client/api/asyncapi.json.
extension JSONWriter {
  /// `"calendar":{"months","range","weekdays"}`, the state of a snapshot.
  ///
  /// - Parameter definition: The one whose weekdays are headings, which may be newer than the
  ///   picker's.
  mutating func calendar(
    _ picker: CalendarPicker, weekdaysOf definition: Definition, texts: any RowTexts
  ) {
    literal("\"calendar\":{\"months\":{")
    monthList(picker.months)
    literal("},\"range\":")
    if let range = picker.range {
      literal("{")
      self.range(range, by: picker.lastTap?.member, reach: picker.reach)
      literal("}")
    } else {
      literal("null")
    }
    literal(",\"weekdays\":")
    weekdays(of: definition, texts: texts)
    literal("}")
  }

  mutating func calendarChange(_ change: CalendarChange, by: MemberID?) {
    switch change {
    case .months(let months):
      literal("{\"change\":\"months\",")
      monthList(months)
      literal("}")
    case .range(let range): rangeChange(range, by: by)
    }
  }

  /// The range in a refusal: the current state without a cause.
  mutating func correction(rangeOf picker: CalendarPicker) {
    literal("{\"change\":\"range\",")
    range(picker.range, by: picker.lastTap?.member, reach: picker.reach)
    literal("}")
  }

  private mutating func rangeChange(_ change: RangeChange, by: MemberID?) {
    literal("{\"change\":\"range\",")
    range(change.range, by: by, reach: change.reach)
    literal(",\"cause\":\"")
    raw(change.cause.rawValue)
    literal("\"")
    clamp(change.reason, wanted: change.wanted?.iso)
    literal("}")
  }

  /// The names of a calendar's seven columns, from left to right.
  package mutating func weekdays(of definition: Definition, texts: any RowTexts) {
    literal("[")
    for (index, weekday) in definition.weekdays.enumerated() {
      if index > 0 { literal(",") }
      string(texts.weekday(weekday))
    }
    literal("]")
  }

  /// `"first","last","count"`.
  private mutating func monthList(_ months: MonthList) {
    literal("\"first\":\"")
    raw(months.first.iso)
    literal("\",\"last\":\"")
    raw(months.last.iso)
    literal("\",\"count\":", months.count)
  }

  /// `"start","end","hits","by"?,"reach"?` without braces; null for start and end if there is no
  /// range.
  private mutating func range(_ range: DateRange?, by: MemberID?, reach: ClosedRange<CivilDate>?) {
    if let range {
      literal("\"start\":\"")
      date(range.start)
      literal("\",\"end\":\"")
      date(range.end)
      literal("\",\"hits\":", range.hits)
    } else {
      literal("\"start\":null,\"end\":null,\"hits\":0")
    }
    if let by { literal(",\"by\":", by.text) }
    if let reach {
      literal(",\"reach\":{\"from\":\"")
      date(reach.lowerBound)
      literal("\",\"through\":\"")
      date(reach.upperBound)
      literal("\"}")
    }
  }

  /// An array of bands.
  package mutating func bands(_ bands: MonthBands) {
    literal("[")
    for (index, band) in bands.enumerated() {
      if index > 0 { literal(",") }
      literal("{\"row\":", band.row)
      literal(",\"from\":", band.from)
      literal(",\"to\":", band.to)
      literal(",\"shape\":\"")
      raw(band.shape.rawValue)
      literal("\",\"head\":", band.head)
      literal(",\"tail\":", band.tail)
      literal("}")
    }
    literal("]")
  }

  /// An array of cells.
  ///
  /// - Parameter locale: The definition's locale, used if a note has no text in the reader's
  ///   language.
  package mutating func cells(_ cells: [Cell], _ notes: Notes, locale: String, texts: any RowTexts)
  {
    literal("[")
    for (index, cell) in cells.enumerated() {
      if index > 0 { literal(",") }
      literal("{\"date\":\"")
      raw(cell.date.iso)
      literal("\",\"text\":", texts.cell(cell.date.day))
      if cell.isOutside { literal(",\"outside\":true") }
      if cell.isDisabled { literal(",\"disabled\":true") }
      if cell.isToday { literal(",\"today\":true") }
      level(cell.level)
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
