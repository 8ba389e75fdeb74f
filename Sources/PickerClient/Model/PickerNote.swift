import JSONText

/// A short text that the host has attached to a day or a row, in this member's language.
public struct PickerNote: Hashable, Sendable {
  public let text: String
  /// `low`, `high`, `good`, `bad`, or a tone of a newer server; `nil` if the note has none.
  public let tone: String?
  /// The price of the day or night, or what else is added up; `nil` if the note has none.
  public let amount: PickerAmount?

  public init(text: String, tone: String? = nil, amount: PickerAmount? = nil) {
    self.text = text
    self.tone = tone
    self.amount = amount
  }

  /// Reads a note; `nil` for null and for anything that is not a note.
  init?(_ tree: JSONTree?) {
    guard let text = tree?["text"]?.string else { return nil }
    self.init(text: text, tone: tree?["tone"]?.string, amount: PickerAmount(tree?["amount"]))
  }
}

/// An amount with two decimals.
public struct PickerAmount: Hashable, Sendable {
  /// The amount in hundredths: 12050 for 120.50.
  public let hundredths: Int

  public init(hundredths: Int) { self.hundredths = hundredths }

  /// Reads a number; `nil` for anything else.
  init?(_ tree: JSONTree?) {
    switch tree {
    case .integer(let value)? where abs(value) <= Self.maximum: hundredths = value * 100
    case .number(let value)? where abs(value) <= Double(Self.maximum):
      hundredths = Int((value * 100).rounded())
    default: return nil
    }
  }

  /// More than the amounts of 4,000 days together.
  private static let maximum = 10_000_000_000_000
}

/// The sum of the amounts of all days, or nights, of a result.
public struct PickerTotal: Hashable, Sendable {
  public let amount: PickerAmount
  /// Three capital letters, such as `EUR`; `nil` if the definition has none.
  public let currency: String?

  public init(amount: PickerAmount, currency: String? = nil) {
    self.amount = amount
    self.currency = currency
  }

  /// Reads a total; `nil` for a result without one.
  init?(_ tree: JSONTree?) {
    guard let amount = PickerAmount(tree?["amount"]) else { return nil }
    self.amount = amount
    currency = tree?["currency"]?.string
  }
}

extension PickerState {
  /// Applies a change of type `notes`, to days in view or to rows.
  mutating func applyNotes(_ change: JSONTree) throws(MalformedMessage) {
    if let days = change["days"]?.members {
      var notes: [PickerDay: PickerNote?] = [:]
      for day in days { if let date = PickerDay(day.key) { notes[date] = PickerNote(day.value) } }
      for month in months.keys { months[month]?.put(notes) }
    }
    guard let rows = change["rows"]?.members else { return }
    let column = try change.number("column")
    guard columns.indices.contains(column) else { return }
    var notes: [ExactString: PickerNote?] = [:]
    for row in rows { notes[ExactString(row.key)] = PickerNote(row.value) }
    columns[column].put(notes)
  }
}

extension PickerMonthView {
  fileprivate mutating func put(_ notes: [PickerDay: PickerNote?]) {
    for index in cells.indices {
      if let note = notes[cells[index].day] { cells[index].note = note }
    }
  }
}

extension PickerColumn {
  fileprivate mutating func put(_ notes: [ExactString: PickerNote?]) {
    for (index, row) in rows {
      if let note = notes[ExactString(row.key)] { rows[index]?.note = note }
    }
  }
}
