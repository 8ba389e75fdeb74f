import JSONText

/// A command of a member, for ``PickerConnection/perform(_:)`` and ``PickerConnection/send(_:)``.
///
/// Make a select with ``PickerState/selecting(row:column:)``, which fills in generation and key.
public enum PickerCommand: Hashable, Sendable {
  /// - `generation`: the generation of the column that the user saw.
  /// - `key`: the row's key, used instead of its index if the column has other rows by now.
  case select(column: Int, row: Int, generation: Int, key: String?)
  case tap(PickerDay)
  case clear, undo, redo, confirm, cancel, reopen
  /// Changes this member's own name, 1 … 64 characters.
  case rename(String)

  /// Whether the command can be queued without a connection. The effect of the others depends on
  /// commands that other members send in the meantime.
  var canWait: Bool {
    switch self {
    case .select, .tap, .clear, .rename: true
    case .undo, .redo, .confirm, .cancel, .reopen: false
    }
  }

  /// Whether its message has `at`, the revision that the user saw.
  var hasRevision: Bool {
    switch self {
    case .clear, .undo, .redo, .confirm, .cancel, .reopen: true
    case .select, .tap, .rename: false
    }
  }

  /// Whether the server accepts the command's message. It closes the connection for good after a
  /// message that violates the protocol, so such a command is not sent.
  var isValid: Bool {
    guard case .rename(let name) = self else { return true }
    return name.unicodeScalars.count <= 64 && !name.allSatisfy(\.isWhitespace)
  }

  /// The command as a message of the protocol.
  ///
  /// - Parameters:
  ///   - seen: What the user saw when they gave the command.
  ///   - isLate: Whether the command is sent again, or was given without a connection.
  func message(ref: Int, seen: SeenValue, isLate: Bool) -> String {
    var writer = JSONWriter()
    switch self {
    case .select(let column, let row, let generation, let key):
      writer.literal("{\"type\":\"select\",\"ref\":")
      writer.integer(ref)
      writer.literal(",\"column\":")
      writer.integer(column)
      writer.literal(",\"row\":")
      writer.integer(row)
      writer.literal(",\"generation\":")
      writer.integer(generation)
      if let key {
        writer.literal(",\"key\":")
        writer.string(key)
      }
      writer.literal("}")
    case .tap(let day):
      writer.literal("{\"type\":\"tap\",\"ref\":")
      writer.integer(ref)
      if isLate {
        writer.literal(",\"hits\":")
        writer.integer(seen.hits)
      }
      writer.literal(",\"date\":")
      writer.string(day.iso)
      writer.literal("}")
    case .clear: Self.plain("clear", ref, seen, to: &writer)
    case .undo: Self.plain("undo", ref, seen, to: &writer)
    case .redo: Self.plain("redo", ref, seen, to: &writer)
    case .confirm: Self.plain("confirm", ref, seen, to: &writer)
    case .cancel: Self.plain("cancel", ref, seen, to: &writer)
    case .reopen: Self.plain("reopen", ref, seen, to: &writer)
    case .rename(let name):
      writer.literal("{\"type\":\"rename\",\"ref\":")
      writer.integer(ref)
      writer.literal(",\"name\":")
      writer.string(name)
      writer.literal("}")
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func plain(
    _ type: String, _ ref: Int, _ seen: SeenValue, to writer: inout JSONWriter
  ) {
    writer.literal("{\"type\":")
    writer.string(type)
    writer.literal(",\"ref\":")
    writer.integer(ref)
    writer.literal(",\"at\":")
    writer.integer(seen.revision)
    writer.literal("}")
  }
}

/// The value that the user saw when they gave a command. The server refuses a command with `stale`
/// if somebody else has changed the value since.
struct SeenValue: Hashable, Sendable {
  /// The newest revision that was applied.
  let revision: Int
  /// The hit count of the range, with the unanswered taps before this command.
  let hits: Int
}
