import CivilTime
package import JSONText

/// An amount of money, or of anything else that is added up, with two decimals.
package struct Amount: Hashable, Sendable {
  /// The amount in hundredths, at least 0.
  package let hundredths: Int

  /// The maximum amount of a note.
  package static let maximum = 1_000_000_000

  package init(hundredths: Int) { self.hundredths = hundredths }

  /// Reads the amount of a note; `nil` if it is not a number from 0 to ``maximum`` with at most two
  /// decimals.
  init?(_ tree: JSONTree) {
    switch tree {
    case .integer(let value):
      guard (0...Amount.maximum).contains(value) else { return nil }
      hundredths = value * 100
    case .number(let value):
      guard (0...Double(Amount.maximum)).contains(value) else { return nil }
      hundredths = Int((value * 100).rounded())
      // A number with two decimals is the double that is nearest to them.
      guard Double(hundredths) / 100 == value else { return nil }
    case .null, .bool, .string, .array, .object: return nil
    }
  }

  package var tree: JSONTree {
    hundredths % 100 == 0 ? .integer(hundredths / 100) : .number(Double(hundredths) / 100)
  }

  package func write(to writer: inout JSONWriter) {
    writer.integer(hundredths / 100)
    let rest = hundredths % 100
    if rest == 0 { return }
    writer.literal(".")
    writer.integer(rest / 10)
    if rest % 10 > 0 { writer.integer(rest % 10) }
  }
}

/// The sum of the amounts of all days, or nights, of a result.
package struct PriceTotal: Hashable, Sendable {
  package let amount: Amount
  /// Three capital letters, as the definition has them; `nil` if it has none.
  package let currency: String?

  package init(amount: Amount, currency: String?) {
    self.amount = amount
    self.currency = currency
  }

  /// `{"amount","currency"?}`.
  package func write(to writer: inout JSONWriter) {
    writer.literal("{\"amount\":")
    amount.write(to: &writer)
    if let currency {
      writer.literal(",\"currency\":\"")
      writer.raw(currency)
      writer.literal("\"")
    }
    writer.literal("}")
  }
}

extension Notes {
  /// The sum of the amounts of `count` days from `first`; `nil` if one of them has none.
  func total(from first: CivilDate, count: Int) -> Amount? {
    guard count <= amountCount else { return nil }
    var hundredths = 0
    for offset in 0..<count {
      guard let date = first.adding(days: offset), let amount = days[date]?.amount else {
        return nil
      }
      hundredths += amount.hundredths
    }
    return Amount(hundredths: hundredths)
  }
}

extension PickerResult {
  /// `nil` for results without total.
  package var total: PriceTotal? {
    switch self {
    case .null, .date, .slot, .keys, .window: nil
    case .day(_, let total), .range(_, _, let total), .stay(_, _, let total): total
    case .counted(let value, units: _, isOpen: _): value.total
    }
  }

  /// The result with another total, if its kind can have one.
  package func with(total: PriceTotal?) -> PickerResult {
    switch self {
    case .null, .date, .slot, .keys, .window: self
    case .day(let date, total: _): .day(date, total: total)
    case .range(let start, let end, total: _): .range(start: start, end: end, total: total)
    case .stay(let start, let end, total: _): .stay(start: start, end: end, total: total)
    case .counted(let value, let units, let isOpen):
      .counted(value.with(total: total), units: units, isOpen: isOpen)
    }
  }
}
