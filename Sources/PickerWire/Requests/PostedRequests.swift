import JSONText
package import PickerModel
package import PickerSession

/// The maximum length of a member's id and of its secret, in bytes.
private let identityBytesMax = 64

/// The decoded body of `POST …/members`, which adds a member without a connection.
package struct MemberRequest: Hashable, Sendable {
  package let name: String?
  package let locale: String?

  /// - Throws: ``BadMessage`` if the body is invalid or has an unknown field.
  package init(_ body: [UInt8]) throws(BadMessage) {
    let tree = try parseBody(body, fields: ["name", "locale"])
    // Cut, because a request may be queued until its session is loaded.
    name = try tree.optionalText("name")?.prefix(scalarCount: 256)
    locale = try tree.optionalText("locale")?.prefix(utf8Count: 256)
  }
}

/// The decoded body of `POST …/commands`: a command in the form of a WebSocket message, with the id
/// and the secret of its member. One of the host has neither, and needs no ref.
package struct CommandRequest: Hashable, Sendable {
  /// `nil` for the host.
  package let member: String?
  package let secret: String
  package let ref: Int
  package let command: Command
  package let precondition: Precondition?

  private static let fields = [
    "member", "secret", "type", "ref", "column", "row", "generation", "key", "date", "month",
    "cell", "x", "y", "at", "hits", "name", "grade", "cells", "result",
  ]

  /// - Throws: ``BadMessage`` if the body is invalid, has an unknown field or is not a command.
  package init(_ body: [UInt8]) throws(BadMessage) {
    let tree = try parseBody(body, fields: CommandRequest.fields + ["reason"])
    let member = try tree.optionalText("member")
    let secret = try tree.optionalText("secret")
    guard (member == nil) == (secret == nil) else {
      throw BadMessage("member and secret are required; POST …/members returns both")
    }
    // Cut to one byte more than any valid value, so that longer ones still match none.
    self.member = member?.prefix(utf8Count: identityBytesMax + 1)
    self.secret = secret?.prefix(utf8Count: identityBytesMax + 1) ?? ""
    var message = body
    if member == nil, tree["ref"] == nil {
      message = JSONTree.object((tree.members ?? []) + [.init("ref", .integer(1))]).serialized()
    }
    switch try ClientMessage.decode(message.span, fromHost: member == nil) {
    case .command(let ref, var command, let precondition):
      guard member != nil || command.isForHosts else {
        throw BadMessage(
          "the host may send select, tap, set, clear, confirm, cancel and reopen; others are of "
            + "members, and need member and secret", pointer: "/type")
      }
      if command == .cancel, member == nil {
        command =
          try tree.reason(countMax: Command.reasonCountMax)
          .map(Command.cancelWithReason) ?? .cancel
      } else if tree["reason"] != nil {
        throw BadMessage(unknownField: "reason", CommandRequest.fields)
      }
      self.ref = ref
      self.command = command
      self.precondition = precondition
    case .selectWithBadKey: throw BadMessage("key must be a string", pointer: "/key")
    case .join, .months, .rows, .find, .touch, .token, .leave, .ignored:
      throw BadMessage(
        "type must be that of a command with a ref; other messages need a WebSocket",
        pointer: "/type")
    }
  }
}

extension JSONTree {
  fileprivate func optionalText(_ field: String) throws(BadMessage) -> String? {
    guard let value = self[field] else { return nil }
    guard let text = value.string else {
      throw BadMessage("\(field) must be a string", pointer: "/\(field)")
    }
    return text
  }
}
