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
  indirect case find(FindRequest)
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
    /// The zone in which the reader gets times.
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

/// The maximum length of a member's name.
private let nameCharactersMax = 64

extension ClientMessage {
  /// Decodes one message.
  ///
  /// - Parameters:
  ///   - text: Valid UTF-8. The socket has checked it.
  ///   - isFromHost: Whether the key of a select is enough.
  /// - Throws: ``BadMessage`` if it is not a JSON object, or `type` or a required field is missing
  ///   or has the wrong type.
  /// - Source: web/guide/README.md, "Closing, errors and time-outs".
  package static func decode(
    _ text: Span<UInt8>, fromHost isFromHost: Bool = false
  ) throws(BadMessage) -> ClientMessage {
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
    case .action(let type):
      let action = try PickerAction(type, &fields, text, fromHost: isFromHost)
      if action.isKeyBad(&fields) { return .selectWithBadKey(ref: try fields.ref(), .act(action)) }
      return .command(ref: try fields.ref(), .act(action), try precondition(of: action, &fields))
    case .undo: return try late(.undo, &fields)
    case .redo: return try late(.redo, &fields)
    case .confirm: return try late(try confirmation(&fields), &fields)
    case .cancel: return try late(.cancel, &fields)
    case .reopen: return try late(.reopen, &fields)
    case .rename: return .command(ref: try fields.ref(), .rename(try memberName(&fields, text)))
    case .months: return .months(try fields.monthView(text))
    case .rows: return try rows(&fields)
    case .find: return .find(try FindRequest(text))
    case .touch: return .touch(try touch(&fields, text))
    case .token:
      return .token(Renewal(token: try? fields.string(.token, text), ref: try? fields.ref()))
    case .leave: return .leave
    case nil:
      guard let ref = try? fields.ref() else { return .ignored }
      let type = try fields.string(.type, text).prefix(utf8Count: MessageFields.typeBytesMax)
      return .command(ref: ref, .unknown(type: type))
    }
  }

  private static func late(
    _ command: Command, _ fields: inout MessageFields
  ) throws(BadMessage) -> ClientMessage {
    .command(
      ref: try fields.ref(), command, try fields.optionalInteger(.at).map(Precondition.at))
  }

  private static func precondition(
    of action: PickerAction, _ fields: inout MessageFields
  ) throws(BadMessage) -> Precondition? {
    switch action.premise {
    case .nothing: nil
    case .revision: try fields.optionalInteger(.at).map(Precondition.at)
    case .hits: try fields.optionalInteger(.hits).map(Precondition.hits)
    }
  }

  private static func confirmation(_ fields: inout MessageFields) throws(BadMessage) -> Command {
    guard let choice = try WindowChoice(&fields) else { return .confirm }
    return .confirmWindow(choice)
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

extension MessageFields {
  mutating func monthView(_ text: Span<UInt8>) throws(BadMessage) -> MonthView {
    MonthView(from: try month(.from, text), count: try integer(.count))
  }
}
