package import PickerModel

/// A member's command. Its ref (command number) makes repeats idempotent.
///
/// - Source: web/client/api/asyncapi.json.
package enum Command: Hashable, Sendable {
  /// Does something to the picker, which depends on its shape.
  case act(PickerAction)
  case undo
  case redo
  case confirm
  /// Confirms a window that the member chose.
  case confirmWindow(WindowChoice)
  case cancel
  /// Cancels, with a reason for the members, in at most ``reasonCountMax`` Unicode scalars. Of the
  /// host.
  indirect case cancelWithReason(Note.Text)
  case reopen
  /// Takes units of the inventory, or gives them back.
  case inventory(InventoryCommand)
  /// The member's name from now on. It makes no revision.
  case rename(String)
  /// A command with a type that this server does not know. It is refused.
  case unknown(type: String)

  /// The maximum length of the reason of a cancel, in Unicode scalars.
  package static let reasonCountMax = 200

  /// The command without what it says only in case that the picker has changed.
  package var brief: Command {
    if case .act(let action) = self { .act(action.brief) } else { self }
  }

  /// Whether ``brief`` can be another command.
  package var hasBrief: Bool { if case .act(.columns) = self { true } else { false } }

  var isCancel: Bool {
    switch self {
    case .cancel, .cancelWithReason: true
    case .act, .undo, .redo, .confirm, .confirmWindow, .reopen, .rename, .inventory, .unknown:
      false
    }
  }

  /// The name on the wire.
  package var type: String {
    switch self {
    case .act(let action): action.type
    case .undo: "undo"
    case .redo: "redo"
    case .confirm, .confirmWindow: "confirm"
    case .cancel, .cancelWithReason: "cancel"
    case .reopen: "reopen"
    case .inventory(let command): command.type
    case .rename: "rename"
    case .unknown(let type): type
    }
  }

  /// The lowest role that may send this command.
  package var roleNeeded: Role {
    switch self {
    case .act(let action): action.isHosts ? .owner : .editor
    case .undo, .redo, .inventory: .editor
    case .confirm, .confirmWindow, .cancel, .cancelWithReason, .reopen: .owner
    case .rename, .unknown: .viewer
    }
  }

  /// Whether the host may send it, without a member.
  package var isForHosts: Bool {
    switch self {
    case .act(let action): action.isForHosts
    case .confirm, .confirmWindow, .cancel, .cancelWithReason, .reopen, .inventory: true
    case .undo, .redo, .rename, .unknown: false
    }
  }

  /// Checks that pickers with `definition` have such a command.
  ///
  /// - Throws: ``Refusal`` with `wrongKind`.
  func check(_ definition: Definition) throws(Refusal) {
    let fits: Bool
    switch self {
    case .act(let action): return try action.check(definition)
    case .confirmWindow: fits = definition.kind.hasChoice
    case .undo, .redo: fits = definition.kind.hasUndo
    case .confirm, .cancel, .cancelWithReason, .reopen, .rename, .inventory, .unknown: return
    }
    if !fits { throw Refusal(unsupported: type, definition.kind) }
  }
}

/// What the author of a command had seen when it gave the command. If the session has moved on, the
/// command is refused with `stale`.
package enum Precondition: Hashable, Sendable {
  /// The newest revision that the author had applied: since then nobody else has changed the value
  /// or the status.
  case at(Int)
  /// The hits of the range, for a tap.
  case hits(Int)
}
