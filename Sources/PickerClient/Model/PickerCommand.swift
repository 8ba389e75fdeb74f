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
    var members: [JSONTree.Member] = [.init("type", .string(type)), .init("ref", .integer(ref))]
    if hasRevision { members.append(.init("at", .integer(seen.revision))) }
    if case .tap = self, isLate { members.append(.init("hits", .integer(seen.hits))) }
    return String(decoding: JSONTree.object(members + fields).serialized(), as: UTF8.self)
  }

  private var type: String {
    switch self {
    case .select: "select"
    case .tap: "tap"
    case .set: "set"
    case .clear: "clear"
    case .undo: "undo"
    case .redo: "redo"
    case .confirm, .confirmWindow: "confirm"
    case .cancel: "cancel"
    case .reopen: "reopen"
    case .mark: "mark"
    case .units: "units"
    case .hold: "hold"
    case .release: "release"
    case .wait: "wait"
    case .rename: "rename"
    }
  }

  /// The fields of the message that only this command has.
  private var fields: [JSONTree.Member] {
    switch self {
    case .select(let column, let row, let generation, let key):
      [
        .init("column", .integer(column)), .init("row", .integer(row)),
        .init("generation", .integer(generation)),
      ] + (key.map { [.init("key", .string($0))] } ?? [])
    case .tap(let day): [.init("date", .string(day.iso))]
    case .set(let value): [.init("result", value.fields)]
    case .clear, .undo, .redo, .confirm, .cancel, .reopen, .hold, .release: []
    case .units(let units): [.init("units", .integer(units))]
    case .wait(let keys): [.init("keys", .array(keys.map(JSONTree.string)))]
    case .mark(let grade, let cells, let generation):
      [
        .init("grade", grade.map { .string($0.rawValue) } ?? .null),
        .init(
          "cells",
          .array(cells.map { .array([.integer($0.lowerBound), .integer($0.upperBound)]) })),
        .init("generation", .integer(generation)),
      ]
    case .confirmWindow(let cell, let generation):
      [.init("cell", .integer(cell)), .init("generation", .integer(generation))]
    case .rename(let name): [.init("name", .string(name))]
    }
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
