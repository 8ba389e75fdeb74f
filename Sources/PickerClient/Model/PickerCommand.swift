import JSONText

/// What a member wants done.
public enum PickerCommand: Hashable, Sendable {
  /// - `generation`: the column's generation that the person was looking at.
  /// - `key`: the row's key; it counts when the generation is not the current one any more.
  case select(column: Int, row: Int, generation: Int, key: String?)
  case tap(PickerDay)
  case clear, undo, redo, confirm, cancel, reopen

  /// Whether it can wait for a connection; what the others mean depends on what happens meanwhile.
  var canWait: Bool {
    switch self {
    case .select, .tap, .clear: true
    case .undo, .redo, .confirm, .cancel, .reopen: false
    }
  }

  /// The message that gives this command.
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
