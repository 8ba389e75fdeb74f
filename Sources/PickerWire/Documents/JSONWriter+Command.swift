import CivilTime
package import JSONText
import PickerModel
package import PickerSession

extension JSONWriter {
  /// A command in the form in which a client sends it, without its ref.
  ///
  /// - Parameters:
  ///   - op: Of the confirmation that the command has begun.
  ///   - seesAll: Whether the reader may see a member's calendar.
  package mutating func command(_ command: Command, op: String? = nil, seesAll: Bool = false) {
    literal("{\"type\":")
    string(command.type)
    switch command {
    case .select(let selection):
      literal(",\"column\":")
      integer(selection.column)
      literal(",\"row\":")
      integer(selection.row)
      literal(",\"generation\":")
      integer(selection.generation)
      if let key = selection.key {
        literal(",\"key\":")
        string(key)
      }
    case .tap(let target): self.target(target)
    case .rename(let name):
      literal(",\"name\":")
      string(name)
    case .mark(let mark): self.mark(mark)
    case .importMarks(let marks):
      for member in seesAll ? marks.members : [] {
        literal(",")
        string(member.key)
        literal(":")
        tree(member.value)
      }
    case .confirmWindow(let cell, let generation):
      literal(",\"cell\":")
      integer(cell)
      literal(",\"generation\":")
      integer(generation)
    case .clear, .undo, .redo, .confirm, .cancel, .reopen, .unknown: break
    }
    if let op {
      literal(",\"op\":")
      string(op)
    }
    literal("}")
  }

  private mutating func mark(_ mark: CellMark) {
    literal(",\"grade\":")
    if let grade = mark.grade { string(grade) } else { literal("null") }
    literal(",\"cells\":[")
    for (index, run) in mark.cells.enumerated() {
      literal(index > 0 ? ",[" : "[")
      integer(run.lowerBound)
      literal(",")
      integer(run.upperBound)
      literal("]")
    }
    literal("],\"generation\":")
    integer(mark.generation)
  }

  private mutating func target(_ target: TapTarget) {
    switch target {
    case .date(let date):
      literal(",\"date\":\"")
      raw(date.iso)
      literal("\"")
    case .cell(let month, let cell):
      literal(",\"month\":\"")
      raw(month.iso)
      literal("\",\"cell\":")
      integer(cell)
    case .point(let month, let x, let y):
      literal(",\"month\":\"")
      raw(month.iso)
      literal("\",\"x\":")
      tree(.number(x))
      literal(",\"y\":")
      tree(.number(y))
    }
  }
}
