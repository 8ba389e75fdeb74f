import JSONText

/// A command of a member, for ``PickerConnection/perform(_:)`` and ``PickerConnection/send(_:)``.
///
/// Make a select with ``PickerState/selecting(row:column:)``, which fills in generation and key,
/// and marks with ``PickerState/marking(_:as:)``.
public enum PickerCommand: Hashable, Sendable {
  /// - `generation`: the generation of the column that the user saw.
  /// - `key`: the row's key, used instead of its index if the column has other rows by now.
  case select(column: Int, row: Int, generation: Int, key: String?)
  case tap(PickerDay)
  /// Chooses a whole value at once: exactly this one, or the server refuses it.
  case set(PickerValue)
  case clear, undo, redo, confirm, cancel, reopen
  /// Marks the cells of an `availability`, or with `nil` removes this member's marks from them.
  /// Make it with ``PickerState/marking(_:as:)``.
  ///
  /// - `cells`: ascending runs, at most 64.
  /// - `generation`: the generation of the cells that the user saw.
  case mark(PickerGrade?, cells: [Range<Int>], generation: Int)
  /// Confirms the window of an `availability` that begins at a cell, see
  /// ``PickerState/confirming(cell:)``.
  case confirmWindow(cell: Int, generation: Int)
  /// Sets how many units of an inventory are taken of each key of the value.
  case units(Int)
  /// Holds what is selected, or extends the hold; gives back what the session has.
  case hold, release
  /// Joins the waiting list for a value, by its keys in their order, 1 … 366.
  case wait(keys: [String])
  /// Changes this member's own name, 1 … 64 characters.
  case rename(String)

  /// Whether the command can be queued without a connection. The effect of the others depends on
  /// commands that other members send in the meantime.
  var canWait: Bool {
    switch self {
    case .select, .tap, .set, .mark, .clear, .rename: true
    case .undo, .redo, .confirm, .confirmWindow, .cancel, .reopen, .units, .hold, .release, .wait:
      false
    }
  }

  /// Whether its message has `at`, the revision that the user saw.
  var hasRevision: Bool {
    switch self {
    case .set, .clear, .undo, .redo, .confirm, .confirmWindow, .cancel, .reopen, .units, .hold,
      .release, .wait:
      true
    case .select, .tap, .mark, .rename: false
    }
  }

  /// Whether the server accepts the command's message. It closes the connection for good after a
  /// message that violates the protocol, so such a command is not sent.
  var isValid: Bool {
    switch self {
    case .rename(let name):
      return name.unicodeScalars.count <= 64 && !name.allSatisfy(\.isWhitespace)
    case .mark(_, let cells, _):
      return (1...Self.runsMax).contains(cells.count)
        && cells.allSatisfy { !$0.isEmpty && $0.lowerBound >= 0 }
        && zip(cells, cells.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
    case .set(let value): return value.isValid
    case .wait(let keys):
      return (1...366).contains(keys.count) && !keys.contains("")
    case .select, .tap, .clear, .undo, .redo, .confirm, .confirmWindow, .cancel, .reopen, .units,
      .hold, .release:
      return true
    }
  }

  /// Why a command is not valid.
  var invalidity: PickerFailure {
    switch self {
    case .rename: .badName
    case .set, .wait: .badValue
    default: .badCells
    }
  }

  /// The maximum number of runs in a message.
  static let runsMax = 64

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
    case .set(let value): Self.set(value, ref, seen, to: &writer)
    case .clear: Self.plain("clear", ref, seen, to: &writer)
    case .undo: Self.plain("undo", ref, seen, to: &writer)
    case .redo: Self.plain("redo", ref, seen, to: &writer)
    case .confirm: Self.plain("confirm", ref, seen, to: &writer)
    case .cancel: Self.plain("cancel", ref, seen, to: &writer)
    case .reopen: Self.plain("reopen", ref, seen, to: &writer)
    case .hold: Self.plain("hold", ref, seen, to: &writer)
    case .release: Self.plain("release", ref, seen, to: &writer)
    case .units(let units):
      Self.plain("units", ref, seen, and: ("units", .integer(units)), to: &writer)
    case .wait(let keys):
      let keys = JSONTree.array(keys.map(JSONTree.string))
      Self.plain("wait", ref, seen, and: ("keys", keys), to: &writer)
    case .mark(let grade, let cells, let generation):
      Self.mark(grade, cells, generation, ref, to: &writer)
    case .confirmWindow(let cell, let generation):
      writer.literal("{\"type\":\"confirm\",\"ref\":")
      writer.integer(ref)
      writer.literal(",\"at\":")
      writer.integer(seen.revision)
      writer.literal(",\"cell\":")
      writer.integer(cell)
      writer.literal(",\"generation\":")
      writer.integer(generation)
      writer.literal("}")
    case .rename(let name):
      writer.literal("{\"type\":\"rename\",\"ref\":")
      writer.integer(ref)
      writer.literal(",\"name\":")
      writer.string(name)
      writer.literal("}")
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func set(
    _ value: PickerValue, _ ref: Int, _ seen: SeenValue, to writer: inout JSONWriter
  ) {
    writer.literal("{\"type\":\"set\",\"ref\":")
    writer.integer(ref)
    writer.literal(",\"at\":")
    writer.integer(seen.revision)
    writer.literal(",\"result\":")
    writer.tree(value.fields)
    writer.literal("}")
  }

  private static func mark(
    _ grade: PickerGrade?, _ cells: [Range<Int>], _ generation: Int, _ ref: Int,
    to writer: inout JSONWriter
  ) {
    writer.literal("{\"type\":\"mark\",\"ref\":")
    writer.integer(ref)
    writer.literal(",\"grade\":")
    if let grade { writer.string(grade.rawValue) } else { writer.literal("null") }
    writer.literal(",\"cells\":[")
    for (index, run) in cells.enumerated() {
      writer.literal(index > 0 ? ",[" : "[")
      writer.integer(run.lowerBound)
      writer.literal(",")
      writer.integer(run.upperBound)
      writer.literal("]")
    }
    writer.literal("],\"generation\":")
    writer.integer(generation)
    writer.literal("}")
  }

  private static func plain(
    _ type: String, _ ref: Int, _ seen: SeenValue, and field: (String, JSONTree)? = nil,
    to writer: inout JSONWriter
  ) {
    writer.literal("{\"type\":")
    writer.string(type)
    writer.literal(",\"ref\":")
    writer.integer(ref)
    writer.literal(",\"at\":")
    writer.integer(seen.revision)
    if let (name, value) = field {
      writer.literal(",")
      writer.string(name)
      writer.literal(":")
      writer.tree(value)
    }
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
