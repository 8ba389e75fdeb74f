import CivilTime
import JSONText

/// Writes the cells, marks and counts of an `availability`.
///
/// - Source: web/client/api/asyncapi.json.
extension JSONWriter {
  /// `"availability":{…}`, the state of a snapshot.
  mutating func availability(
    _ availability: Availability, sight: Sight, texts: any RowTexts,
    respondent: (MemberID) -> Respondent?
  ) {
    let cells = CellsChange(of: availability)
    literal("\"availability\":{\"generation\":", availability.generation)
    literal(",\"count\":", availability.cells.count)
    literal(",\"past\":", availability.past)
    literal(",\"closed\":", availability.isClosed)
    layout(cells, in: sight.zone, texts: texts)
    if sight.seesCounts { literal(",\"respondents\":", availability.respondentCount) }
    literal(",\"marks\":[")
    let respondents = availability.marks.keys.filter(sight.sees(partOf:)).map { id in
      (id: id, member: respondent(MemberID(id)))
    }.sorted { ($0.member?.number ?? 0, $0.id) < ($1.member?.number ?? 0, $1.id) }
    for (index, known) in respondents.enumerated() {
      if index > 0 { literal(",") }
      marks(
        of: known.id, name: known.member?.name ?? "", color: known.member?.color ?? "",
        availability.marks[known.id]?.runs ?? [], opening: "{")
    }
    literal("]")
    if sight.seesCounts {
      literal(",\"heat\":")
      heat(availability.heatRuns)
      literal(",\"best\":")
      best(BestChange(of: availability), in: sight.zone, texts: texts)
    }
    literal("}")
  }

  mutating func availabilityChange(
    _ change: AvailabilityChange, sight: Sight, texts: any RowTexts
  ) {
    switch change {
    case .cells(let change): cells(change, in: sight.zone, texts: texts)
    case .past(let past):
      literal("{\"change\":\"past\",\"past\":", past)
      literal("}")
    case .closed(let isClosed):
      literal("{\"change\":\"closed\",\"closed\":", isClosed)
      literal("}")
    case .marks(let change): marks(change)
    case .heat(let change): heat(change)
    case .best(let change): bestChange(change, in: sight.zone, texts: texts)
    }
  }

  private mutating func cells(_ change: CellsChange, in zone: CellZone?, texts: any RowTexts) {
    literal("{\"change\":\"cells\",\"generation\":", change.generation)
    literal(",\"count\":", change.cells.count)
    literal(",\"past\":", change.past)
    layout(change, in: zone, texts: texts)
    literal("}")
  }

  private mutating func marks(_ change: MarksChange) {
    marks(
      of: change.respondent, name: change.name, color: change.color, change.runs,
      opening: "{\"change\":\"marks\",")
  }

  private mutating func marks(
    of member: String, name: String, color: String, _ runs: [MarkRun], opening: StaticString
  ) {
    literal(opening)
    literal("\"member\":", member)
    literal(",\"name\":", name)
    literal(",\"color\":", color)
    literal(",\"runs\":[")
    for index in runs.indices {
      literal(index > 0 ? ",[" : "[")
      integer(runs[index].cells.lowerBound)
      literal(",")
      integer(runs[index].cells.upperBound)
      switch runs[index].grade {
      case .yes: literal(",\"yes\"]")
      case .maybe: literal(",\"maybe\"]")
      case .no: literal(",\"no\"]")
      case nil: literal(",null]")
      }
    }
    literal("]}")
  }

  private mutating func heat(_ change: HeatChange) {
    literal("{\"change\":\"heat\",\"respondents\":", change.respondentCount)
    literal(",\"runs\":")
    heat(change.runs)
    literal("}")
  }

  private mutating func heat(_ runs: [HeatRun]) {
    literal("[")
    for index in runs.indices {
      literal(index > 0 ? ",[" : "[")
      integer(runs[index].cells.lowerBound)
      literal(",")
      integer(runs[index].cells.upperBound)
      let counts = runs[index].counts
      literal(",")
      integer(counts.yes)
      literal(",")
      integer(counts.maybe)
      literal(",")
      integer(counts.no)
      literal("]")
    }
    literal("]")
  }

  private mutating func bestChange(_ change: BestChange, in zone: CellZone?, texts: any RowTexts) {
    literal("{\"change\":\"best\",\"windows\":")
    best(change, in: zone, texts: texts)
    literal("}")
  }

  private mutating func best(_ change: BestChange, in zone: CellZone?, texts: any RowTexts) {
    literal("[")
    for (index, window) in change.windows.enumerated() {
      literal(index > 0 ? ",{\"cell\":" : "{\"cell\":")
      integer(window.window.cell)
      literal(",\"text\":", texts.window(window.span, in: (zone ?? change.zone).rules))
      literal(",")
      counts(window.window.counts)
      literal("}")
    }
    literal("]")
  }
}

/// The layout.
extension JSONWriter {
  /// `,"timeZone","days"` and `"rows"`, or for dates `"months"` and `"weekdays"`.
  ///
  /// - Parameter zone: The reader's; `nil` for the definition's.
  private mutating func layout(_ change: CellsChange, in zone: CellZone?, texts: any RowTexts) {
    let zone = change.cells.areDates ? change.zone : zone ?? change.zone
    literal(",\"timeZone\":", zone.name)
    literal(",\"days\":[")
    switch CellLayout(change.cells, in: zone.rules, firstWeekday: change.firstWeekday) {
    case .times(let rows, let days):
      for (index, day) in days.enumerated() {
        dayStart(day.date, index, texts: texts)
        literal(",\"cells\":")
        runs(day.runs)
        literal("}")
      }
      literal("],\"rows\":[")
      for (index, row) in rows.enumerated() { self.row(row, index, texts: texts) }
      literal("]")
    case .months(let months):
      if case .dates(let dates) = change.cells.content {
        for (index, date) in dates.enumerated() {
          dayStart(date, index, texts: texts)
          literal(",\"day\":", texts.cell(date.day))
          literal("}")
        }
      }
      literal("],\"months\":[")
      for (index, month) in months.enumerated() {
        literal(index > 0 ? ",{\"month\":\"" : "{\"month\":\"")
        raw(month.month.iso)
        literal("\",\"title\":", texts.monthTitle(month.month))
        literal(",\"cells\":")
        runs(month.runs)
        literal("}")
      }
      literal("],\"weekdays\":[")
      for column in 0..<7 {
        if column > 0 { literal(",") }
        string(texts.weekday((change.firstWeekday - 1 + column) % 7 + 1))
      }
      literal("]")
    }
  }

  private mutating func dayStart(_ date: CivilDate, _ index: Int, texts: any RowTexts) {
    literal(index > 0 ? ",{\"date\":\"" : "{\"date\":\"")
    raw(date.iso)
    literal("\",\"text\":", texts.day(date))
  }

  private mutating func row(_ row: CellLayout.Row, _ index: Int, texts: any RowTexts) {
    literal(index > 0 ? ",{\"time\":\"" : "{\"time\":\"")
    raw(EnglishTexts().time(row.minute))
    literal("\",\"text\":", texts.time(row.minute))
    if row.isAgain { literal(",\"again\":true") }
    if row.isGap { literal(",\"gap\":true") }
    literal("}")
  }

  private mutating func runs(_ runs: [CellLayout.Run]) {
    literal("[")
    for (index, run) in runs.enumerated() {
      literal(index > 0 ? ",[" : "[")
      integer(run.first)
      literal(",")
      integer(run.count)
      literal(",")
      integer(run.position)
      literal("]")
    }
    literal("]")
  }
}
