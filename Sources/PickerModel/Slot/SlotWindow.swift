import CivilTime
import JSONText

/// An opening time of a date, in minutes since midnight as clocks show them.
struct SlotWindow: Hashable, Sendable {
  /// 0 … 1,439.
  let from: Int
  /// After `from`, at most 1,440.
  let until: Int

  static let wholeDay = SlotWindow(from: 0, until: 1_440)
  static let office = SlotWindow(from: 540, until: 1_020)

  static let shape = FieldShape.fields(["from": .value, "until": .value])

  /// Reads the fields `from` and `until`, and reports their problems to the reader.
  init?(_ reader: inout DefinitionReader) {
    let from = SlotWindow.time("from", upTo: 1_439, &reader)
    let until = SlotWindow.time("until", upTo: 1_440, &reader)
    if let from, let until, until <= from {
      reader.report("until", "until must be later than from")
    }
    guard let from, let until else { return nil }
    self.init(from: from, until: until)
  }

  private init(from: Int, until: Int) {
    self.from = from
    self.until = until
  }

  private static func time(
    _ field: String, upTo maximum: Int, _ reader: inout DefinitionReader
  ) -> Int? {
    reader.field(field, missing: nil) { tree throws(DefinitionProblem) in
      if case .string(let text) = tree, let minute = minuteOfDay(text), minute <= maximum {
        return minute
      }
      let last = maximum == 1_440 ? "24:00" : "23:59"
      throw DefinitionProblem("\(field) is \(tree.noun); it must be a time, 00:00 to \(last)")
    }
  }

  /// Reads an entry of `dates`.
  static func windows(
    _ tree: JSONTree, _ reader: DefinitionReader
  ) throws(DefinitionProblem) -> [SlotWindow] {
    try tree.elements(named: "the windows of a date", reader.limits.windowsMax).read {
      element throws(DefinitionProblem) in
      try reader.object(element, named: "a window") { SlotWindow(&$0) }
    }
  }

  var members: [JSONTree.Member] {
    [.init("from", .string(clockText(from))), .init("until", .string(clockText(until)))]
  }
}

/// An entry of `hours`.
struct SlotHours: Sendable {
  /// 1 = Sunday … 7 = Saturday; `nil` for every day.
  let weekdays: [Int]?
  let window: SlotWindow

  /// The default of an `availability`.
  static let office = SlotHours(weekdays: nil, window: .office)

  static let shape = FieldShape.each(
    .fields(["weekdays": .value, "from": .value, "until": .value]))

  /// Reads the field `hours`.
  static func entries(
    _ tree: JSONTree, _ reader: DefinitionReader
  ) throws(DefinitionProblem) -> [SlotHours] {
    try tree.elements(named: "hours", reader.limits.windowsMax).read {
      element throws(DefinitionProblem) in
      try reader.object(element, named: "an entry of hours") { reader in
        var weekdays: [Int]?
        if reader.has("weekdays") {
          weekdays = reader.field("weekdays", missing: nil) { tree throws(DefinitionProblem) in
            try tree.weekdays()
          }
        }
        return SlotWindow(&reader).map { SlotHours(weekdays: weekdays, window: $0) }
      }
    }
  }

  var document: JSONTree {
    let days = weekdays.map { JSONTree.Member("weekdays", .array($0.map(JSONTree.integer))) }
    return .object((days.map { [$0] } ?? []) + window.members)
  }
}

extension JSONTree {
  /// Reads an array of one weekday or more; duplicates are dropped.
  func weekdays() throws(DefinitionProblem) -> [Int] {
    let elements = try elements(named: "weekdays")
    guard !elements.isEmpty else { throw DefinitionProblem("weekdays must have one day or more") }
    var weekdays: [Int] = []
    _ = try elements.read { element throws(DefinitionProblem) in
      let weekday = try element.integer(in: 1...7, named: "a weekday (1 = Sunday)")
      if !weekdays.contains(weekday) { weekdays.append(weekday) }
    }
    return weekdays
  }

  /// The elements of an array, if there are at most `maximum`.
  func elements(named name: String, _ maximum: Int) throws(DefinitionProblem) -> [JSONTree] {
    let elements = try elements(named: name)
    if elements.count <= maximum { return elements }
    throw DefinitionProblem("\(name) has \(elements.count) entries; \(maximum) are allowed")
  }

  /// The members of an object, if there are at most `maximum`.
  func fields(
    named name: String, _ maximum: Int
  ) throws(DefinitionProblem) -> [JSONTree.Member] {
    let members = try fields(named: name)
    if members.count <= maximum { return members }
    throw DefinitionProblem("\(name) has \(members.count) entries; \(maximum) are allowed")
  }
}

/// Reads `HH:MM`, 00:00 … 24:00; `nil` for anything else.
func minuteOfDay(_ text: String) -> Int? {
  let parts = Array(text.utf8)
  guard parts.count == 5, parts[2] == UInt8(ascii: ":"),
    let hour = number(String(text.prefix(2)), digitCount: 2),
    let minute = number(String(text.suffix(2)), digitCount: 2), minute < 60,
    hour < 24 || hour == 24 && minute == 0
  else { return nil }
  return hour * 60 + minute
}

/// `HH:MM`.
func clockText(_ minuteOfDay: Int) -> String {
  "\(twoDigits(minuteOfDay / 60)):\(twoDigits(minuteOfDay % 60))"
}
