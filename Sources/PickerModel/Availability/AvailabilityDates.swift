import CivilTime
import JSONText

/// The field `dates` of an `availability`.
struct AvailabilityDates: Sendable {
  private enum Content: Sendable {
    case range(from: DateExpression, through: DateExpression)
    /// Ascending.
    case list([CivilDate])
  }

  private let content: Content

  static let shape = FieldShape.fields(["from": .value, "through": .value])

  /// Reads the field.
  init(_ tree: JSONTree, _ reader: DefinitionReader) throws(DefinitionProblem) {
    switch tree {
    case .array(let elements): content = .list(try AvailabilityDates.list(elements, reader))
    case .object:
      content = try reader.object(tree, named: "dates") { reader in
        let from = AvailabilityDates.expression("from", &reader)
        let through = AvailabilityDates.expression("through", &reader)
        return from.flatMap { from in through.map { .range(from: from, through: $0) } }
      }
      let range = try range(today: reader.today)
      guard let range, range.upperBound.days(since: range.lowerBound) >= reader.limits.cellDatesMax
      else { return }
      throw DefinitionProblem(
        "\(range.lowerBound) to \(range.upperBound) is more than \(reader.limits.cellDatesMax) "
          + "dates")
    default:
      throw DefinitionProblem(
        "dates is \(tree.noun); it must be an object with from and through, or an array of dates")
    }
  }

  private static func list(
    _ elements: [JSONTree], _ reader: DefinitionReader
  ) throws(DefinitionProblem) -> [CivilDate] {
    guard elements.count <= reader.limits.cellDatesMax else {
      throw DefinitionProblem(
        "dates has \(elements.count) dates; \(reader.limits.cellDatesMax) are allowed")
    }
    if elements.isEmpty { throw DefinitionProblem("dates is empty; it must have a date") }
    var dates: [CivilDate] = []
    for (index, element) in elements.enumerated() {
      guard case .string(let text) = element, let date = CivilDate(iso: text.utf8) else {
        throw DefinitionProblem(
          "a date is \(element.noun); it must be a plain date: YYYY-MM-DD"
        ).under(index)
      }
      if let last = dates.last, last >= date {
        throw DefinitionProblem("\(date) is not after \(last); dates must ascend").under(index)
      }
      dates.append(date)
    }
    return dates
  }

  /// Reads `from` or `through`. Checks the date here, because the reader reports the first problem
  /// in document order.
  private static func expression(
    _ field: String, _ reader: inout DefinitionReader
  ) -> DateExpression? {
    let today = reader.today
    return reader.field(field, missing: nil) { tree throws(DefinitionProblem) in
      let expression = try DateExpression(tree, named: field)
      _ = try expression.date(today: today)
      return expression
    }
  }

  var document: JSONTree {
    switch content {
    case .range(let from, let through):
      .object([.init("from", .string(from.text)), .init("through", .string(through.text))])
    case .list(let dates): .array(dates.map { .string($0.iso) })
    }
  }

  /// Whether the dates are relative to today.
  var dependOnToday: Bool {
    switch content {
    case .range(let from, let through): from.dependsOnToday || through.dependsOnToday
    case .list: false
    }
  }

  /// The first and the last date on the day `today`; `nil` for a list of dates, and for relative
  /// dates if `today` is `nil`.
  ///
  /// - Throws: A problem with a pointer from the field if `from` is after `through`, or a date is
  ///   outside the years 0001…9999.
  func range(today: CivilDate?) throws(DefinitionProblem) -> ClosedRange<CivilDate>? {
    guard case .range(let first, let last) = content else { return nil }
    func date(
      _ expression: DateExpression, _ field: String
    ) throws(DefinitionProblem) -> CivilDate? {
      try under(field) { () throws(DefinitionProblem) in try expression.date(today: today) }
    }
    guard let from = try date(first, "from"), let through = try date(last, "through") else {
      return nil
    }
    guard from <= through else {
      throw DefinitionProblem(
        "from is \(from), after through, which is \(through); it must not be after through"
      ).under("from")
    }
    return from...through
  }

  /// The dates within `bounds`.
  ///
  /// - Precondition: `bounds` are of these dates.
  func dates(within bounds: PickerBounds) -> [CivilDate] {
    switch (content, bounds) {
    case (.list(let dates), _): return dates
    case (.range, .dates(let range)):
      return (range.lowerBound.ordinal...range.upperBound.ordinal).map(CivilDate.init(ordinal:))
    case (.range, _): preconditionFailure("bounds of another kind")
    }
  }

  /// Whether `bounds` are of these dates.
  func fit(_ bounds: PickerBounds) -> Bool {
    switch (content, bounds) {
    case (.list, .fixed), (.range, .dates): true
    case (.list, _), (.range, _): false
    }
  }
}
