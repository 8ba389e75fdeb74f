package import JSONText
import PickerModel
package import PickerSession

/// The JSON of a command in a store and in lines of `GET …/log`: that of its message without the
/// ref, and with what only hosts say.
extension Command {
  /// Reads what ``JSONWriter/command(_:if:op:seesAll:)`` wrote.
  ///
  /// - Returns: `nil` for anything else.
  package static func written(
    _ tree: JSONTree
  ) -> (command: Command, precondition: Precondition?)? {
    guard let type = tree["type"]?.string else { return nil }
    if let action = PickerAction(ofHost: type, tree) { return (.act(action), nil) }
    let message = JSONTree.object((tree.members ?? []) + [.init("ref", .integer(1))]).serialized()
    guard
      case .command(_, let command, let precondition)? =
        try? ClientMessage.decode(message.span, fromHost: true)
    else { return nil }
    if command == .cancel, let reason = tree["reason"] {
      guard let text = try? Note.Text(reason, at: "reason", countMax: reasonCountMax) else {
        return nil
      }
      return (.cancelWithReason(text), precondition)
    }
    return (command, precondition)
  }
}

extension JSONWriter {
  /// A command without its ref.
  ///
  /// - Parameters:
  ///   - precondition: What its author had seen.
  ///   - op: Of the confirmation that the command has begun.
  ///   - seesAll: Whether the reader may see a member's calendar.
  package mutating func command(
    _ command: Command, if precondition: Precondition? = nil, op: String? = nil,
    seesAll: Bool = false
  ) {
    literal("{\"type\":", command.type)
    switch command {
    case .act(let action): self.action(action, seesAll: seesAll)
    case .rename(let name):
      literal(",\"name\":", name)
    case .confirmWindow(let choice): self.choice(choice)
    case .cancelWithReason(let reason):
      literal(",\"reason\":", reason.tree)
    case .inventory(let command): inventoryCommand(command)
    case .undo, .redo, .confirm, .cancel, .reopen, .unknown: break
    }
    switch precondition {
    case .at(let revision):
      literal(",\"at\":", revision)
    case .hits(let hits):
      literal(",\"hits\":", hits)
    case nil: break
    }
    if let op { literal(",\"op\":", op) }
    literal("}")
  }
}
