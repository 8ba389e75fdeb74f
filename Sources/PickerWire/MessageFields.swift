import CivilTime
import JSONText
import PickerSession

/// The fields that any message of ours may have, as they were written; other fields are checked to
/// be JSON and forgotten.
///
/// A string is only known by its place until somebody asks for it, so that the fields are numbers
/// that nobody has to retain. The text is an argument of every call, as with ``JSONCursor``.
struct MessageFields {
  /// A value as it stands in the message. What is no scalar is only known to be there.
  enum Value: Hashable {
    /// One that has been read, from its quote on.
    case string(at: Int)
    case integer(Int)
    case fraction(Double)
    case other
  }

  /// The names, each with its place in ``values``.
  enum Name: Int, CaseIterable {
    case type, ref, column, row, generation, key, date, month, cell, x, y
    case name, locale, token, from, count
    case member, secret, epoch, revision
    case months, resume
  }

  /// The types of messages, as they are written.
  enum Kind: String, CaseIterable {
    case select, tap, join, touch, months, rows
    case clear, undo, redo, confirm, cancel, reopen, leave
  }

  private var values = InlineArray<22, Value?>(repeating: nil)
  /// A bit for each name that has occurred, also with null.
  private var seen: UInt32 = 0
  /// The fields of the object `months` or `resume`, if the message has it.
  private(set) var months: Box?
  private(set) var resume: Box?

  /// Keeps the inner fields out of line: most messages have none.
  final class Box {
    fileprivate(set) var fields = MessageFields()
  }

  subscript(name: Name) -> Value? { values[name.rawValue] }

  /// Reads an object.
  ///
  /// - Throws: ``JSONError`` for what is no JSON object, or has one of our fields twice.
  mutating func read(
    _ cursor: inout JSONCursor, _ text: Span<UInt8>, isNested: Bool = false
  ) throws(JSONError) {
    guard try cursor.nextKind(text) == .object else { throw cursor.failure("no JSON object") }
    guard try cursor.open(UInt8(ascii: "{"), text) else { return }
    repeat {
      guard let written = try cursor.readShortName(text), let name = Name(written) else {
        try cursor.skipValue(text)
        continue
      }
      let bit = UInt32(1) << UInt32(name.rawValue)
      guard seen & bit == 0 else { throw cursor.failure("a field stands twice") }
      seen |= bit
      values[name.rawValue] = try readValue(of: name, &cursor, text, isNested)
    } while try cursor.another(UInt8(ascii: "{"), text)
  }

  /// - Returns: The value; `nil` for null, which stands for a field that is left out.
  private mutating func readValue(
    of name: Name, _ cursor: inout JSONCursor, _ text: Span<UInt8>, _ isNested: Bool
  ) throws(JSONError) -> Value? {
    switch try cursor.nextKind(text) {
    case .string:
      let place = cursor.offset
      try cursor.skipString(text)
      return .string(at: place)
    case .number:
      switch try cursor.readNumber(text) {
      case .integer(let value): return .integer(value)
      case .fraction(let value): return .fraction(value)
      }
    case .object where !isNested && (name == .months || name == .resume):
      let box = Box()
      try box.fields.read(&cursor, text, isNested: true)
      if name == .months { months = box } else { resume = box }
      return .other
    case .null:
      try cursor.readWord("null", text)
      return nil
    case .object, .array, .yes, .no:
      try cursor.skipValue(text)
      return .other
    }
  }
}

extension MessageFields.Name {
  /// As they are written, in the order of the cases.
  private static let written: [JSONName] = [
    JSONName("type"), JSONName("ref"), JSONName("column"), JSONName("row"),
    JSONName("generation"), JSONName("key"), JSONName("date"), JSONName("month"),
    JSONName("cell"), JSONName("x"), JSONName("y"),
    JSONName("name"), JSONName("locale"), JSONName("token"), JSONName("from"), JSONName("count"),
    JSONName("member"), JSONName("secret"), JSONName("epoch"), JSONName("revision"),
    JSONName("months"), JSONName("resume"),
  ]

  init?(_ written: JSONName) {
    guard let place = MessageFields.Name.written.place(of: written) else { return nil }
    self.init(rawValue: place)
  }
}

extension MessageFields.Kind {
  /// In the order of the cases, the most frequent first.
  private static let written = allCases.map { JSONName($0.rawValue.utf8)! }

  init?(_ written: JSONName) {
    guard let place = MessageFields.Kind.written.place(of: written) else { return nil }
    self = MessageFields.Kind.allCases[place]
  }
}

extension [JSONName] {
  /// Word by word: `==` and `firstIndex` of another module are calls.
  fileprivate func place(of name: JSONName) -> Int? {
    for place in indices where self[place].low == name.low && self[place].high == name.high {
      return place
    }
    return nil
  }
}

extension MessageFields {
  /// The message's type; `nil` for one that this server does not know.
  func kind(_ text: Span<UInt8>) throws(BadMessage) -> Kind? {
    guard case .string(let place) = self[.type] else { throw missing(.type, "a string") }
    var cursor = JSONCursor(at: place)
    // It has been checked.
    return try! cursor.readShortString(text).flatMap { Kind($0) }
  }

  func string(_ name: Name, _ text: Span<UInt8>) throws(BadMessage) -> String {
    guard let value = try optionalString(name, text) else { throw missing(name, "a string") }
    return value
  }

  func optionalString(_ name: Name, _ text: Span<UInt8>) throws(BadMessage) -> String? {
    switch self[name] {
    case nil: return nil
    case .string(let place):
      var cursor = JSONCursor(at: place)
      // It has been checked.
      return try! cursor.readString(text)
    case .integer, .fraction, .other: throw missing(name, "a string")
    }
  }

  func integer(_ name: Name) throws(BadMessage) -> Int {
    guard case .integer(let value) = self[name] else { throw missing(name, "an integer") }
    return value
  }

  /// A fraction of a width or height; any JSON number.
  func fraction(_ name: Name) throws(BadMessage) -> Double {
    switch self[name] {
    case .integer(let value): return Double(value)
    case .fraction(let value): return value
    default: throw missing(name, "a number")
    }
  }

  func date(_ name: Name, _ text: Span<UInt8>) throws(BadMessage) -> CivilDate {
    guard let date = CivilDate(iso: try string(name, text).utf8) else {
      throw BadMessage("\(name) must be a date that exists, as 2026-11-20")
    }
    return date
  }

  func month(_ name: Name, _ text: Span<UInt8>) throws(BadMessage) -> CivilMonth {
    guard let month = CivilMonth(iso: try string(name, text).utf8) else {
      throw BadMessage("\(name) must be a month, as 2026-11")
    }
    return month
  }

  func monthView(_ text: Span<UInt8>) throws(BadMessage) -> MonthView {
    MonthView(from: try month(.from, text), count: try integer(.count))
  }

  /// A member's own number for a command: 1 to 2⁵³ − 1. One below is well-typed, and older than
  /// any.
  func ref() throws(BadMessage) -> Int {
    guard case .integer(let ref) = self[.ref], ref < 1 << 53 else {
      throw missing(.ref, "an integer from 1 to 9007199254740991")
    }
    return ref
  }

  private func missing(_ name: Name, _ wanted: String) -> BadMessage {
    BadMessage("\(name)\(self[name] == nil ? " is missing: it" : "") must be \(wanted)")
  }
}
