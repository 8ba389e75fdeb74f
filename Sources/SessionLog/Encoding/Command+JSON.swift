import CivilTime
import JSONText
import PickerModel
import PickerSession

/// The JSON of a command in the store and in lines of `GET …/log`: the fields that a client sends,
/// without the ref.
extension Command {
  var tree: JSONTree {
    var members: [JSONTree.Member] = [.init("type", .string(type))]
    switch self {
    case .select(let selection):
      members += [
        .init("column", .integer(selection.column)), .init("row", .integer(selection.row)),
        .init("generation", .integer(selection.generation)),
      ]
      if let key = selection.key { members.append(.init("key", .string(key))) }
    case .tap(.date(let date)): members.append(.init("date", .string(date.iso)))
    case .tap(.cell(let month, let cell)):
      members += [.init("month", .string(month.iso)), .init("cell", .integer(cell))]
    case .tap(.point(let month, let x, let y)):
      members += [
        .init("month", .string(month.iso)), .init("x", Command.stored(x)),
        .init("y", Command.stored(y)),
      ]
    case .rename(let name): members.append(.init("name", .string(name)))
    case .mark(let mark):
      members += [
        .init("grade", mark.grade.map(JSONTree.string) ?? .null),
        .init(
          "cells",
          .array(mark.cells.map { .array([.integer($0.lowerBound), .integer($0.upperBound)]) })),
        .init("generation", .integer(mark.generation)),
      ]
    case .importMarks(let marks): members += marks.members
    case .confirmWindow(let cell, let generation):
      members += [.init("cell", .integer(cell)), .init("generation", .integer(generation))]
    case .clear, .undo, .redo, .confirm, .cancel, .reopen, .unknown: break
    }
    return .object(members)
  }

  /// A finite number: JSON has no infinities, and every fraction outside 0…1 is outside the view.
  private static func stored(_ fraction: Double) -> JSONTree {
    .number(fraction.isFinite ? fraction : (fraction > 0 ? 2 : -2))
  }

  init?(tree: JSONTree) {
    guard let type = tree["type"]?.string else { return nil }
    switch type {
    case "select":
      guard let column = tree["column"]?.integer, let row = tree["row"]?.integer,
        let generation = tree["generation"]?.integer
      else { return nil }
      self = .select(
        Selection(column: column, row: row, generation: generation, key: tree["key"]?.string))
    case "tap":
      guard let target = TapTarget(tree: tree) else { return nil }
      self = .tap(target)
    case "clear": self = .clear
    case "undo": self = .undo
    case "redo": self = .redo
    case "mark":
      guard let mark = CellMark(tree: tree) else { return nil }
      self = .mark(mark)
    case "import":
      self = MarkImport(stored: tree).map { .importMarks($0) } ?? .unknown(type: type)
    case "confirm":
      guard let cell = tree["cell"]?.integer else {
        self = .confirm
        return
      }
      guard let generation = tree["generation"]?.integer else { return nil }
      self = .confirmWindow(cell: cell, generation: generation)
    case "cancel": self = .cancel
    case "reopen": self = .reopen
    case "rename":
      guard let name = tree["name"]?.string else { return nil }
      self = .rename(name)
    default: self = .unknown(type: type)
    }
  }
}

extension CellMark {
  fileprivate init?(tree: JSONTree) {
    guard let runs = tree["cells"]?.array, let generation = tree["generation"]?.integer else {
      return nil
    }
    let cells = runs.compactMap { run -> Range<Int>? in
      guard let pair = run.array, pair.count == 2, let from = pair[0].integer,
        let until = pair[1].integer, from < until
      else { return nil }
      return from..<until
    }
    guard cells.count == runs.count else { return nil }
    self.init(grade: tree["grade"]?.string, cells: cells, generation: generation)
  }
}

extension TapTarget {
  fileprivate init?(tree: JSONTree) {
    if let date = tree["date"]?.string {
      guard let date = CivilDate(iso: date.utf8) else { return nil }
      self = .date(date)
      return
    }
    guard let text = tree["month"]?.string, let month = CivilMonth(iso: text.utf8) else {
      return nil
    }
    if let cell = tree["cell"]?.integer {
      self = .cell(month, cell)
    } else {
      guard let x = tree["x"]?.fraction, let y = tree["y"]?.fraction else { return nil }
      self = .point(month, x: x, y: y)
    }
  }
}

extension JSONTree {
  /// Any JSON number.
  fileprivate var fraction: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    case .null, .bool, .string, .array, .object: nil
    }
  }
}
