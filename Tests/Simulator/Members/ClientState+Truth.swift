import CivilTime
import JSONText
import PickerClient
import PickerModel
import PickerSession

/// The state of the shipped client. `PickerModel` has a type of the same name.
typealias ClientState = PickerClient.PickerState

/// The texts and notes that a member may receive.
struct TextReader {
  /// Several if the member resumed after its language had changed: it retains older texts.
  let texts: [any RowTexts]
  /// The tags by which notes may be chosen.
  let tags: Set<String>
  /// The locales of all definitions so far: a note is not sent again when the locale changes.
  let fallbacks: Set<String>

  /// Whether `shown` is a text of `note`, with its tone.
  func reads(_ note: Note?, as shown: PickerNote?) -> Bool {
    guard let note, let shown else { return note == nil && shown == nil }
    guard shown.tone == note.tone?.rawValue,
      shown.amount?.hundredths == note.amount?.hundredths
    else { return false }
    return tags.contains { tag in
      fallbacks.contains { note.text(for: tag, fallback: $0) == shown.text }
    }
  }
}

/// Compares the state of the shipped client with the session's.
extension ClientState {
  /// Compares the whole state at the client's revision.
  ///
  /// - Parameters:
  ///   - audience: What the client may see of an availability; `nil` while it waits for a snapshot.
  ///   - zone: That of the client's layout of times; `nil` for the definition's.
  ///   - seesAll: Whether the definition has the bookings of others: that of `GET` of a reader who
  ///     may change the session, never that of messages.
  ///   - isThorough: Whether to compare the definition, all loaded rows and notes, too.
  func check(
    against truth: Replica.Truth, _ reader: TextReader, audience: Sight.Audience? = .everything,
    zone: ZoneRules? = nil, seesAll: Bool = false, isThorough: Bool
  ) throws(ProtocolBreach) {
    guard let audience else { return }
    guard status.rawValue == truth.status.rawValue else {
      throw ProtocolBreach("the status of revision \(revision) is \(truth.status), not \(status)")
    }
    let sight = Sight(audience, nil, zone: nil)
    // A client's value has neither units nor whether it is open: those are the inventory's.
    let expected = sight.seen(truth.result.value, status: truth.status).tree
    guard resultTree == expected else {
      throw ProtocolBreach(
        "the result of revision \(revision) is \(expected.shown), not \(resultTree.shown)")
    }
    try checkInventory(truth.inventory)
    if isThorough { try checkDefinition(truth.definition, seesAll: seesAll) }
    if truth.definition.results != nil {
      try checkAvailability(
        truth.picker, audience, zone: zone, reader, isThorough: isThorough)
    } else if isCalendar {
      try checkCalendar(truth)
      let names = reader.texts.map { truth.definition.weekdays.map($0.weekday) }
      guard let weekdays, names.contains(weekdays) else {
        throw ProtocolBreach("the weekdays are \(names), not \(weekdays ?? [])")
      }
    } else {
      try checkColumns(truth, reader, isThorough)
    }
  }

  private func checkDefinition(_ truth: Definition, seesAll: Bool) throws(ProtocolBreach) {
    // GET can return the definition with its nodes or columns.
    for isFull in [false, true] {
      let document = truth.document(full: isFull)
      let seen = (document.members ?? []).filter { seesAll || $0.key != "taken" }
      let json = JSONTree.object(seen).serialized()
      if definition?.json.utf8.elementsEqual(json) == true { return }
    }
    let bookings = seesAll ? "with" : "without"
    throw ProtocolBreach(
      "the definition is \(truth.document(full: false).shown), \(bookings) taken")
  }

  private func checkColumns(
    _ truth: Replica.Truth, _ reader: TextReader, _ isThorough: Bool
  ) throws(ProtocolBreach) {
    let truths = truth.picker.columns
    guard columns.count == truths.count else {
      throw ProtocolBreach("there are \(truths.count) columns, not \(columns.count)")
    }
    let notes = truth.notes.columns
    for (index, (column, truth)) in zip(columns, truths).enumerated() {
      guard column.generation == truth.generation, column.count == truth.rows.count,
        column.row == truth.selected
      else {
        throw ProtocolBreach(
          "column \(index) at revision \(revision) is generation \(truth.generation), "
            + "\(truth.rows.count) rows, row \(String(describing: truth.selected)), not "
            + "\(column.generation), \(column.count), \(String(describing: column.row))")
      }
      if isThorough {
        for (row, known) in column.rowsKnown {
          let isLoaded = !column.withoutNotes.contains(row)
          try check(known, row, index, truth, reader.texts, isLoaded: isLoaded)
        }
        try checkNotes(of: column, notes[index] ?? [:], reader)
      } else if let row = column.row {
        let isLoaded = !column.withoutNotes.contains(row)
        try check(column[row], row, index, truth, reader.texts, isLoaded: isLoaded)
      }
    }
  }

  private func checkNotes(
    of column: PickerColumn, _ truths: [ExactString: Note], _ reader: TextReader
  ) throws(ProtocolBreach) {
    for (row, known) in column.rowsKnown {
      let truth = truths[ExactString(known.key)]
      if known.note == nil, column.withoutNotes.contains(row) { continue }
      guard reader.reads(truth, as: known.note) else {
        throw ProtocolBreach(
          "the note on \(known.key) is \(truth as Any), not \(known.note as Any)")
      }
    }
  }

  /// Compares the notes in the cells of the months that the server sends to the client.
  func checkNotes(
    _ truth: Replica.Truth, _ reader: TextReader, in shownMonths: Set<String>
  ) throws(ProtocolBreach) {
    for (month, view) in months where shownMonths.contains(month.iso) {
      for cell in view.cells {
        let note = CivilDate(iso: cell.day.iso.utf8).flatMap { truth.notes.days[$0] }
        guard reader.reads(note, as: cell.note) else {
          throw ProtocolBreach(
            "the note on \(cell.day) is \(note as Any), not \(cell.note as Any)")
        }
      }
    }
  }

  /// - Parameter isLoaded: Whether the client has it with its note and level.
  private func check(
    _ known: PickerRow?, _ row: Int, _ column: Int, _ truth: ColumnState,
    _ texts: [any RowTexts], isLoaded: Bool
  ) throws(ProtocolBreach) {
    let key = truth.rows.key(at: row)
    let expected = texts.map {
      PickerRow(
        key: key, text: truth.rows.text(at: row, in: $0), note: known?.note,
        level: isLoaded ? PickerLevel(truth.levels[row]) : nil)
    }
    guard let known, expected.contains(known) else {
      throw ProtocolBreach(
        "row \(row) of column \(column) is \(expected), not \(String(describing: known))")
    }
  }

  private func checkCalendar(_ truth: Replica.Truth) throws(ProtocolBreach) {
    let picker = truth.picker
    let expected = picker.range.map { range in
      PickerRange(
        start: PickerDay(range.start), end: PickerDay(range.end), hits: range.hits,
        by: picker.lastTap?.member.text,
        reach: picker.reach.map { PickerDay($0.lowerBound)...PickerDay($0.upperBound) })
    }
    guard range == expected else {
      throw ProtocolBreach(
        "the range at revision \(revision) is \(String(describing: expected)), not "
          + "\(String(describing: range))")
    }
    guard let months = picker.months, monthList?.first.civil == months.first,
      monthList?.last.civil == months.last, monthList?.count == months.count
    else { throw ProtocolBreach("the months at revision \(revision) are the session's") }
  }

  /// The range that the client shows, if it differs from the confirmed one.
  var predictedRange: PickerRange? { shownRange == range ? nil : shownRange }

  /// Whether the months in view have cells in other positions than in the current definition.
  func hasMovedCells(_ truth: Picker, in shownMonths: Set<String>) -> Bool {
    months.contains { month, view in
      guard shownMonths.contains(month.iso), let cells = truth.cells(of: month.civil) else {
        return false
      }
      return !cells.lazy.map(\.date).elementsEqual(view.cells.lazy.map(\.day.civil))
    }
  }

  /// Compares the bands of the months for which the server sends bands.
  func checkBands(of truth: Picker, in shownMonths: Set<String>) throws(ProtocolBreach) {
    for (month, view) in months where shownMonths.contains(month.iso) {
      let expected = truth.bands(of: month.civil)
      guard view.bands.elementsEqual(expected, by: { $0.isSame(as: $1) }) else {
        throw ProtocolBreach("the bands of \(month) are \(expected), not \(view.bands)")
      }
      // The bands that the client computes must be the same.
      guard pendingCount > 0 || view.bands == self.bands(of: month) else {
        throw ProtocolBreach("a client computes the bands of \(month) as the server does")
      }
    }
  }

  /// Compares the months in view with the session's.
  func checkMonths(
    of truth: Picker, _ texts: any RowTexts, in view: MonthView?
  ) throws(ProtocolBreach) {
    var expected: [String] = []
    for offset in 0..<max(0, view?.count ?? 0) {
      guard let month = view?.from.adding(months: offset), let cells = truth.cells(of: month)
      else { continue }
      expected.append(month.iso)
      let described = cells.map {
        "\($0.date.iso) \(texts.cell($0.date.day)) \($0.isOutside) \($0.isDisabled) \($0.isToday) "
          + "\($0.only?.rawValue ?? "both") \(PickerLevel($0.level).map { "\($0)" } ?? "")"
      }
      let known = months[PickerMonth(month)]?.cells.map {
        "\($0.day.iso) \($0.text) \($0.isOutside) \($0.isDisabled) \($0.isToday) "
          + "\($0.only?.rawValue ?? "both") \($0.level.map { "\($0)" } ?? "")"
      }
      guard known == described else {
        throw ProtocolBreach("the cells of \(month.iso) are current")
      }
    }
    guard months.keys.map(\.iso).sorted() == expected else {
      throw ProtocolBreach(
        "the months in view are \(expected), not \(months.keys.map(\.iso).sorted())")
    }
  }

  /// The members by id, in the form of the protocol.
  func memberTrees() -> [String: JSONTree] {
    var trees: [String: JSONTree] = [:]
    for member in members { trees[member.id] = tree(of: member) }
    return trees
  }

  /// The result in the form of the protocol.
  private var resultTree: JSONTree {
    if let resultCounts, case .object(let members) = valueTree {
      let counts = [
        ("yes", resultCounts.yes), ("maybe", resultCounts.maybe), ("no", resultCounts.no),
      ]
      return .object(members + counts.map { .init($0.0, .integer($0.1)) })
    }
    guard let resultTotal, case .object(let members) = valueTree else { return valueTree }
    let hundredths = resultTotal.amount.hundredths
    let amount =
      hundredths % 100 == 0
      ? JSONTree.integer(hundredths / 100) : .number(Double(hundredths) / 100)
    let currency = resultTotal.currency.map { [JSONTree.Member("currency", .string($0))] } ?? []
    let total = JSONTree.object([.init("amount", amount)] + currency)
    return .object(members + [.init("total", total)])
  }

  private var valueTree: JSONTree {
    switch result {
    case nil: .null
    case .day(let day): .object([.init("date", .string(day.iso))])
    case .slot(let local):
      .object(
        [
          .init("local", .string(local)), .init("instant", .string(resultInstant ?? "unknown")),
        ] + (resultUntil.map { [.init("until", .string($0))] } ?? []))
    case .keys(let keys): .object([.init("keys", .array(keys.map(JSONTree.string)))])
    case .days(let start, let end):
      .object([
        .init("start", .string(start.iso)), .init("end", .string(end.iso)),
        .init("days", .integer(end.days(since: start) + 1)),
      ])
    case .nights(let start, let end):
      .object([
        .init("start", .string(start.iso)), .init("end", .string(end.iso)),
        .init("nights", .integer(end.days(since: start))),
      ])
    }
  }

  private func tree(of member: PickerMember) -> JSONTree {
    .object([
      .init("id", .string(member.id)), .init("name", .string(member.name)),
      .init("role", .string(member.role.rawValue)), .init("color", .string(member.color)),
      .init("online", .bool(member.isOnline)),
    ])
  }
}

extension PickerBand {
  fileprivate func isSame(as truth: Band) -> Bool {
    (row, from, to, isHead, isTail) == (truth.row, truth.from, truth.to, truth.head, truth.tail)
  }
}
