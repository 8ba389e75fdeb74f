package import CivilTime

/// A column's rows in compact form: keys and texts are computed on demand.
///
/// Only the dates of a slot are stored one by one; a column of 10,000 years takes as much memory as
/// one of two. Two values are equal if all their rows have the same keys and texts in every
/// language.
package enum ColumnRows: Hashable, Sendable {
  case empty
  case years(ClosedRange<Int>)
  case months(ClosedRange<Int>)
  case days(ClosedRange<Int>)
  case slotDays(SlotDays)
  case hours(NumberSet)
  case minutes(NumberSet)
  case nodes(SiblingRows)

  package var count: Int {
    switch self {
    case .empty: 0
    case .years(let run), .months(let run), .days(let run): run.count
    case .slotDays(let days): days.count
    case .hours(let numbers), .minutes(let numbers): numbers.count
    case .nodes(let siblings): siblings.count
    }
  }

  /// - Precondition: 0 ≤ `row` < ``count``.
  package func key(at row: Int) -> String {
    switch self {
    case .empty: preconditionFailure("an empty column has no row")
    case .years(let run): fourDigits(run.lowerBound + row)
    case .months(let run), .days(let run): twoDigits(run.lowerBound + row)
    case .slotDays(let days): days.date(at: row).iso
    case .hours(let numbers), .minutes(let numbers): twoDigits(numbers.number(at: row))
    case .nodes(let siblings): siblings.key(at: row)
    }
  }

  /// - Precondition: 0 ≤ `row` < ``count``.
  package func text(at row: Int, in texts: any RowTexts) -> String {
    switch self {
    case .empty: preconditionFailure("an empty column has no row")
    case .years(let run): return texts.year(run.lowerBound + row)
    case .months(let run): return texts.month(run.lowerBound + row)
    case .days(let run): return texts.day(run.lowerBound + row)
    case .slotDays(let days):
      let date = days.date(at: row)
      return texts.slotDay(date, isToday: date == days.today)
    case .hours(let numbers): return texts.hour(numbers.number(at: row))
    case .minutes(let numbers): return texts.minute(numbers.number(at: row))
    case .nodes(let siblings): return siblings.text(at: row)
    }
  }

  /// - Returns: `nil` if no row has this key.
  package func row(ofKey key: String) -> Int? {
    switch self {
    case .empty: nil
    case .years(let run): ColumnRows.row(of: number(key, digitCount: 4), in: run)
    case .months(let run), .days(let run):
      ColumnRows.row(of: number(key, digitCount: 2), in: run)
    case .slotDays(let days): CivilDate(iso: key.utf8).flatMap(days.row(of:))
    case .hours(let numbers), .minutes(let numbers):
      number(key, digitCount: 2).flatMap(numbers.row(of:))
    case .nodes(let siblings): siblings.row(ofKey: key)
    }
  }

  private static func row(of number: Int?, in run: ClosedRange<Int>) -> Int? {
    guard let number, run.contains(number) else { return nil }
    return number - run.lowerBound
  }
}

/// A set of numbers 0 … 63 in ascending order: hours or minutes.
package struct NumberSet: Hashable, Sendable {
  private var bits: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { bits == 0 }
  package var count: Int { bits.nonzeroBitCount }
  package var first: Int? { isEmpty ? nil : bits.trailingZeroBitCount }
  package var last: Int? { isEmpty ? nil : 63 - bits.leadingZeroBitCount }

  /// - Precondition: 0 ≤ `number`.
  package func contains(_ number: Int) -> Bool { bits >> UInt64(number) & 1 == 1 }

  /// The smallest number in the set that is not less than `number`.
  package func first(from number: Int) -> Int? {
    let rest = bits >> UInt64(number)
    return number > 63 || rest == 0 ? nil : number + rest.trailingZeroBitCount
  }

  /// - Precondition: 0 ≤ `number` ≤ 63.
  package mutating func insert(_ number: Int) { bits |= 1 << UInt64(number) }

  /// - Precondition: 0 ≤ `row` < ``count``.
  package func number(at row: Int) -> Int {
    var rest = bits
    for _ in 0..<row { rest &= rest - 1 }
    precondition(rest != 0, "no such row")
    return rest.trailingZeroBitCount
  }

  /// The index of a number among the numbers of the set; `nil` if it is not in the set.
  package func row(of number: Int) -> Int? {
    guard number >= 0, number <= 63, contains(number) else { return nil }
    return (bits & (1 << UInt64(number) - 1)).nonzeroBitCount
  }
}

/// The dates of a slot picker.
package struct SlotDays: Hashable, Sendable {
  /// In ascending order, at most 366.
  package let dates: [CivilDate]
  /// Today, if it is among the dates. Then its row reads "Today".
  package let today: CivilDate?

  /// - Parameter today: Stored only if it is among `dates`.
  package init(_ dates: [CivilDate], today: CivilDate) {
    self.dates = dates
    self.today = SlotDays.row(of: today, in: dates) == nil ? nil : today
  }

  package var count: Int { dates.count }

  /// - Precondition: 0 ≤ `row` < ``count``.
  package func date(at row: Int) -> CivilDate { dates[row] }

  package func row(of date: CivilDate) -> Int? { SlotDays.row(of: date, in: dates) }

  private static func row(of date: CivilDate, in dates: [CivilDate]) -> Int? {
    let row = dates.partitionPoint { $0 >= date }
    return row < dates.count && dates[row] == date ? row : nil
  }

  /// The first row whose date is `date` or later; `nil` if all are earlier.
  package func firstRow(from date: CivilDate) -> Int? {
    let row = dates.partitionPoint { $0 >= date }
    return row < dates.count ? row : nil
  }
}
