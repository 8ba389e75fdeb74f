package import CivilTime
package import JSONText

/// The known fields of a client's message. Only `months` and `resume` are allocated. Unknown fields
/// are checked to be valid JSON and dropped.
///
/// A string field is stored as its offset in the text and decoded when it is read, so all fields
/// are trivial values. Calls that read strings take the text, as in ``JSONCursor``; it must be
/// the text that was parsed.
package struct MessageFields: ~Copyable {
  /// The value of a field. Objects and arrays are not stored, except for the offset of `cells` and
  /// of `result`.
  package enum Value: Hashable {
    /// A valid string, whose opening quote is at this offset.
    case string(at: Int)
    case integer(Int)
    case fraction(Double)
    case bool(Bool)
    /// The array `cells` or the object `result`, whose opening bracket is at this offset.
    case tree(at: Int)
    case null
    case other
  }

  /// The field names. The raw value is the index in ``values``.
  package enum Name: Int, CaseIterable {
    case type, ref, column, row, generation, key, date, month, cell, x, y
    case name, locale, token, from, count
    case member, secret, epoch, revision
    case months, resume
    case at, hits, hover
    case timeZone, grade, cells, result
  }

  /// The message types.
  package enum Kind: Equatable {
    /// The command is an action.
    case action(PickerAction.Name)
    case join, touch, months, rows, find
    case undo, redo, confirm, cancel, reopen, leave, token, rename
  }

  /// The maximum length of a text that only a refusal quotes, in bytes.
  package static let typeBytesMax = 64

  private var values = InlineArray<29, Value?>(repeating: nil)
  /// A bit for each field that occurred.
  private var seen: UInt32 = 0
  /// The inner fields of the objects `months` and `resume`.
  package private(set) var months: Box?
  package private(set) var resume: Box?
  /// The type, if ``readPlain(_:)`` has read it.
  private var plainKind: Kind?

  package init() {}

  /// Stores inner fields on the heap, because few messages have any.
  package final class Box {
    package var fields = MessageFields()
  }

  // This and the functions below are `mutating`, although they change nothing, because a call of
  // another one copies all fields.
  package subscript(name: Name) -> Value? { mutating get { values[name.rawValue] } }

  /// Reads an object.
  ///
  /// - Throws: ``JSONError`` if it is not a JSON object or has a known field twice.
  package mutating func read(
    _ cursor: inout JSONCursor, _ text: Span<UInt8>, isNested: Bool = false
  ) throws(JSONError) {
    guard try cursor.nextKind(text) == .object else { throw cursor.failure("not an object") }
    guard try cursor.open(UInt8(ascii: "{"), text) else { return }
    repeat {
      guard let written = try cursor.readShortName(text), let name = Name(written) else {
        try cursor.skipValue(text)
        continue
      }
      let bit = UInt32(1) << UInt32(name.rawValue)
      guard seen & bit == 0 else { throw cursor.failure("duplicate field") }
      seen |= bit
      values[name.rawValue] = try readValue(of: name, &cursor, text, isNested)
    } while try cursor.another(UInt8(ascii: "{"), text)
  }

  /// Reads an object as clients write it: without white space, of known fields, and these with
  /// strings without escape sequences and integers only.
  ///
  /// - Returns: False for another text, which may be a valid one: ``read(_:_:isNested:)`` it then.
  package mutating func readPlain(_ text: Span<UInt8>) -> Bool {
    guard text.count > 8, text[0] == UInt8(ascii: "{") else { return false }
    var offset = 1
    repeat {
      guard text[unchecked: offset] == UInt8(ascii: "\"") else { break }
      let (name, nameEnd) = text.plainName(at: offset + 1)
      guard nameEnd + 2 < text.count, text[unchecked: nameEnd] == UInt8(ascii: "\""),
        text[unchecked: nameEnd + 1] == UInt8(ascii: ":"), let name = Name(name),
        seen & 1 << UInt32(name.rawValue) == 0
      else { break }
      seen |= 1 << UInt32(name.rawValue)
      offset = nameEnd + 2
      guard let end = readPlainValue(of: name, text, at: offset), end < text.count else { break }
      if text[unchecked: end] == UInt8(ascii: "}"), end + 1 == text.count { return true }
      guard text[unchecked: end] == UInt8(ascii: ",") else { break }
      offset = end + 1
    } while offset < text.count
    seen = 0
    plainKind = nil
    return false
  }

  /// - Returns: The offset after the value; `nil` if it is no plain string or integer.
  @inline(__always)
  private mutating func readPlainValue(
    of name: Name, _ text: Span<UInt8>, at start: Int
  ) -> Int? {
    if text[unchecked: start] == UInt8(ascii: "\"") {
      let (words, firstEnd) = text.plainName(at: start + 1)
      var end = firstEnd
      if end == start + 17 { end = text.plainEnd(from: end) }
      guard end < text.count, text[unchecked: end] == UInt8(ascii: "\"") else { return nil }
      values[name.rawValue] = .string(at: start)
      if name == .type, end == firstEnd { plainKind = Kind(words) }
      return end + 1
    }
    var (end, value) = (start, 0)
    while end < text.count, text[unchecked: end] &- UInt8(ascii: "0") < 10 {
      value = value &* 10 &+ Int(text[unchecked: end] &- UInt8(ascii: "0"))
      end += 1
    }
    guard end > start, end - start <= 18,
      text[unchecked: start] != UInt8(ascii: "0") || end == start + 1
    else { return nil }
    values[name.rawValue] = .integer(value)
    return end
  }

  private mutating func readValue(
    of name: Name, _ cursor: inout JSONCursor, _ text: Span<UInt8>, _ isNested: Bool
  ) throws(JSONError) -> Value {
    switch try cursor.nextKind(text) {
    case .string:
      let offset = cursor.offset
      try cursor.skipString(text)
      return .string(at: offset)
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
      return .null
    case .yes:
      try cursor.skipValue(text)
      return .bool(true)
    case .no:
      try cursor.skipValue(text)
      return .bool(false)
    case .array where name == .cells, .object where name == .result:
      let offset = cursor.offset
      try cursor.skipValue(text)
      return .tree(at: offset)
    case .object, .array:
      try cursor.skipValue(text)
      return .other
    }
  }
}

extension MessageFields.Name {
  /// The encoded names in the order of the cases.
  private static let written: [JSONName] = [
    JSONName("type"), JSONName("ref"), JSONName("column"), JSONName("row"),
    JSONName("generation"), JSONName("key"), JSONName("date"), JSONName("month"),
    JSONName("cell"), JSONName("x"), JSONName("y"),
    JSONName("name"), JSONName("locale"), JSONName("token"), JSONName("from"), JSONName("count"),
    JSONName("member"), JSONName("secret"), JSONName("epoch"), JSONName("revision"),
    JSONName("months"), JSONName("resume"), JSONName("at"), JSONName("hits"), JSONName("hover"),
    JSONName("timeZone"), JSONName("grade"), JSONName("cells"), JSONName("result"),
  ]

  package init?(_ written: JSONName) {
    guard let index = MessageFields.Name.written.caseIndex(of: written) else { return nil }
    self.init(rawValue: index)
  }
}

extension MessageFields.Kind {
  /// The types with their names, the most frequent first.
  private static let known: [(name: String, kind: MessageFields.Kind)] = [
    ("select", .action(.select)), ("tap", .action(.tap)), ("join", .join), ("touch", .touch),
    ("months", .months), ("rows", .rows), ("mark", .action(.mark)), ("clear", .action(.clear)),
    ("undo", .undo), ("redo", .redo), ("confirm", .confirm), ("cancel", .cancel),
    ("reopen", .reopen), ("leave", .leave), ("token", .token), ("rename", .rename),
    ("set", .action(.set)), ("find", .find),
  ]
  private static let written = known.map { JSONName($0.name.utf8)! }

  package init?(_ written: JSONName) {
    guard let index = MessageFields.Kind.written.caseIndex(of: written) else { return nil }
    self = MessageFields.Kind.known[index].kind
  }
}

extension [JSONName] {
  /// Compares a name's two machine words: `firstIndex` and another module's `==` are not
  /// inlined.
  fileprivate func caseIndex(of name: JSONName) -> Int? {
    for index in indices where self[index].low == name.low && self[index].high == name.high {
      return index
    }
    return nil
  }
}

extension MessageFields {
  /// The message's type; `nil` for an unknown one.
  package mutating func kind(_ text: Span<UInt8>) throws(BadMessage) -> Kind? {
    if let plainKind { return plainKind }
    guard case .string(let offset) = self[.type] else { throw missing(.type, "a string") }
    var cursor = JSONCursor(at: offset)
    // Cannot throw: `read` has checked the string.
    return try! cursor.readShortString(text).flatMap { Kind($0) }
  }

  package mutating func string(_ name: Name, _ text: Span<UInt8>) throws(BadMessage) -> String {
    guard let value = try optionalString(name, text) else { throw missing(name, "a string") }
    return value
  }

  package mutating func optionalString(_ name: Name, _ text: Span<UInt8>) throws(BadMessage)
    -> String?
  {
    switch self[name] {
    case nil: return nil
    case .string(let offset):
      var cursor = JSONCursor(at: offset)
      // Cannot throw: `read` has checked the string.
      return try! cursor.readString(text)
    case .integer, .fraction, .bool, .tree, .null, .other: throw missing(name, "a string")
    }
  }

  package mutating func integer(_ name: Name) throws(BadMessage) -> Int {
    guard case .integer(let value) = self[name] else { throw missing(name, "an integer") }
    return value
  }

  package mutating func optionalInteger(_ name: Name) throws(BadMessage) -> Int? {
    self[name] == nil ? nil : try integer(name)
  }

  package mutating func optionalBool(_ name: Name) throws(BadMessage) -> Bool? {
    switch self[name] {
    case nil: return nil
    case .bool(let value): return value
    case .string, .integer, .fraction, .tree, .null, .other:
      throw missing(name, "true or false")
    }
  }

  /// Any JSON number, for a fraction of a width or height.
  package mutating func fraction(_ name: Name) throws(BadMessage) -> Double {
    switch self[name] {
    case .integer(let value): return Double(value)
    case .fraction(let value): return value
    default: throw missing(name, "a number")
    }
  }

  package mutating func date(_ name: Name, _ text: Span<UInt8>) throws(BadMessage) -> CivilDate {
    if case .string(let offset) = self[name], offset + 12 <= text.count,
      text[offset + 11] == UInt8(ascii: "\""),
      let date = CivilDate(iso: text.extracting(offset + 1..<offset + 11))
    {
      return date
    }
    guard let date = CivilDate(iso: try string(name, text).utf8) else {
      throw BadMessage("\(name) must be a valid date like 2026-11-20", pointer: "/\(name)")
    }
    return date
  }

  package mutating func month(_ name: Name, _ text: Span<UInt8>) throws(BadMessage) -> CivilMonth {
    guard let month = CivilMonth(iso: try string(name, text).utf8) else {
      throw BadMessage("\(name) must be a month like 2026-11", pointer: "/\(name)")
    }
    return month
  }

  /// The whole value of a `set`.
  package mutating func result(_ text: Span<UInt8>) throws(BadMessage) -> ResultFields {
    guard case .tree(let offset) = self[.result] else {
      throw missing(.result, "an object like {\"date\":\"2026-11-20\"}")
    }
    var cursor = JSONCursor(at: offset, valuesMax: MessageFields.resultValuesMax)
    guard let tree = try? cursor.readTree(text) else {
      throw BadMessage("result has a field twice, or too many values", pointer: "/result")
    }
    return try ResultFields(field: "result", tree)
  }

  /// A decision of the host may have added 4 KiB of data to a result that is sent again.
  private static let resultValuesMax = 4_096

  /// The ref of a command, at most 2⁵³ − 1. Values below 1 are accepted here and refused later with
  /// `oldRef`.
  package mutating func ref() throws(BadMessage) -> Int {
    guard case .integer(let ref) = self[.ref], ref < 1 << 53 else {
      throw missing(.ref, "an integer from 1 to 9007199254740991")
    }
    return ref
  }

  mutating func missing(_ name: Name, _ wanted: String) -> BadMessage {
    BadMessage(
      "\(name)\(self[name] == nil ? " is missing: it" : "") must be \(wanted)",
      pointer: "/\(name)")
  }
}

extension ResultFields {
  /// Reads a field of a message or of a body.
  package init(field name: String, _ tree: JSONTree) throws(BadMessage) {
    do throws(BadField) {
      try self.init(tree)
    } catch {
      let path = (name + error.pointer).split(separator: "/").joined(separator: ".")
      throw BadMessage("\(path) \(error.wanted)", pointer: "/\(name)\(error.pointer)")
    }
  }
}
