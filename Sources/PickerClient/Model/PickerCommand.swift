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

  /// Whether the command can be queued without a connection. The effect of the others depends on
  /// commands that other members send in the meantime.
  var canWait: Bool {
    switch self {
    case .select, .tap, .clear: true
    case .undo, .redo, .confirm, .cancel, .reopen: false
    }
  }

  /// The command as a message of the protocol.
  func message(ref: Int) -> String {
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
      writer.literal(",\"date\":")
      writer.string(day.iso)
      writer.literal("}")
    case .clear: Self.bare("clear", ref, to: &writer)
    case .undo: Self.bare("undo", ref, to: &writer)
    case .redo: Self.bare("redo", ref, to: &writer)
    case .confirm: Self.bare("confirm", ref, to: &writer)
    case .cancel: Self.bare("cancel", ref, to: &writer)
    case .reopen: Self.bare("reopen", ref, to: &writer)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func bare(_ type: String, _ ref: Int, to writer: inout JSONWriter) {
    writer.literal("{\"type\":")
    writer.string(type)
    writer.literal(",\"ref\":")
    writer.integer(ref)
    writer.literal("}")
  }
}
