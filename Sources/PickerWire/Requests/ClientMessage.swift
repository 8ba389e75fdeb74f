import CivilTime
import JSONText
package import PickerModel
package import PickerSession

/// A decoded message from a client.
///
/// - Source: web/client/api/asyncapi.json.
package enum ClientMessage: Hashable, Sendable {
  indirect case join(Join)
  case command(ref: Int, Command, Precondition? = nil)
  /// A select whose `key` is not a string. It is treated like a missing key, unless the key is
  /// needed.
  case selectWithBadKey(ref: Int, Command)
  /// The months that the client displays from now on.
  case months(MonthView)
  /// A request for rows of a column.
  case rows(column: Int, from: Int, count: Int)
  case touch(Touch)
  /// A renewed token of the member, sent before the current one expires.
  case token(Renewal)
  case leave
  /// A message of an unknown type without a ref. It gets no answer.
  case ignored

  /// The first message of a connection.
  package struct Join: Hashable, Sendable {
    package var name: String?
    package var locale: String?
    package var token: String?
    package var months: MonthView?
    /// The zone of the times of an `availability`.
    package var timeZone: String?
    package var resume: Resume?
  }

  /// A renewed token. A server without keys answers it like a message of an unknown type.
  package struct Renewal: Hashable, Sendable {
    /// `nil` if the message has none, or one that is not a string.
    package let token: String?
    package let ref: Int?
  }

  /// The state of the client's previous connection.
  package struct Resume: Hashable, Sendable {
    package let member: String
    package let secret: String
    package let epoch: String
    /// The last revision that the client has applied.
    package let revision: Int
  }
}

/// Thrown for a message or request body that violates the protocol. On a WebSocket it closes the
/// connection with 4400.
package struct BadMessage: Error, Hashable, Sendable {
  /// One sentence for developers: what was wrong, where, and what would be right.
  package let detail: String
  /// Of a value in a body (RFC 6901), if the problem is that of one value.
  package let pointer: String?
  /// Whether the problem is one of the definition in a body.
  package let isOfDefinition: Bool

  package init(_ detail: String, pointer: String? = nil) {
    self.detail = detail
    self.pointer = pointer
    isOfDefinition = false
  }

  package init(_ problem: DefinitionProblem) {
    detail = problem.detail
    pointer = problem.pointer
    isOfDefinition = true
  }
}

/// The maximum length of an unknown type that a refusal quotes, in bytes.
private let typeBytesMax = 64
/// The maximum length of a row's key. Longer keys are cut to one character more, so that they still
/// match no row.
private let keyCharactersMax = DefinitionLimits().textCharactersMax
/// The maximum length of a member's name.
private let nameCharactersMax = 64

extension ClientMessage {
  /// Decodes one message.
  ///
  /// - Parameter text: Valid UTF-8. The socket has checked it.
  /// - Throws: ``BadMessage`` if it is not a JSON object, or `type` or a required field is missing
  ///   or has the wrong type.
  /// - Source: web/guide/README.md, "Closing, errors and time-outs".
  package static func decode(_ text: Span<UInt8>) throws(BadMessage) -> ClientMessage {
    var fields = MessageFields()
    if !fields.readPlain(text) {
      do throws(JSONError) {
        var cursor = JSONCursor()
        try fields.read(&cursor, text)
        try cursor.finish(text)
      } catch {
        throw BadMessage(
          "the message is not a JSON object: \(error.reason), at byte \(error.offset)")
      }
    }
    switch try fields.kind(text) {
    case .join: return .join(try join(&fields, text))
    case .select:
      let command = Command.select(try selection(&fields, text))
      switch fields[.key] {
      case nil, .string: return .command(ref: try fields.ref(), command)
      case .integer, .fraction, .bool, .array, .other:
        return .selectWithBadKey(ref: try fields.ref(), command)
      }
    case .tap:
      return .command(
        ref: try fields.ref(), .tap(try target(&fields, text)),
        try fields.optionalInteger(.hits).map(Precondition.hits))
    case .clear: return try late(.clear, &fields)
    case .undo: return try late(.undo, &fields)
    case .redo: return try late(.redo, &fields)
    case .mark: return .command(ref: try fields.ref(), .mark(try mark(&fields, text)))
    case .confirm: return try late(try confirmation(&fields), &fields)
    case .cancel: return try late(.cancel, &fields)
    case .reopen: return try late(.reopen, &fields)
    case .rename: return .command(ref: try fields.ref(), .rename(try memberName(&fields, text)))
    case .months: return .months(try fields.monthView(text))
    case .rows: return try rows(&fields)
    case .touch: return .touch(try touch(&fields, text))
    case .token:
      return .token(Renewal(token: try? fields.string(.token, text), ref: try? fields.ref()))
    case .leave: return .leave
    case nil:
      guard let ref = try? fields.ref() else { return .ignored }
      let type = try fields.string(.type, text).prefix(utf8Count: typeBytesMax)
      return .command(ref: ref, .unknown(type: type))
    }
  }

  private static func late(
    _ command: Command, _ fields: inout MessageFields
  ) throws(BadMessage) -> ClientMessage {
    .command(
      ref: try fields.ref(), command, try fields.optionalInteger(.at).map(Precondition.at))
  }

  private static func mark(
    _ fields: inout MessageFields, _ text: Span<UInt8>
  ) throws(BadMessage) -> CellMark {
    guard fields.has(.grade) else {
      throw BadMessage("grade is missing: it must be a string or null", pointer: "/grade")
    }
    let grade = try fields.optionalString(.grade, text)
    return CellMark(
      grade: grade?.prefix(utf8Count: typeBytesMax), cells: try fields.cells(text),
      generation: try fields.integer(.generation))
  }

  private static func confirmation(_ fields: inout MessageFields) throws(BadMessage) -> Command {
    guard let cell = try fields.optionalInteger(.cell) else { return .confirm }
    return .confirmWindow(cell: cell, generation: try fields.integer(.generation))
  }

  private static func memberName(
    _ fields: inout MessageFields, _ text: Span<UInt8>
  ) throws(BadMessage) -> String {
    let name = try fields.string(.name, text)
    guard name.unicodeScalars.count <= nameCharactersMax, !name.allSatisfy(\.isWhitespace) else {
      throw BadMessage(
        "name must have 1 to \(nameCharactersMax) characters, not only spaces", pointer: "/name")
    }
    return name
  }

  private static func join(
    _ fields: inout MessageFields, _ text: Span<UInt8>
  ) throws(BadMessage) -> Join {
    var join = Join()
    join.name = try fields.optionalString(.name, text)
    join.locale = try fields.optionalString(.locale, text)
    join.token = try fields.optionalString(.token, text)
    join.timeZone = try fields.optionalString(.timeZone, text)
    if let months = fields.months {
      join.months = try months.fields.monthView(text)
    } else if fields[.months] != nil {
      throw BadMessage("months must be an object with from and count")
    }
    if let resume = fields.resume {
      join.resume = Resume(
        member: try resume.fields.string(.member, text),
        secret: try resume.fields.string(.secret, text),
        epoch: try resume.fields.string(.epoch, text),
        revision: try resume.fields.integer(.revision))
    } else if fields[.resume] != nil {
      throw BadMessage(
        "resume must be an object with member, secret, epoch and revision")
    }
    return join
  }

  private static func selection(
    _ fields: inout MessageFields, _ text: Span<UInt8>
  ) throws(BadMessage) -> Command.Selection {
    var key: String?
    if case .string = fields[.key] {
      key = try fields.string(.key, text).prefix(scalarCount: keyCharactersMax + 1)
    }
    return Command.Selection(
      column: try fields.integer(.column), row: try fields.integer(.row),
      generation: try fields.integer(.generation), key: key)
  }

  private static func target(
    _ fields: inout MessageFields, _ text: Span<UInt8>
  ) throws(BadMessage) -> TapTarget {
    if fields[.date] != nil { return .date(try fields.date(.date, text)) }
    guard fields[.month] != nil else {
      throw BadMessage("a tap needs a date, or a month with a cell, or a month with x and y")
    }
    let month = try fields.month(.month, text)
    if fields[.cell] != nil { return .cell(month, try fields.integer(.cell)) }
    return .point(month, x: try fields.fraction(.x), y: try fields.fraction(.y))
  }

  private static func rows(_ fields: inout MessageFields) throws(BadMessage) -> ClientMessage {
    .rows(
      column: try fields.integer(.column), from: try fields.integer(.from),
      count: try fields.integer(.count))
  }

  private static func touch(
    _ fields: inout MessageFields, _ text: Span<UInt8>
  ) throws(BadMessage) -> Touch {
    let isHover = try fields.optionalBool(.hover) ?? false
    if fields[.date] != nil { return .date(try fields.date(.date, text), isHover: isHover) }
    guard fields[.column] != nil || fields[.row] != nil else { return .lifted }
    return .row(
      column: try fields.integer(.column), row: try fields.integer(.row), isHover: isHover)
  }
}
