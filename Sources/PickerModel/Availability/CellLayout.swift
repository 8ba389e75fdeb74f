package import CivilTime

/// Where the cells of an `availability` stand: a grid of times in a time zone, or months of dates.
package enum CellLayout: Hashable, Sendable {
  case times(rows: [Row], days: [Day])
  case months([Month])

  /// A local time at which cells begin.
  package struct Row: Hashable, Sendable {
    /// Minutes after midnight.
    package let minute: Int
    /// Whether a clock change has repeated the time: a row for its second occurrence.
    package let isAgain: Bool
    /// Whether on no day a cell of it begins where a cell of the row before ends.
    package let isGap: Bool
  }

  package struct Day: Hashable, Sendable {
    package let date: CivilDate
    /// Runs of cells in consecutive rows.
    package fileprivate(set) var runs: [Run]
  }

  package struct Month: Hashable, Sendable {
    package let month: CivilMonth
    /// Runs of cells at consecutive positions in the month's grid.
    package fileprivate(set) var runs: [Run]
  }

  package struct Run: Hashable, Sendable {
    package let first: Int
    package fileprivate(set) var count: Int
    /// The row, or the position in the month's grid, of the first cell.
    package let position: Int
  }

  /// - Parameters:
  ///   - zone: The zone of the rows and days of times.
  ///   - firstWeekday: Of the grids of months, 1 = Sunday … 7 = Saturday.
  package init(_ cells: CellList, in zone: ZoneRules, firstWeekday: Int) {
    switch cells.content {
    case .dates(let dates): self = .months(CellLayout.months(dates, firstWeekday))
    case .times(let starts, stepSeconds: _):
      let placed = CellLayout.placed(starts, in: zone)
      let keys = Set(placed.map(\.row)).sorted()
      let rows = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
      self = CellLayout.grid(cells, placed.map { ($0.ordinal, rows[$0.row]!) }, keys)
    }
  }

  /// The key of a row, in the order of the rows.
  private struct RowKey: Hashable, Comparable {
    /// The row comes after all rows of times before this second of the day.
    let order: Int
    let isFirst: Bool
    let second: Int

    static func < (left: RowKey, right: RowKey) -> Bool {
      (left.order, left.isFirst ? 1 : 0, left.second)
        < (right.order, right.isFirst ? 1 : 0, right.second)
    }
  }

  /// The local date and row of each cell. Walks along the clock changes, because a search for each
  /// cell takes longer.
  private static func placed(
    _ starts: [Int64], in zone: ZoneRules
  ) -> [(ordinal: Int, row: RowKey)] {
    guard let first = starts.first else { return [] }
    var time = Instant(seconds: first - 2 * 86_400)
    var offset = Int64(zone.offsetSeconds(at: time))
    var change = zone.nextTransition(after: time)
    // Local times before this one have occurred before.
    var repeatedUntil = Int64.min
    return starts.map { start in
      while let next = change, next.at <= start {
        repeatedUntil = Int64(next.offsetSeconds) < offset ? next.at + offset : .min
        offset = Int64(next.offsetSeconds)
        time = Instant(seconds: next.at)
        change = zone.nextTransition(after: time)
      }
      let local = start + offset
      let day = Int(local.roundedDown(to: 86_400))
      let second = Int(local) - day
      let row =
        local < repeatedUntil
        ? RowKey(order: min(Int(repeatedUntil) - day, 86_400), isFirst: false, second: second)
        : RowKey(order: second, isFirst: true, second: second)
      return (day / 86_400 + CivilDate.epochOrdinal, row)
    }
  }

  private static func grid(
    _ cells: CellList, _ placed: [(ordinal: Int, row: Int)], _ keys: [RowKey]
  ) -> CellLayout {
    var follows = Array(repeating: false, count: keys.count)
    var days: [Day] = []
    for (cell, place) in placed.enumerated() {
      let date = CivilDate(checkedOrdinal: place.ordinal) ?? .last
      if cell > 0, placed[cell - 1] == (place.ordinal, place.row - 1), cells.isFollowed(cell - 1) {
        follows[place.row] = true
      }
      let known = days.lastIndex { $0.date == date }
      if let known, let last = days[known].runs.last, last.first + last.count == cell,
        last.position + last.count == place.row
      {
        days[known].runs[days[known].runs.count - 1].count += 1
        continue
      }
      let run = Run(first: cell, count: 1, position: place.row)
      if let known {
        days[known].runs.append(run)
      } else {
        days.append(Day(date: date, runs: [run]))
      }
    }
    let rows = keys.enumerated().map { row, key in
      Row(minute: key.second / 60, isAgain: !key.isFirst, isGap: row > 0 && !follows[row])
    }
    return .times(rows: rows, days: days.sorted { $0.date < $1.date })
  }

  private static func months(_ dates: [CivilDate], _ firstWeekday: Int) -> [Month] {
    var months: [Month] = []
    for (cell, date) in dates.enumerated() {
      let month = date.civilMonth
      let grid = MonthGrid(month: month, firstWeekday: firstWeekday, weeks: .fit)
      let position = date.ordinal - grid.firstOrdinal
      if months.last?.month != month { months.append(Month(month: month, runs: [])) }
      let index = months.count - 1
      if let last = months[index].runs.last, last.position + last.count == position {
        months[index].runs[months[index].runs.count - 1].count += 1
      } else {
        months[index].runs.append(Run(first: cell, count: 1, position: position))
      }
    }
    return months
  }
}
