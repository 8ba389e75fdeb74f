import JSONText
import PickerModel
import PickerSession

extension ClientFold {
  /// Compares what the client sees with what stood at its revision.
  ///
  /// - Parameter isThorough: Whether every row that the client knows is compared.
  /// - Throws: What differs.
  func check(
    against truth: Replica.Truth, _ texts: any RowTexts, isThorough: Bool
  ) throws(ProtocolBreach) {
    guard status == truth.status.rawValue else {
      throw ProtocolBreach("the status of revision \(revision) is \(truth.status), not \(status)")
    }
    if result != truth.picker.result.tree {
      throw ProtocolBreach("the result of revision \(revision) is \(truth.picker.result)")
    }
    if isThorough, definition != truth.picker.definition.document(full: false) {
      throw ProtocolBreach(
        "the definition is \(truth.picker.definition.document(full: false).shown)")
    }
    if isCalendar {
      try checkCalendar(truth)
    } else {
      try checkColumns(truth.picker.columns, texts, isThorough)
    }
  }

  private func checkColumns(
    _ truths: [ColumnState], _ texts: any RowTexts, _ isThorough: Bool
  ) throws(ProtocolBreach) {
    guard columns.count == truths.count else { throw ProtocolBreach("columns do not come and go") }
    for (index, (column, truth)) in zip(columns, truths).enumerated() {
      guard column.generation == truth.generation, column.count == truth.rows.count,
        column.row == truth.selected
      else {
        throw ProtocolBreach(
          "column \(index) at revision \(revision) is generation \(truth.generation), "
            + "\(truth.rows.count) rows, row \(String(describing: truth.selected)), not "
            + "\(column.generation), \(column.count), \(String(describing: column.row))")
      }
      let known = column.rows.keys.sorted()
      for row in isThorough ? known : column.row.map({ [$0] }) ?? [] {
        let told = Row(key: truth.rows.key(at: row), text: truth.rows.text(at: row, in: texts))
        guard column.rows[row] == told else {
          throw ProtocolBreach(
            "row \(row) of column \(index) is \(told), not \(String(describing: column.rows[row]))")
        }
      }
    }
  }

  private func checkCalendar(_ truth: Replica.Truth) throws(ProtocolBreach) {
    let picker = truth.picker
    var expected = Range()
    if let range = picker.range {
      expected.start = range.start.iso
      expected.end = range.end.iso
      expected.hits = range.hits
    }
    expected.by = picker.range == nil ? nil : truth.tappedBy?.text
    expected.reach = picker.reach.map { [$0.lowerBound.iso, $0.upperBound.iso] }
    guard range == expected else {
      throw ProtocolBreach("the range at revision \(revision) is \(expected), not \(range)")
    }
    let months = picker.months.map { [$0.first.iso, $0.last.iso] }
    guard monthList == months, monthCount == picker.months?.count else {
      throw ProtocolBreach("the list at revision \(revision) is \(months ?? [])")
    }
  }

  /// Compares the months that the client looks at with the session's.
  func check(shown truth: Picker, _ texts: any RowTexts, view: MonthView?) throws(ProtocolBreach) {
    var expected: [String] = []
    if let view {
      for offset in 0..<max(0, view.count) {
        guard let month = view.from.adding(months: offset), let cells = truth.cells(of: month)
        else {
          continue
        }
        expected.append(month.iso)
        let trees = cells.map { cell in
          var members: [JSONTree.Member] = [
            .init("date", .string(cell.date.iso)),
            .init("text", .string(texts.cell(cell.date.day))),
          ]
          if cell.isOutside { members.append(.init("outside", .bool(true))) }
          if cell.isDisabled { members.append(.init("disabled", .bool(true))) }
          if cell.isToday { members.append(.init("today", .bool(true))) }
          return JSONTree.object(members)
        }
        guard shown[month.iso]?.cells == trees else {
          throw ProtocolBreach("the cells of \(month.iso) are those of now")
        }
      }
    }
    guard shown.keys.sorted() == expected else {
      throw ProtocolBreach("the months looked at are \(expected), not \(shown.keys.sorted())")
    }
  }
}
