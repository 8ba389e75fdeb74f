import JSONText
package import PickerSession

/// Bytes of a member's id or secret at most.
private let identityBytesMax = 64

/// The body of `POST …/members`: a member that has no connection.
package struct MemberRequest: Hashable, Sendable {
  package let name: String?
  package let locale: String?

  /// - Throws: ``BadMessage`` for a body that is no such object, or has a field that is not known.
  package init(_ body: [UInt8]) throws(BadMessage) {
    let tree = try parseBody(body, fields: ["name", "locale"])
    // A request may wait for its session to be loaded.
    name = try tree.optionalText("name")?.prefix(scalarCount: 256)
    locale = try tree.optionalText("locale")?.prefix(utf8Count: 256)
  }
}

/// The body of `POST …/commands`: a command as it is sent on a WebSocket, and who gives it.
package struct CommandRequest: Hashable, Sendable {
  package let member: String
  package let secret: String
  package let ref: Int
  package let command: Command

  private static let fields = [
    "member", "secret", "type", "ref", "column", "row", "generation", "key", "date", "month",
    "cell", "x", "y",
  ]

  /// - Throws: ``BadMessage`` for a body that is no such object, has a field that is not known, or
  ///   is no command.
  package init(_ body: [UInt8]) throws(BadMessage) {
    let tree = try parseBody(body, fields: CommandRequest.fields)
    guard let member = try tree.optionalText("member"), let secret = try tree.optionalText("secret")
    else { throw BadMessage("member and secret are missing: POST to members gives both") }
    // One character more than any of ours: cut, they match none.
    self.member = member.prefix(utf8Count: identityBytesMax + 1)
    self.secret = secret.prefix(utf8Count: identityBytesMax + 1)
    switch try ClientMessage.decode(body.span) {
    case .command(let ref, let command):
      self.ref = ref
      self.command = command
    case .selectWithBadKey: throw BadMessage("key must be a string")
    case .join, .months, .rows, .touch, .leave, .ignored:
      throw BadMessage("type must be that of a command, which has a ref; others need a WebSocket")
    }
  }
}

extension JSONTree {
  fileprivate func optionalText(_ field: String) throws(BadMessage) -> String? {
    guard let value = self[field] else { return nil }
    guard let text = value.string else {
      throw BadMessage("\(field) must be a string")
    }
    return text
  }
}
