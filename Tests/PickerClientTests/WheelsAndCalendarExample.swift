// The example of PickerClient's documentation. Where there is SwiftUI, all of it is compiled.
import PickerClient

#if canImport(SwiftUI)
  import SwiftUI
#endif

/// A row of a wheel, identifiable for a list.
struct WheelRow: Identifiable, Hashable {
  let id: Int
  let text: String
}

extension PickerColumn {
  /// The rows around the selected one; a row that is not loaded yet is an ellipsis.
  func wheelRows(reach: Int = 50) -> [WheelRow] {
    guard let shownRow, count > 0 else { return [] }
    let rows = max(0, shownRow - reach)...min(count - 1, shownRow + reach)
    return rows.map { WheelRow(id: $0, text: self[$0]?.text ?? "…") }
  }
}

/// A cell of a calendar with everything to draw in it.
struct CalendarDay: Identifiable, Hashable {
  let cell: PickerCell
  /// `nil` if the day is not selected.
  let band: PickerBand?
  /// The names of the members with a finger on this day.
  let fingers: [String]

  var id: PickerDay { cell.day }
}

extension PickerState {
  /// A month as weeks of seven days; empty until the month is in view.
  func weeks(of month: PickerMonth) -> [[CalendarDay]] {
    guard let cells = months[month]?.cells else { return [] }
    let bands = bands(of: month)
    return stride(from: 0, to: cells.count, by: 7).map { start in
      (start..<start + 7).map { index in
        let here = bands.first { $0.row == start / 7 && ($0.from...$0.to).contains(index - start) }
        let fingers = members.filter { touching[$0.id] == .day(cells[index].day) }
        return CalendarDay(
          cell: cells[index], band: cells[index].isOutside ? nil : here,
          fingers: fingers.map(\.name))
      }
    }
  }
}

/// A cell of an availability with everything to draw in it.
struct TimeCell: Identifiable, Hashable {
  let id: Int
  /// This member's mark; `nil` if there is none.
  let own: PickerGrade?
  /// The number of members who can; 0 if this member may not know.
  let canCount: Int
  /// Whether it is past, so that it cannot be marked.
  let isPast: Bool
}

extension PickerState {
  /// The lines of an availability of times: for each day a cell, or `nil` where there is none.
  func timeLines() -> [[TimeCell?]] {
    guard let cells = availability else { return [] }
    return cells.rows.indices.map { row in
      cells.days.indices.map { day in
        cells.cell(day: day, row: row).map { cell in
          let counts = cells.heat?[cell] ?? PickerGradeCounts()
          return TimeCell(
            id: cell, own: cells.shownGrades[cell], canCount: counts.yes + counts.maybe,
            isPast: cell < cells.past)
        }
      }
    }
  }
}

#if canImport(SwiftUI)
  /// The session's picker, of any kind.
  struct SharedPickerView: View {
    @State private var picker: LivePicker

    init(_ address: SessionAddress, name: String) {
      _picker = State(initialValue: LivePicker(to: address, as: ClientProfile(name: name)))
    }

    var body: some View {
      VStack {
        if picker.state.availability != nil {
          AvailabilityView(picker: picker)
        } else if picker.state.isCalendar {
          CalendarView(picker: picker)
        } else {
          WheelsView(picker: picker)
        }
        if case .refused(_, let detail, _, _) = picker.notice { Text(detail) }
        if picker.state.connection != .live { ProgressView() }
      }
      .disabled(!picker.state.canEdit)
      .task { await picker.run() }
    }
  }

  struct AvailabilityView: View {
    let picker: LivePicker
    @State private var grade = PickerGrade.yes

    var body: some View {
      VStack {
        Picker("", selection: $grade) {
          ForEach(PickerGrade.allCases, id: \.self) { Text($0.rawValue) }
        }
        .pickerStyle(.segmented)
        ScrollView([.horizontal, .vertical]) {
          Grid {
            ForEach(Array(picker.state.timeLines().enumerated()), id: \.offset) { row, line in
              GridRow {
                Text(picker.state.availability?.rows[row].text ?? "")
                ForEach(Array(line.enumerated()), id: \.offset) { _, cell in
                  if let cell { button(cell) } else { Color.clear }
                }
              }
            }
          }
        }
        ForEach(picker.state.availability?.best ?? [], id: \.cell) { window in
          Text("\(window.text): \(window.counts.yes)")
        }
      }
    }

    /// Marks the cell with the grade, or removes the mark that it has.
    private func button(_ cell: TimeCell) -> some View {
      Button("\(cell.canCount)") {
        let commands = picker.state.marking([cell.id], as: cell.own == grade ? nil : grade)
        for command in commands { picker.send(command) }
      }
      .disabled(cell.isPast || picker.state.availability?.isClosed == true)
      .frame(minWidth: 44, minHeight: 44)
      .background(cell.own == nil ? Color.clear : Color.accentColor)
    }
  }

  struct WheelsView: View {
    let picker: LivePicker

    var body: some View {
      HStack {
        ForEach(picker.state.columns.indices, id: \.self) { column in
          Picker("", selection: selection(of: column)) {
            ForEach(picker.state.columns[column].wheelRows()) { row in
              Text(row.text).tag(Optional(row.id))
            }
          }
          #if os(iOS) || os(visionOS)
            .pickerStyle(.wheel)
          #endif
        }
      }
    }

    /// Displays this member's selects immediately; the server's answer corrects them.
    private func selection(of column: Int) -> Binding<Int?> {
      Binding {
        picker.state.columns[column].shownRow
      } set: { row in
        guard let row, let command = picker.state.selecting(row: row, column: column) else {
          return
        }
        picker.connection.rows(max(0, row - 50)...row + 50, of: column)
        picker.send(command)
      }
    }
  }

  struct CalendarView: View {
    let picker: LivePicker
    @State private var month: PickerMonth?

    var body: some View {
      Grid(horizontalSpacing: 0) {
        ForEach(picker.state.weeks(of: shown), id: \.first?.id) { week in
          GridRow {
            ForEach(week) { day in
              Button(day.cell.text) { picker.send(.tap(day.id)) }
                .disabled(day.cell.isDisabled || day.cell.isOutside)
                .frame(maxWidth: .infinity, minHeight: 44)
                .background(day.band == nil ? Color.clear : Color.accentColor)
                .overlay(alignment: .topTrailing) { Text(day.fingers.joined(separator: " ")) }
            }
          }
        }
      }
      .onAppear { look(at: picker.state.range?.start.month ?? shown) }
      .onChange(of: picker.state.monthList?.first) { look(at: shown) }
    }

    private var shown: PickerMonth {
      month ?? picker.state.monthList?.last ?? PickerMonth("2026-01")!
    }

    private func look(at month: PickerMonth) {
      self.month = month
      picker.connection.months(from: month, count: 1)
    }
  }
#endif
