package import CivilTime
package import JSONText

/// The picked value: the field `result` on the wire.
///
/// Not a JSON tree, because each delta compares two results: for columns it shares the keys of the
/// ``PickerSelection``.
package enum PickerResult: Sendable {
  /// Nothing is selected, or a range is open.
  case null
  /// `date`: the keys of year, month and day.
  case date([String])
  /// `slot`: the keys of day, hour and minute, the start of the booking, and its end if the
  /// definition has `minutes`.
  case slot([String], Instant, until: Instant?)
  /// `cascade` and `columns`: the selected keys.
  case keys([String])
  /// `calendar` with `selection: "single"`.
  case day(CivilDate, total: PriceTotal? = nil)
  /// `calendar` with `selection: "range"`; both days are included.
  case range(start: CivilDate, end: CivilDate, total: PriceTotal? = nil)
  /// `calendar` with `unit: "nights"`; `end` is the day of departure.
  case stay(start: CivilDate, end: CivilDate, total: PriceTotal? = nil)
  /// `availability`.
  indirect case window(WindowResult)
  /// A value that is taken from an inventory: how many units, if there may be more than one, and
  /// whether it can be had. The value itself is none of this case.
  indirect case counted(PickerResult, units: Int?, isOpen: Bool)

  /// Writes the result as JSON, `null` included.
  package func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.literal("null")
    case .date(let keys):
      writer.literal("{\"date\":\"")
      for (index, key) in keys.enumerated() {
        if index > 0 { writer.literal("-") }
        writer.raw(key)
      }
      writer.literal("\"}")
    case .slot(let keys, let instant, let until):
      writer.literal("{\"local\":\"")
      writer.raw(keys[0])
      writer.literal("T")
      writer.raw(keys[1])
      writer.literal(":")
      writer.raw(keys[2])
      writer.literal("\",\"instant\":\"")
      writer.raw(instant.rfc3339Seconds)
      if let until {
        writer.literal("\",\"until\":\"")
        writer.raw(until.rfc3339Seconds)
      }
      writer.literal("\"}")
    case .keys(let keys):
      writer.literal("{\"keys\":[")
      for (index, key) in keys.enumerated() {
        if index > 0 { writer.literal(",") }
        writer.string(key)
      }
      writer.literal("]}")
    case .day(let date, let total):
      writer.literal("{\"date\":\"")
      writer.date(date)
      writer.literal("\"")
      finish(total, &writer)
    case .range(let start, let end, let total):
      span(start, end, "\",\"days\":", end.days(since: start) + 1, &writer)
      finish(total, &writer)
    case .stay(let start, let end, let total):
      span(start, end, "\",\"nights\":", end.days(since: start), &writer)
      finish(total, &writer)
    case .window(let window): writer.window(window)
    case .counted(let value, let units, let isOpen):
      value.write(to: &writer)
      writer.removeLast(1)
      if let units { writer.literal(",\"units\":", units) }
      if !isOpen { writer.literal(",\"open\":false") }
      writer.literal("}")
    }
  }

  /// The value without what an inventory adds.
  package var value: PickerResult {
    if case .counted(let value, _, _) = self { value } else { self }
  }

  /// The value as an inventory has it; of no value it is the same.
  package func counted(units: Int?, isOpen: Bool) -> PickerResult {
    self == .null || units == nil && isOpen ? self : .counted(self, units: units, isOpen: isOpen)
  }

  private func finish(_ total: PriceTotal?, _ writer: inout JSONWriter) {
    if let total {
      writer.literal(",\"total\":")
      total.write(to: &writer)
    }
    writer.literal("}")
  }

  private func span(
    _ start: CivilDate, _ end: CivilDate, _ name: StaticString, _ count: Int,
    _ writer: inout JSONWriter
  ) {
    writer.literal("{\"start\":\"")
    writer.date(start)
    writer.literal("\",\"end\":\"")
    writer.date(end)
    writer.literal(name)
    writer.integer(count)
  }

  /// Writes the result as JSON, with the data of the host that confirmed it, if any.
  package func write(to writer: inout JSONWriter, data: VerbatimJSON?) {
    write(to: &writer)
    guard let data, self != .null else { return }
    writer.removeLast(1)
    writer.literal(",\"data\":")
    writer.verbatim(data)
    writer.literal("}")
  }

  /// The result as a JSON tree, for callers that are not performance-critical.
  package var tree: JSONTree {
    var writer = JSONWriter()
    write(to: &writer)
    // The bytes come from `write(to:)`, so they are valid JSON.
    return try! JSONTree.parse(writer.bytes)
  }

  /// The result as readers get it who may not see counts.
  package var withoutCounts: PickerResult {
    if case .window(let window) = self { .window(window.withoutCounts) } else { self }
  }

  /// One field of the result; `nil` if it has no such field.
  package subscript(_ field: String) -> JSONTree? { tree[field] }
}

extension JSONWriter {
  /// Writes a date without quotes.
  package mutating func date(_ date: CivilDate) { raw(count: 10) { date.writeISO(to: $0) } }
}

/// Keys are compared by their UTF-8 bytes.
extension PickerResult: Hashable {
  package static func == (left: PickerResult, right: PickerResult) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.date(let left), .date(let right)): left.isExactly(right)
    case (.slot(let left, let instant, let until), .slot(let right, let other, let otherUntil)):
      instant == other && until == otherUntil && left.isExactly(right)
    case (.keys(let left), .keys(let right)): left.isExactly(right)
    case (.day(let left, let total), .day(let right, let otherTotal)):
      left == right && total == otherTotal
    case (.range(let start, let end, let total), .range(let otherStart, let otherEnd, let other)),
      (.stay(let start, let end, let total), .stay(let otherStart, let otherEnd, let other)):
      start == otherStart && end == otherEnd && total == other
    case (.window(let left), .window(let right)): left == right
    case (.counted(let left, let units, let isOpen), .counted(let right, let other, let isOther)):
      units == other && isOpen == isOther && left == right
    case (.null, _), (.date, _), (.slot, _), (.keys, _), (.day, _), (.range, _), (.stay, _),
      (.window, _), (.counted, _):
      false
    }
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(tree) }
}
